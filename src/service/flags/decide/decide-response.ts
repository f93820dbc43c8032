import { answeredConfig } from '../../remote-config/answered-config.ts'
import { detailsText } from './details-json.ts'
import { evaluationFacts } from './evaluated.ts'
import type { Evaluated } from './evaluated.ts'
import { valuesText } from './values-json.ts'

/** What every answer says that clients of the first generation look for; without its closing brace. */
const SHELL = JSON.stringify({
  config: { enable_collect_everything: true },
  toolbarParams: {},
  isAuthenticated: false,
}).slice(0, -1)

/**
 * The answer of `POST /decide`, as JSON text: `DecideAnswer` for version 3. The older ones know active flags only, and no payloads.
 *
 * @param version Query parameter `v`. 1: the keys of active flags; 2: their values; 4: the details of all flags, as `/flags/?v=2`
 * gives them; anything else, and by default, 3.
 * @param hasSurveys Whether the project has any for pages to ask for; by default not.
 */
export const decideAnswer = (evaluated: Evaluated, version = '3', hasSurveys = false): string =>
  `${SHELL}${answeredConfig(hasSurveys)},${flagsText(evaluated, version)},${JSON.stringify(evaluationFacts(evaluated)).slice(1)}`

const flagsText = (evaluated: Evaluated, version: string): string => {
  if (version === '4') return detailsText(evaluated)
  if (version !== '1' && version !== '2') return valuesText(evaluated)
  const active = evaluated.results.flatMap(({ definition: { key }, evaluation: { value } }) =>
    value === undefined || value === false ? [] : [[key, value] as const],
  )
  const flags = version === '1' ? active.map(([key]) => key) : Object.fromEntries(active)
  return `"featureFlags":${JSON.stringify(flags)}`
}
