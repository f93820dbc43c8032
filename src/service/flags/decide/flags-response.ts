import { detailsText } from './details-json.ts'
import { evaluationFacts } from './evaluated.ts'
import type { Evaluated } from './evaluated.ts'
import { valuesText } from './values-json.ts'

/**
 * The answer of `POST /flags`, as JSON text: `FlagsAnswer`.
 *
 * @param version Query parameter `v`. 2: a detail for each flag; anything else, and by default, values and payloads.
 * @param config What else is told, as `answeredConfig` gives it; by default nothing.
 */
export const flagsAnswer = (evaluated: Evaluated, version?: string, config = ''): string => {
  const flags = version === '2' ? detailsText(evaluated) : valuesText(evaluated)
  return `{${flags}${config},${JSON.stringify(evaluationFacts(evaluated)).slice(1)}`
}
