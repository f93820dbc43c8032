import type { Evaluated } from './evaluated.ts'
import { madeOnce } from './memoize.ts'

/**
 * Values and payloads of the flags that could be computed, off ones too, in the form of the protocol's first generation: the
 * members `featureFlags` and `featureFlagPayloads` of a JSON object, without its braces.
 */
export const valuesText = ({ results }: Evaluated): string => {
  let values = ''
  let payloads = ''
  for (const { definition, evaluation } of results) {
    if (evaluation.value === undefined) continue
    const { value, payload } = membersOf(definition, evaluation)
    values += value
    payloads += payload
  }
  return `"featureFlags":{${values.slice(1)}},"featureFlagPayloads":{${payloads.slice(1)}}`
}

/** Each begins with a comma; the payload, a JSON text as a text, is empty where there is none. */
const membersOf = madeOnce(({ key }, { value, payloadText }) => {
  const name = `,${JSON.stringify(key)}:`
  return {
    value: name + JSON.stringify(value),
    payload: payloadText === undefined ? '' : name + JSON.stringify(payloadText),
  }
})
