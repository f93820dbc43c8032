import type { DecideAnswer, FlagDetail, FlagValue } from '../../wire/decide.ts'
import { type Evaluated, evaluationFacts } from './evaluated.ts'
import { flagDetails } from './flag-details.ts'
import { flagValues } from './flag-values.ts'

/** What an answer says beside the flags. */
type Shell = Omit<DecideAnswer, 'featureFlags' | 'featureFlagPayloads'>

/** Answers of the versions of `/decide` but the third: the older ones know active flags only, and no payloads. */
type OtherAnswer = Shell &
  (
    | { readonly featureFlags: readonly string[] | Readonly<Record<string, FlagValue>> }
    | { readonly flags: Readonly<Record<string, FlagDetail>> }
  )

/**
 * The answer of `POST /decide`.
 *
 * @param version Query parameter `v`. 1: the keys of active flags; 2: their values; 4: the details of all flags, as `/flags/?v=2`
 * gives them; anything else, and by default, 3.
 */
export const decideAnswer = (evaluated: Evaluated, version = '3'): DecideAnswer | OtherAnswer => {
  const shell: Shell = {
    config: { enable_collect_everything: true },
    toolbarParams: {},
    isAuthenticated: false,
    supportedCompression: ['gzip', 'lz64'],
    ...evaluationFacts(evaluated),
  }
  if (version === '4') return { ...shell, flags: flagDetails(evaluated) }
  const values = flagValues(evaluated)
  if (version !== '1' && version !== '2') return { ...shell, ...values }
  const active = Object.entries(values.featureFlags).filter(([, value]) => value !== false)
  return { ...shell, featureFlags: version === '1' ? active.map(([key]) => key) : Object.fromEntries(active) }
}
