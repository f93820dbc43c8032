import type { Logger } from '../../../port/logger.ts'
import type { LoadFailure, LoadResult } from './classify-definitions-response.ts'
import type { CurrentDefinitions } from './current-definitions.ts'
import { nextPollDelayMs } from './poll-interval.ts'

/** Applies the results of loads. In a run of failures only the first one, and each new reason, causes a warning. */
export interface ResultHandler {
  /** Takes loaded definitions into use, and reports a failure. */
  apply(result: LoadResult, retryAfterMs?: number): Promise<void>
  report(failure: LoadFailure): void
  /** Milliseconds from a load to the next one. */
  nextDelayMs(): number
  hasLastLoadSucceeded(): boolean
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
  let nextDelayMs = intervalMs
  /** Reason of the last reported failure, until a load succeeds. */
  let reportedReason: string | undefined
  let hasLastLoadSucceeded = false

  const report = ({ reason, detail }: LoadFailure): void => {
    const message = `flag definitions not loaded: ${detail ? `${reason}: ${detail}` : reason}`
    if (reportedReason === reason) logger.debug('definitions', message)
    else logger.warn(message)
    reportedReason = reason
  }

  return {
    async apply(result, retryAfterMs = 0) {
      const { kind } = result
      refusalCount = kind === 'refused' ? refusalCount + 1 : 0
      nextDelayMs = nextPollDelayMs(intervalMs, refusalCount, retryAfterMs)
      hasLastLoadSucceeded = !('reason' in result)
      if ('reason' in result) report(result)
      else reportedReason = undefined
      logger.debug('definitions', `flag definitions: ${kind}`)
      if (kind === 'loaded') await definitions.use(result.received)
      else if (kind === 'not_modified') definitions.setEtag(result.etag)
      else if (kind === 'quota_exceeded') {
        definitions.clear()
        onQuotaExceeded()
      }
    },
    report,
    nextDelayMs: () => nextDelayMs,
    hasLastLoadSucceeded: () => hasLastLoadSucceeded,
  }
}
