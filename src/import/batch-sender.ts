import { createBatchBody } from '../capture/batch.ts'
import type { ResponseClass } from '../capture/classify-response.ts'
import { classifyResponse } from '../capture/classify-response.ts'
import { isRecord } from '../wire/json.ts'
import type { JsonObject } from '../wire/json.ts'
import { parseJson } from '../wire/parse-json.ts'
import { ImportError } from './import-error.ts'
import { TIMEOUT_FAILURE, compressBody } from './post.ts'
import type { Post, PostResponse } from './post.ts'
import type { Reject, RejectReason } from './reject.ts'
import type { Retries } from './retries.ts'
import type { ImportEvent } from './row-batches.ts'

/** The result of delivering events. */
export interface DeliveryResult {
  /** Requests that were acknowledged. */
  readonly requestCount: number
  /** Bytes of the bodies of these requests, after compression. */
  readonly bytesSent: number
  /** Events that the service refused; all others are on its disk. */
  readonly rejects: readonly Reject[]
}

/**
 * Sends events in order, one request after the other. Waits while the service is down, and splits batches that are too large.
 *
 * @throws {ImportError} If the service cannot take the events. Some may have been acknowledged; sending them again is safe.
 */
export type BatchSender = (events: readonly ImportEvent[]) => Promise<DeliveryResult>

export interface BatchSenderParts {
  readonly key: string
  readonly post: Post
  readonly retries: Retries
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * Characters of JSON. A batch that got a 413 lowers the maximum length of later batches to half of its own, but not below this.
 */
const MIN_BATCH_LENGTH = 1024

/**
 * The same minimum after timeouts. A connection that cannot transfer 64 KB in a minute is unusable, and a service that hangs must not get
 * single events.
 */
const MIN_TIMED_OUT_BATCH_LENGTH = 64 * 1024

/** The import fails after this many identical refusals in a row, if no event was accepted before. A proxy may respond 400 to everything. */
const MAX_IDENTICAL_REFUSALS = 20

export const createBatchSender = ({ key, post, retries, now }: BatchSenderParts): BatchSender => {
  /** Characters of JSON in the largest batch that is sent whole. A batch too large for the service, a proxy or the connection lowers it. */
  let maxLength = Number.POSITIVE_INFINITY
  let hasAccepted = false

  /** Posts a batch, with retries, until a response settles it. */
  const postUntilSettled = async (batch: readonly ImportEvent[]): Promise<BatchResult> => {
    const body = await compressBody(
      createBatchBody({ apiKey: key, historicalMigration: true }, batch.map(toJson), now()),
    )
    for (;;) {
      const response = await post(body)
      const outcome = classifyResponse(response)
      const isOtherHost = outcome === 'wait' || (outcome === 'accepted' && !isAcknowledgement(response))
      if (isOtherHost && !hasAccepted) throw createNotTheServiceError(response)
      if (outcome !== 'retry' && outcome !== 'wait') {
        retries.reset()
        return { outcome, response, bodyBytes: body.byteLength }
      }
      await retries.wait(response)
      const canSplit = batch.length > 1 && jsonLength(batch) > MIN_TIMED_OUT_BATCH_LENGTH
      if (response.failure === TIMEOUT_FAILURE && canSplit) return { outcome: 'timed_out', response, bodyBytes: 0 }
    }
  }

  return async (events) => {
    const rejects: Reject[] = []
    const pendingBatches: (readonly ImportEvent[])[] = events.length > 0 ? [events] : []
    let requestCount = 0
    let bytesSent = 0
    for (let batch = pendingBatches.shift(); batch !== undefined; batch = pendingBatches.shift()) {
      const isSingleEvent = batch.length === 1
      if (!isSingleEvent && jsonLength(batch) > maxLength) {
        pendingBatches.unshift(...halves(batch))
        continue
      }
      const { outcome, response, bodyBytes } = await postUntilSettled(batch)
      if (outcome === 'accepted') {
        if (isQuotaLimited(response))
          throw new ImportError(
            'quota_limited',
            'The service accepts no more events of this project, because its quota is used up.',
          )
        hasAccepted = true
        requestCount++
        bytesSent += bodyBytes
        continue
      }
      if (outcome === 'timed_out') {
        maxLength = Math.max(MIN_TIMED_OUT_BATCH_LENGTH, Math.floor(jsonLength(batch) / 2))
        pendingBatches.unshift(...halves(batch))
        continue
      }
      if (response.status === 401 || response.status === 403)
        throw new ImportError('key_refused', `The service refuses the key: ${readDetail(response)}`)
      if (outcome === 'too_large') maxLength = Math.max(MIN_BATCH_LENGTH, Math.floor(jsonLength(batch) / 2))
      const badIndex = outcome === 'too_large' ? undefined : findEventIndex(response, batch.length)
      if (badIndex !== undefined) {
        rejects.push(rejectEvent(batch[badIndex]!, 'rejected_by_service', readDetail(response)))
        pendingBatches.unshift(
          ...[batch.slice(0, badIndex), batch.slice(badIndex + 1)].filter((remainder) => remainder.length > 0),
        )
      } else if (!isSingleEvent) pendingBatches.unshift(...halves(batch))
      else {
        const reason = outcome === 'too_large' ? 'too_large' : 'rejected_by_service'
        rejects.push(rejectEvent(batch[0]!, reason, readDetail(response)))
      }
      const refusesEverything = rejects.length > 1 && (rejects.length === events.length || areIdentical(rejects))
      if (!hasAccepted && refusesEverything) {
        throw new ImportError('events_refused', `The service refuses every event: ${rejects.at(-1)!.detail}`)
      }
    }
    return { requestCount, bytesSent, rejects }
  }
}

/** Returns whether the last `MAX_IDENTICAL_REFUSALS` rejects have the same message. */
const areIdentical = (rejects: readonly Reject[]): boolean => {
  const last = rejects.slice(-MAX_IDENTICAL_REFUSALS)
  return last.length === MAX_IDENTICAL_REFUSALS && last.every(({ detail }) => detail === last[0]!.detail)
}

interface BatchResult {
  /** `timed_out`: a slow connection may need smaller requests. */
  readonly outcome: ResponseClass | 'timed_out'
  readonly response: PostResponse
  /** Size of the request body after compression. */
  readonly bodyBytes: number
}

const toJson = ({ json }: ImportEvent): string => json

const jsonLength = (batch: readonly ImportEvent[]): number => batch.reduce((sum, { json }) => sum + json.length + 1, 0)

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
const findEventIndex = (response: PostResponse, eventCount: number): number | undefined => {
  const { attr } = parseBody(response)
  const index = typeof attr === 'string' ? /^batch\[(\d+)\]/.exec(attr)?.[1] : undefined
  return index !== undefined && Number(index) < eventCount ? Number(index) : undefined
}

const parseBody = ({ body }: PostResponse): JsonObject => {
  const json = parseJson(body)
  return isRecord(json) ? json : {}
}

const readDetail = (response: PostResponse): string => {
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

const createNotTheServiceError = ({ status }: PostResponse): ImportError =>
  new ImportError(
    'not_the_service',
    `The host is not the service: its response to a batch of events has status ${status}. Check the URL.`,
  )
