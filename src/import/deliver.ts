import { batchBody } from '../capture/batch.ts'
import type { Outcome } from '../capture/outcome.ts'
import { outcomeOf } from '../capture/outcome.ts'
import { isRecord } from '../wire/json.ts'
import type { JsonObject } from '../wire/json.ts'
import { parsed } from './cell-value.ts'
import { ImportError } from './import-error.ts'
import { LATE, packed } from './post.ts'
import type { Post, PostAnswer } from './post.ts'
import type { Reject, RejectReason } from './reject.ts'
import type { Retries } from './retries.ts'
import type { ImportEvent } from './windows.ts'

/** What came of a run of events. */
export interface Delivered {
  /** Requests that were acknowledged. */
  readonly batches: number
  /** Bytes of their bodies, as they went out. */
  readonly bytes: number
  /** Events that the service refused; all others are on its disk. */
  readonly rejects: readonly Reject[]
}

/** Sends events in their order, one request after the other. Throws `ImportError` when it is in vain; what was acknowledged before may be sent again. */
export type Deliver = (events: readonly ImportEvent[]) => Promise<Delivered>

export interface DeliverParts {
  readonly key: string
  readonly post: Post
  readonly retries: Retries
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Characters of events in the smallest batch that is still halved because a larger one was refused as too large. */
const SMALLEST_LENGTH = 1024

/** Of one that is still halved because the answer was late: a link that does not carry it in a minute is no link, and a service that hangs is not to get single events. */
const SMALLEST_LATE_LENGTH = 64 * 1024

/** Events that are refused alike, one after the other and before any was taken, until nothing more is tried: a proxy may answer 400 to everything. */
const MOST_REFUSED_ALIKE = 20

export const createDeliver = ({ key, post, retries, now }: DeliverParts): Deliver => {
  /** What the service, or a proxy before it, has been seen to refuse, or the link not to carry in time, is not tried again. */
  let mostLength = Number.POSITIVE_INFINITY
  let isKnownToAccept = false

  /** Asks until there is an answer that settles the matter. */
  const settle = async (run: readonly ImportEvent[]): Promise<Settled> => {
    const body = await packed(batchBody(key, run.map(jsonOf), now(), true))
    for (;;) {
      const answer = await post(body)
      const outcome = outcomeOf(answer)
      const isOther = outcome === 'wait' || (outcome === 'accepted' && !isOwn(answer))
      if (isOther && !isKnownToAccept) throw notTheService(answer)
      if (outcome !== 'retry' && outcome !== 'wait') {
        retries.over()
        return { outcome, answer, bytes: body.byteLength }
      }
      await retries.wait(answer)
      if (answer.failure === LATE && run.length > 1 && lengthOf(run) > SMALLEST_LATE_LENGTH) {
        return { outcome: 'late', answer, bytes: 0 }
      }
    }
  }

  return async (events) => {
    const rejects: Reject[] = []
    const runs: (readonly ImportEvent[])[] = events.length > 0 ? [events] : []
    let batches = 0
    let bytes = 0
    for (let run = runs.shift(); run !== undefined; run = runs.shift()) {
      const [first, ...others] = run as [ImportEvent, ...ImportEvent[]]
      if (others.length > 0 && lengthOf(run) > mostLength) {
        runs.unshift(...halves(run))
        continue
      }
      const { outcome, answer, bytes: size } = await settle(run)
      if (outcome === 'accepted') {
        if (isQuotaLimited(answer))
          throw new ImportError(
            'quota_limited',
            'The service takes no more events of this project: its quota is used up.',
          )
        isKnownToAccept = true
        batches++
        bytes += size
        continue
      }
      if (outcome === 'late') {
        mostLength = Math.max(SMALLEST_LATE_LENGTH, Math.floor(lengthOf(run) / 2))
        runs.unshift(...halves(run))
        continue
      }
      if (answer.status === 401 || answer.status === 403)
        throw new ImportError('key_refused', `The service refuses the key: ${detailOf(answer)}`)
      if (outcome === 'too_large') mostLength = Math.max(SMALLEST_LENGTH, Math.floor(lengthOf(run) / 2))
      const named = outcome === 'too_large' ? undefined : namedPlace(answer, run.length)
      if (named !== undefined) {
        rejects.push(rejected(run[named]!, 'rejected_by_service', detailOf(answer)))
        runs.unshift(...[run.slice(0, named), run.slice(named + 1)].filter((part) => part.length > 0))
      } else if (others.length > 0) runs.unshift(...halves(run))
      else
        rejects.push(rejected(first, outcome === 'too_large' ? 'too_large' : 'rejected_by_service', detailOf(answer)))
      const isInVain = rejects.length > 1 && (rejects.length === events.length || areAlike(rejects))
      if (!isKnownToAccept && isInVain) {
        throw new ImportError('events_refused', `The service refuses every event: ${rejects.at(-1)!.detail}`)
      }
    }
    return { batches, bytes, rejects }
  }
}

/** Whether the last ones were refused in the same words. */
const areAlike = (rejects: readonly Reject[]): boolean => {
  const last = rejects.slice(-MOST_REFUSED_ALIKE)
  return last.length === MOST_REFUSED_ALIKE && last.every(({ detail }) => detail === last[0]!.detail)
}

interface Settled {
  /** `late`: a slow link may need smaller requests. */
  readonly outcome: Outcome | 'late'
  readonly answer: PostAnswer
  readonly bytes: number
}

const jsonOf = ({ value }: ImportEvent): string => value

const lengthOf = (run: readonly ImportEvent[]): number => run.reduce((sum, { value }) => sum + value.length + 1, 0)

const halves = (run: readonly ImportEvent[]): (readonly ImportEvent[])[] => {
  const middle = Math.ceil(run.length / 2)
  return [run.slice(0, middle), run.slice(middle)]
}

const rejected = ({ row, rowJson }: ImportEvent, reason: RejectReason, detail: string): Reject => ({
  row,
  reason,
  detail,
  json: rowJson(),
})

/** The place in the batch that the service's error is about (`batch[3].timestamp`); undefined for none. */
const namedPlace = (answer: PostAnswer, count: number): number | undefined => {
  const { attr } = errorOf(answer)
  const place = typeof attr === 'string' ? /^batch\[(\d+)\]/.exec(attr)?.[1] : undefined
  return place !== undefined && Number(place) < count ? Number(place) : undefined
}

const errorOf = ({ body }: PostAnswer): JsonObject => {
  const error = parsed(body)
  return isRecord(error) ? error : {}
}

const detailOf = (answer: PostAnswer): string => {
  const { detail } = errorOf(answer)
  return typeof detail === 'string' ? detail : `It answers ${answer.status}.`
}

/** `{"status":1}`, in older words "Ok". Agents are content with less; but a history is sent once, perhaps to the wrong place. */
const isOwn = (answer: PostAnswer): boolean => [1, 'Ok'].includes(errorOf(answer)['status'] as number | string)

const isQuotaLimited = (answer: PostAnswer): boolean => {
  const limited = errorOf(answer)['quota_limited']
  return Array.isArray(limited) && limited.includes('events')
}

const notTheService = ({ status }: PostAnswer): ImportError =>
  new ImportError(
    'not_the_service',
    `What answers at the host is not the service: it answers ${status} to a batch of events.`,
  )
