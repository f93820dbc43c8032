import type { FlagValue } from '../wire/decide.ts'
import type { Json, JsonObject } from '../wire/json.ts'
import type { Conclusive, ReasonCode } from './evaluation.ts'
import { frozen } from './frozen.ts'
import { ownOf } from './own.ts'

/** Makes an answer of one flag, with its payload; frozen, since all evaluations share it. */
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
  // By way of its text, so that the definitions stay their owner's.
  const payloadText = typeof raw === 'string' ? raw : JSON.stringify(raw)
  try {
    return { payload: frozen(JSON.parse(payloadText) as Json), payloadText }
  } catch {
    return { payload: payloadText, payloadText }
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
  return (value, reason, conditionIndex, inRollout) =>
    Object.freeze({
      value,
      variant: typeof value === 'string' ? value : undefined,
      payload: payloadFor(value).payload,
      payloadText: payloadFor(value).payloadText,
      reason,
      conditionIndex,
      inRollout,
    })
}
