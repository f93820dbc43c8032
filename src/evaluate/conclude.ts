import type { FlagValue } from '../wire/decide.ts'
import type { Json, JsonObject } from '../wire/json.ts'
import type { Conclusive, ReasonCode } from './evaluation.ts'
import { ownOf } from './malformed.ts'

/** Makes an answer of one flag, with its payload. */
export type Conclude = (
  value: FlagValue,
  reason: ReasonCode,
  conditionIndex?: number,
  inRollout?: boolean,
) => Conclusive

type Payload = Pick<Conclusive, 'payload' | 'payloadText'>

const NO_PAYLOAD: Payload = { payload: undefined, payloadText: undefined }

/** An empty text, 0, false and null stand for no payload. Text that is no JSON is a payload as it is. */
const payloadOf = (raw: Json | undefined): Payload => {
  if (!raw) return NO_PAYLOAD
  if (typeof raw !== 'string') return { payload: raw, payloadText: JSON.stringify(raw) }
  try {
    return { payload: JSON.parse(raw) as Json, payloadText: raw }
  } catch {
    return { payload: raw, payloadText: raw }
  }
}

/** @param payloads Variant key, or `true`, to JSON. */
export const concluding = (payloads: JsonObject): Conclude => {
  const known = new Map<FlagValue, Payload>([[false, NO_PAYLOAD]])
  const payloadFor = (value: FlagValue): Payload => {
    const payload = known.get(value) ?? payloadOf(ownOf(payloads, String(value)))
    known.set(value, payload)
    return payload
  }
  return (value, reason, conditionIndex, inRollout) => ({
    value,
    variant: typeof value === 'string' ? value : undefined,
    payload: payloadFor(value).payload,
    payloadText: payloadFor(value).payloadText,
    reason,
    conditionIndex,
    inRollout,
  })
}
