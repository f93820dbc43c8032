import { call, formatCall } from './calls.js'
import { byId, element, setText } from './element.js'
import { formatValue } from './format-value.js'

const SURVEY = 'folding-2026'

/**
 * All verbs of the agent, with example arguments: in columns, and in these by title. Fixed columns, because answers that appear below the
 * buttons would move groups from one column to another.
 */
const COLUMNS = [
  {
    Events: [
      ['capture', 'map unfolded', { sheets: 3 }],
      ['pageview'],
      ['screen', 'Legend'],
      ['register', { season: 'autumn' }],
      ['registerOnce', { first_map: 'ring-city' }],
      ['registerForSession', { shelf: 'window' }],
      ['unregister', 'season'],
      ['getSessionId'],
      ['resetSession'],
    ],
    Identity: [
      ['identify', 'ada@example.com', { plan: 'explorer' }],
      ['alias', 'walker-7'],
      ['setPersonProperties', { boots: 'worn' }, { first_walk: '2026-05-01' }],
      ['createPersonProfile'],
      ['group', 'club', 'fell-runners', { members: 42 }],
      ['groupIdentify', 'club', 'fell-runners', { members: 43 }],
      ['getDistinctId'],
      ['getAnonymousId'],
      ['getDeviceId'],
      ['reset'],
    ],
  },
  {
    Flags: [
      ['getFeatureFlag', 'hero'],
      ['isFeatureEnabled', 'free-delivery'],
      ['getFeatureFlagPayload', 'hero'],
      ['getFeatureFlagResult', 'hero'],
      ['getFeatureFlags'],
      ['getFeatureFlagsAndPayloads'],
      ['onFeatureFlags', () => undefined],
      ['reloadFeatureFlags'],
      ['setPersonPropertiesForFlags', { plan: 'explorer' }],
      ['resetPersonPropertiesForFlags'],
      ['setGroupPropertiesForFlags', { club: { members: 42 } }],
      ['resetGroupPropertiesForFlags'],
    ],
    'Consent and surveys': [
      ['optOut'],
      ['optIn'],
      ['isOptedOut'],
      ['surveyShown', SURVEY],
      ['surveySent', SURVEY, 'By themselves'],
      ['surveyDismissed', SURVEY],
    ],
    Delivery: [['flush'], ['getStatus'], ['debug'], ['shutdown']],
  },
]

/**
 * Shows a button for each verb, and below it the answer of the call.
 *
 * @param showSurvey Opens the survey dialog and returns the answer of `surveyShown`, so that the page really shows what that verb reports.
 */
export const startVerbs = (showSurvey) => {
  byId('verb-groups').append(
    ...COLUMNS.map((groups) =>
      element('div', {}, ...Object.entries(groups).map(([title, calls]) => createGroup(title, calls, showSurvey))),
    ),
  )
}

const createGroup = (title, calls, showSurvey) =>
  element(
    'div',
    { class: 'verb-group' },
    element('h3', {}, title),
    element('ul', {}, ...calls.map((verbCall) => createVerb(verbCall, showSurvey))),
  )

const createVerb = ([verb, ...args], showSurvey) => {
  const source = formatCall(verb, args).slice(verb.length)
  const button = element('button', { type: 'button', class: 'verb' }, element('b', {}, verb), source)
  const answer = element('output', { class: 'answer' })
  button.addEventListener('click', async () => {
    const result = verb === 'surveyShown' ? showSurvey() : call(verb, ...args)
    setText(answer, formatValue(result))
    if (result instanceof Promise) setText(answer, `a promise of ${formatValue(await result)}`)
  })
  return element('li', {}, button, answer)
}
