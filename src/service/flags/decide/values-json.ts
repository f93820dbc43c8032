import type { DecideResult } from './decide-result.ts'
import { memoize } from './memoize.ts'

/**
 * Serialises the values and payloads of all conclusive flags, including disabled ones, for the protocol's first generation.
 *
 * @returns The members `featureFlags` and `featureFlagPayloads` of a JSON object, without the braces of that object.
 */
export const serializeValues = ({ results }: DecideResult): string => {
  let values = ''
  let payloads = ''
  for (const { definition, evaluation } of results) {
    if (evaluation.value === undefined) continue
    const { value, payload } = serializeMembers(definition, evaluation)
    values += value
    payloads += payload
  }
  return `"featureFlags":{${values.slice(1)}},"featureFlagPayloads":{${payloads.slice(1)}}`
}

/** Each member begins with a comma. A payload is JSON inside a JSON string; without a payload the member is an empty string. */
const serializeMembers = memoize(({ key }, { value, payloadText }) => {
  const name = `,${JSON.stringify(key)}:`
  return {
    value: name + JSON.stringify(value),
    payload: payloadText === undefined ? '' : name + JSON.stringify(payloadText),
  }
})
