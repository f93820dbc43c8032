import { call, formatValue } from './calls.js'
import { byId, element } from './element.js'

const GROUPS = {
  Events: [['capture', 'map unfolded', { sheets: 3 }], ['pageview'], ['screen', 'Legend'], ['flush']],
  Identity: [
    ['identify', 'ada@example.com', { plan: 'explorer' }],
    ['alias', 'walker-7'],
    ['group', 'club', 'fell-runners', { members: 42 }],
    ['reset'],
  ],
  'Properties and flags': [
    ['register', { season: 'autumn' }],
    ['unregister', 'season'],
    ['getFeatureFlag', 'hero'],
    ['reloadFeatureFlags'],
  ],
  'Consent and surveys': [['optOut'], ['optIn'], ['surveyShown'], ['surveyDismissed', 'folding-2026']],
}

/** @param showSurvey Opens the survey dialog, so that the page really shows what `surveyShown` reports. */
export const startVerbs = (showSurvey) => {
  byId('verb-groups').append(
    ...Object.entries(GROUPS).map(([title, calls]) =>
      element(
        'div',
        { class: 'verb-group' },
        element('h3', {}, title),
        element('ul', {}, ...calls.map((verbCall) => element('li', {}, createButton(verbCall, showSurvey)))),
      ),
    ),
  )
}

const createButton = ([verb, ...args], showSurvey) => {
  const isSurvey = verb === 'surveyShown'
  const formattedArgs = isSurvey ? "'folding-2026'" : args.map((arg) => formatValue(arg)).join(', ')
  const node = element('button', { type: 'button', class: 'verb' }, element('b', {}, verb), `(${formattedArgs})`)
  node.addEventListener('click', () => (isSurvey ? showSurvey() : call(verb, ...args)))
  return node
}
