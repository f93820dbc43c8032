import { createBatchBody } from '../capture/batch.ts'
import type { ResponseClass } from '../capture/classify-response.ts'
import { classifyResponse } from '../capture/classify-response.ts'
import { isRecord } from '../wire/json.ts'
import type { JsonObject } from '../wire/json.ts'
import { parseJson } from './parse-json.ts'
import { ImportError } from './import-error.ts'
import { TIMEOUT_FAILURE, compressBody } from './post.ts'
import type { Post, PostResponse } from './post.ts'
import type { Reject, RejectReason } from './reject.ts'
import type { Retries } from './retries.ts'
import type { ImportEvent } from './row-batches.ts'

/** The result of delivering events. */
export interface DeliveryResult {
  /** Requests that were acknowledged. */
  readonly batches: number
  /** Bytes of their bodies, after compression. */
  readonly bytes: number
  /** Events that the service refused; all others are on its disk. */
  readonly rejects: readonly Reject[]
}

/**
 * Sends events in order, one request after the other. Waits while the service is down, and splits batches that are too large.
 *
 * @throws {ImportError} If the service cannot take the events. Some may have been acknowledged; sending them again is safe.
 */
export type Deliver = (events: readonly ImportEvent[]) => Promise<DeliveryResult>

export interface DeliverParts {
  readonly key: string
  readonly post: Post
  readonly retries: Retries
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Characters of JSON below which the limit that a 413 teaches does not fall. */
const MIN_BATCH_LENGTH = 1024

/**
 * The same limit for timeouts. A link that cannot carry 64 KB in a minute is unusable, and a service that hangs must not be sent single
 * events.
 */
const MIN_TIMED_OUT_BATCH_LENGTH = 64 * 1024

/** Identical refusals in a row, before any event was accepted, after which the import fails. A proxy may respond 400 to everything. */
const MAX_IDENTICAL_REFUSALS = 20

export const createDeliver = ({ key, post, retries, now }: DeliverParts): Deliver => {
  /** The largest batch that is still sent whole. Falls when a batch was too large for the service, for a proxy or for the link. */
  let maxLength = Number.POSITIVE_INFINITY
  let hasAccepted = false

  /** Posts a batch, with retries, until a response settles it. */
  const postUntilSettled = async (batch: readonly ImportEvent[]): Promise<BatchResult> => {
    const body = await compressBody(createBatchBody(key, batch.map(toJson), now(), true))
    for (;;) {
      const response = await post(body)
      const outcome = classifyResponse(response)
      const isForeign = outcome === 'wait' || (outcome === 'accepted' && !isAcknowledgement(response))
      if (isForeign && !hasAccepted) throw notTheService(response)
      if (outcome !== 'retry' && outcome !== 'wait') {
        retries.reset()
        return { outcome, response, bytes: body.byteLength }
      }
      await retries.wait(response)
      const canSplit = batch.length > 1 && lengthOf(batch) > MIN_TIMED_OUT_BATCH_LENGTH
      if (response.failure === TIMEOUT_FAILURE && canSplit) return { outcome: 'timed_out', response, bytes: 0 }
    }
  }

  return async (events) => {
    const rejects: Reject[] = []
    const pending: (readonly ImportEvent[])[] = events.length > 0 ? [events] : []
    let batches = 0
    let bytes = 0
    for (let batch = pending.shift(); batch !== undefined; batch = pending.shift()) {
      const [first, ...others] = batch as [ImportEvent, ...ImportEvent[]]
      if (others.length > 0 && lengthOf(batch) > maxLength) {
        pending.unshift(...halves(batch))
        continue
      }
      const { outcome, response, bytes: bodyBytes } = await postUntilSettled(batch)
      if (outcome === 'accepted') {
        if (isQuotaLimited(response))
          throw new ImportError(
            'quota_limited',
            'The service accepts no more events of this project, because its quota is used up.',
          )
        hasAccepted = true
        batches++
        bytes += bodyBytes
        continue
      }
      if (outcome === 'timed_out') {
        maxLength = Math.max(MIN_TIMED_OUT_BATCH_LENGTH, Math.floor(lengthOf(batch) / 2))
        pending.unshift(...halves(batch))
        continue
      }
      if (response.status === 401 || response.status === 403)
        throw new ImportError('key_refused', `The service refuses the key: ${detailOf(response)}`)
      if (outcome === 'too_large') maxLength = Math.max(MIN_BATCH_LENGTH, Math.floor(lengthOf(batch) / 2))
      const badIndex = outcome === 'too_large' ? undefined : eventIndexOf(response, batch.length)
      if (badIndex !== undefined) {
        rejects.push(rejectEvent(batch[badIndex]!, 'rejected_by_service', detailOf(response)))
        pending.unshift(...[batch.slice(0, badIndex), batch.slice(badIndex + 1)].filter((part) => part.length > 0))
      } else if (others.length > 0) pending.unshift(...halves(batch))
      else {
        const reason = outcome === 'too_large' ? 'too_large' : 'rejected_by_service'
        rejects.push(rejectEvent(first, reason, detailOf(response)))
      }
      const refusesEverything = rejects.length > 1 && (rejects.length === events.length || areIdentical(rejects))
      if (!hasAccepted && refusesEverything) {
        throw new ImportError('events_refused', `The service refuses every event: ${rejects.at(-1)!.detail}`)
      }
    }
    return { batches, bytes, rejects }
  }
}

/** Returns whether the last events were all refused with the same message. */
const areIdentical = (rejects: readonly Reject[]): boolean => {
  const last = rejects.slice(-MAX_IDENTICAL_REFUSALS)
  return last.length === MAX_IDENTICAL_REFUSALS && last.every(({ detail }) => detail === last[0]!.detail)
}

interface BatchResult {
  /** `timed_out`: a slow link may need smaller requests. */
  readonly outcome: ResponseClass | 'timed_out'
  readonly response: PostResponse
  readonly bytes: number
}

const toJson = ({ json }: ImportEvent): string => json

const lengthOf = (batch: readonly ImportEvent[]): number => batch.reduce((sum, { json }) => sum + json.length + 1, 0)

const halves = (batch: readonly ImportEvent[]): (readonly ImportEvent[])[] => {
  const middle = Math.ceil(batch.length / 2)
  return [batch.slice(0, middle), batch.slice(middle)]
}

const rejectEvent = ({ row, rowJson }: ImportEvent, reason: RejectReason, detail: string): Reject => ({
  row,
  reason,
  detail,
  json: rowJson(),
})

/** Returns the index of the event that the service's error names (`batch[3].timestamp`); undefined if it names none. */
const eventIndexOf = (response: PostResponse, eventCount: number): number | undefined => {
  const { attr } = parseBody(response)
  const index = typeof attr === 'string' ? /^batch\[(\d+)\]/.exec(attr)?.[1] : undefined
  return index !== undefined && Number(index) < eventCount ? Number(index) : undefined
}

const parseBody = ({ body }: PostResponse): JsonObject => {
  const json = parseJson(body)
  return isRecord(json) ? json : {}
}

const detailOf = (response: PostResponse): string => {
  const { detail } = parseBody(response)
  return typeof detail === 'string' ? detail : `The response has status ${response.status}.`
}

/**
 * Returns whether the body is the service's own: `{"status":1}`, or `{"status":"Ok"}` of older versions. Agents accept less, but a history
 * is sent only once, and perhaps to the wrong URL.
 */
const isAcknowledgement = (response: PostResponse): boolean =>
  [1, 'Ok'].includes(parseBody(response)['status'] as number | string)

const isQuotaLimited = (response: PostResponse): boolean => {
  const limited = parseBody(response)['quota_limited']
  return Array.isArray(limited) && limited.includes('events')
}

const notTheService = ({ status }: PostResponse): ImportError =>
  new ImportError(
    'not_the_service',
    `The host is not the service: its response to a batch of events has status ${status}. Check the URL.`,
  )
