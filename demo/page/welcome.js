import { agent } from './calls.js'
import { byId, setText } from './element.js'
import { drawContours } from './draw-map.js'
import { runWhenIdle } from './run-when-idle.js'

const NOTICE = 'Every sheet is printed on rainproof paper.'

/** Sets the hero and the notice by two flags. Without flags both stay as in the HTML. */
export const startWelcome = () => {
  agent().onFeatureFlags(() => {
    const variant = agent().getFeatureFlag('hero')
    const { tone, headline, lead, action } = { ...(variant && agent().getFeatureFlagPayload('hero')) }
    if (typeof headline === 'string') {
      byId('hero').dataset.tone = ['dawn', 'dusk'].includes(tone) ? tone : 'fell'
      setText(byId('headline'), headline)
      setText(byId('lead'), String(lead ?? ''))
      setText(byId('hero-action'), String(action ?? 'See the maps'))
    }
    const isFree = agent().isFeatureEnabled('free-delivery') === true
    byId('notice').parentElement.toggleAttribute('data-on', isFree)
    setText(byId('notice'), isFree ? 'Free delivery on every map, this week.' : NOTICE)
  })
  runWhenIdle(drawContours(byId('hero-art'), 5, '#fff3dc'))
}
