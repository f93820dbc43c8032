import type { FlagsAnswer } from '../../wire/decide.ts'
import { type Evaluated, evaluationFacts } from './evaluated.ts'
import { flagDetails } from './flag-details.ts'
import { flagValues } from './flag-values.ts'

/**
 * The answer of `POST /flags`.
 *
 * @param version Query parameter `v`. 2: a detail for each flag; anything else, and by default, values and payloads.
 */
export const flagsAnswer = (evaluated: Evaluated, version?: string): FlagsAnswer => ({
  ...(version === '2' ? { flags: flagDetails(evaluated) } : flagValues(evaluated)),
  ...evaluationFacts(evaluated),
})
