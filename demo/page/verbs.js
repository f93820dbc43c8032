import { call, written } from './calls.js'
import { byId, element } from './element.js'

const GROUPS = {
  Events: [['capture', 'map unfolded', { sheets: 3 }], ['pageview'], ['screen', 'Legend'], ['flush']],
  'Who it is': [
    ['identify', 'ada@example.com', { plan: 'explorer' }],
    ['alias', 'walker-7'],
    ['group', 'club', 'fell-runners', { members: 42 }],
    ['reset'],
  ],
  'Later events and flags': [
    ['register', { season: 'autumn' }],
    ['unregister', 'season'],
    ['getFeatureFlag', 'hero'],
    ['reloadFeatureFlags'],
  ],
  'Consent and surveys': [['optOut'], ['optIn'], ['surveyShown'], ['surveyDismissed', 'folding-2026']],
}

/** @param showSurvey Opens the survey: what `surveyShown` reports has really been shown. */
export const startVerbs = (showSurvey) => {
  byId('verb-groups').append(
    ...Object.entries(GROUPS).map(([title, calls]) =>
      element(
        'div',
        { class: 'verb-group' },
        element('h3', {}, title),
        element('ul', {}, ...calls.map((one) => element('li', {}, button(one, showSurvey)))),
      ),
    ),
  )
}

const button = ([verb, ...args], showSurvey) => {
  const isSurvey = verb === 'surveyShown'
  const shown = isSurvey ? "'folding-2026'" : args.map((arg) => written(arg)).join(', ')
  const node = element('button', { type: 'button', class: 'verb' }, element('b', {}, verb), `(${shown})`)
  node.addEventListener('click', () => (isSurvey ? showSurvey() : call(verb, ...args)))
  return node
}
