import { serializeDetails } from './details-json.ts'
import { toCommonFields } from './decide-result.ts'
import type { DecideResult } from './decide-result.ts'
import { serializeValues } from './values-json.ts'

/**
 * Serialises the response of `POST /flags`, a `FlagsResponse`.
 *
 * @param version Query parameter `v`. 2: details of each flag; any other value, and the default: values and payloads.
 * @param config Members of the remote config, as `commonConfigJson` returns them. Default none.
 */
export const serializeFlagsResponse = (result: DecideResult, version?: string, config = ''): string => {
  const flags = version === '2' ? serializeDetails(result) : serializeValues(result)
  return `{${flags}${config},${JSON.stringify(toCommonFields(result)).slice(1)}`
}
