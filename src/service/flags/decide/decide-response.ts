import { commonConfigJson } from '../../remote-config/common-config-json.ts'
import { serializeDetails } from './details-json.ts'
import { toCommonFields } from './decide-result.ts'
import type { DecideResult } from './decide-result.ts'
import { serializeValues } from './values-json.ts'

/** Members that clients of the first generation expect in every response: a JSON object without its closing brace. */
const LEGACY_MEMBERS = JSON.stringify({
  config: { enable_collect_everything: true },
  toolbarParams: {},
  isAuthenticated: false,
}).slice(0, -1)

/**
 * Serialises the response of `POST /decide`, for version 3 a `DecideResponse`. Versions 1 and 2 have active flags only and no payloads.
 *
 * @param version Query parameter `v`. 1: the keys of active flags; 2: their values; 4: the details of all flags, as in
 * `/flags/?v=2`; any other value means 3, the default.
 * @param hasSurveys Whether the project has surveys that pages should load. Default false.
 */
export const serializeDecideResponse = (result: DecideResult, version = '3', hasSurveys = false): string =>
  `${LEGACY_MEMBERS}${commonConfigJson(hasSurveys)},${serializeFlags(result, version)},${JSON.stringify(toCommonFields(result)).slice(1)}`

const serializeFlags = (result: DecideResult, version: string): string => {
  if (version === '4') return serializeDetails(result)
  if (version !== '1' && version !== '2') return serializeValues(result)
  const active = result.results.flatMap(({ definition: { key }, evaluation: { value } }) =>
    value === undefined || value === false ? [] : [[key, value] as const],
  )
  const flags = version === '1' ? active.map(([key]) => key) : Object.fromEntries(active)
  return `"featureFlags":${JSON.stringify(flags)}`
}
