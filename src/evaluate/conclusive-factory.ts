import type { FlagValue } from '../wire/decide.ts'
import type { Json, JsonObject } from '../wire/json.ts'
import { deepFreeze } from './deep-freeze.ts'
import type { Conclusive, ReasonCode } from './evaluation.ts'
import { getOwn } from './own-property.ts'

/** Creates a result of one flag, with its payload. The result is frozen because all evaluations share it. */
export type CreateConclusive = (
  value: FlagValue,
  reason: ReasonCode,
  conditionIndex?: number,
  inRollout?: boolean,
) => Conclusive

type Payload = Pick<Conclusive, 'payload' | 'payloadText'>

const NO_PAYLOAD: Payload = { payload: undefined, payloadText: undefined }

/** An empty string, 0, false and null mean no payload. A string that is not JSON is the payload itself. */
const parsePayload = (raw: Json | undefined): Payload => {
  if (!raw) return NO_PAYLOAD
  // Copied through JSON: the definitions belong to the caller and must not be frozen.
  const payloadText = typeof raw === 'string' ? raw : JSON.stringify(raw)
  try {
    return { payload: deepFreeze(JSON.parse(payloadText) as Json), payloadText }
  } catch {
    return { payload: payloadText, payloadText }
  }
}

/**
 * Creates the factory of one flag's results.
 *
 * @param payloads Payloads by variant key, or by `true` for a flag without variants; each is JSON or a string of JSON.
 */
export const createConclusiveFactory = (payloads: JsonObject): CreateConclusive => {
  const parsedPayloads = new Map<FlagValue, Payload>([[false, NO_PAYLOAD]])
  const getPayload = (value: FlagValue): Payload => {
    const payload = parsedPayloads.get(value) ?? parsePayload(getOwn(payloads, String(value)))
    parsedPayloads.set(value, payload)
    return payload
  }
  return (value, reason, conditionIndex, inRollout) =>
    Object.freeze({
      value,
      variant: typeof value === 'string' ? value : undefined,
      payload: getPayload(value).payload,
      payloadText: getPayload(value).payloadText,
      reason,
      conditionIndex,
      inRollout,
    })
}
