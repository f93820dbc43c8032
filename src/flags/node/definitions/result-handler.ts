import type { Logger } from '../../../port/logger.ts'
import type { LoadFailure, LoadResult } from './classify-definitions-response.ts'
import type { CurrentDefinitions } from './current-definitions.ts'
import { nextPollDelayMs } from './poll-interval.ts'

/** Applies the results of loads. In a run of failures only the first one, and each new reason, causes a warning. */
export interface ResultHandler {
  /** Takes loaded definitions into use, and reports a failure. */
  apply(result: LoadResult, retryAfterMs?: number): Promise<void>
  report(failure: LoadFailure): void
  /**
   * Call it when a stream is live: the service accepts the keys. It is not a load: the reported failure and the `Retry-After` of the last
   * load stay.
   */
  streamIsLive(): void
  /** Milliseconds from a load to the next one. */
  nextDelayMs(): number
  hasLastLoadSucceeded(): boolean
  /** Whether the last load succeeded or a stream has been live since, and the service has set no `Retry-After`. */
  canLoadAtOnce(): boolean
  /** Whether the service refused the last load (the keys, the rate or the quota), and no stream has been live since. */
  isRefused(): boolean
}

/**
 * @param intervalMs The usual time between two loads.
 * @param onQuotaExceeded Called when the definitions were removed, because the service delivers no more of them.
 */
export const createResultHandler = (
  definitions: CurrentDefinitions,
  intervalMs: number,
  logger: Logger,
  onQuotaExceeded: () => void,
): ResultHandler => {
  let refusalCount = 0
  /** The service's `Retry-After` in the last response to a load. */
  let lastRetryAfterMs = 0
  /** Reason of the last reported failure, until a load succeeds. */
  let reportedReason: string | undefined
  let hasLastLoadSucceeded = false
  let isRefused = false
  let isAccepted = false

  const report = ({ reason, detail }: LoadFailure): void => {
    const message = `flag definitions not loaded: ${detail ? `${reason}: ${detail}` : reason}`
    if (reportedReason === reason) logger.debug('definitions', message)
    else logger.warn(message)
    reportedReason = reason
  }

  const note = (result: LoadResult, retryAfterMs = 0): void => {
    const { kind } = result
    refusalCount = kind === 'refused' ? refusalCount + 1 : 0
    lastRetryAfterMs = retryAfterMs
    isAccepted = hasLastLoadSucceeded = !('reason' in result)
    isRefused = kind === 'refused' || kind === 'quota_exceeded'
    if ('reason' in result) report(result)
    else reportedReason = undefined
  }

  return {
    async apply(result, retryAfterMs) {
      const { kind } = result
      note(result, retryAfterMs)
      logger.debug('definitions', `flag definitions: ${kind}`)
      if (kind === 'loaded') await definitions.use(result.received)
      else if (kind === 'not_modified') definitions.setEtag(result.etag)
      else if (kind === 'quota_exceeded') {
        definitions.clear()
        onQuotaExceeded()
      }
    },
    report,
    streamIsLive() {
      isAccepted = true
      isRefused = false
      refusalCount = 0
    },
    nextDelayMs: () => nextPollDelayMs(intervalMs, refusalCount, lastRetryAfterMs),
    hasLastLoadSucceeded: () => hasLastLoadSucceeded,
    canLoadAtOnce: () => isAccepted && lastRetryAfterMs === 0,
    isRefused: () => isRefused,
  }
}
