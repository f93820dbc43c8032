import { describeError } from '../../evaluate/describe-error.ts'
import { pause } from '../../lib/pause.ts'
import type { SendResponse } from '../../port/send.ts'
import type { FlagDetail } from '../../wire/decide.ts'
import { createFetchFlags } from '../fetch-flags.ts'
import type { FlagsApi } from '../flags-options.ts'
import type { NodeFlagsOptions } from './node-flags-options.ts'
import type { NodeFlagsPorts } from './node-flags-ports.ts'
import type { FlagsSubject } from './flags-subject.ts'

/** Facts about an evaluation as a whole. */
export interface EvaluationInfo {
  /** What went wrong, as values of `$feature_flag_error`. */
  readonly errors: readonly string[]
  /** True: a flag without a value is unknown, not missing, because the evaluation failed. */
  readonly isIncomplete: boolean
  readonly requestId?: string | undefined
  /** True: the service wants `$feature_flag_called` with few properties for flags without an experiment. */
  readonly isMinimal?: boolean | undefined
}

export interface RemoteFlagsResponse extends EvaluationInfo {
  readonly flags: Readonly<Record<string, FlagDetail>>
}

/** Requests flags from the service; caches nothing. */
export interface RemoteFlags {
  /** Never rejects. @param keys The flags to evaluate; undefined: all. */
  fetchFlags(subject: FlagsSubject, keys: readonly string[] | undefined): Promise<RemoteFlagsResponse>
  /** Aborts requests and retries; later calls send no request. */
  stop(): void
}

const createFailedResponse = (...errors: readonly string[]): RemoteFlagsResponse => ({
  flags: {},
  errors,
  isIncomplete: true,
})

export const createRemoteFlags = (
  options: NodeFlagsOptions,
  { clock, send, logger, isOptedOut }: Pick<NodeFlagsPorts, 'clock' | 'send' | 'logger' | 'isOptedOut'>,
): RemoteFlags => {
  const contexts = options.evaluationContexts?.length ? options.evaluationContexts : undefined
  /** The API generation that the service has; undefined while the configured one works. */
  let api: FlagsApi | undefined
  let isFailing = false
  let hasWarnedOfRequest = false
  let isStopped = false
  const canSend = (): boolean => !isStopped && !isOptedOut()

  /** Abort functions of the requests in flight and of the pauses before retries. */
  const aborts = new Set<() => void>()
  /** What came instead of the last response, if that is known. */
  let failure: SendResponse['failure']
  const fetchFlags = createFetchFlags(
    (ms) => pause(clock, ms, aborts),
    async (request) => {
      const response = await send({ ...request, contentType: 'application/json', noStore: true, aborts })
      failure = response.failure
      return response
    },
    {
      ...options,
      requestTimeout: options.featureFlagsRequestTimeoutMs,
    },
  )

  const warnOfFailure = (errors: readonly string[]): void => {
    if (!isFailing) logger.warn(`the request for feature flags failed: ${failure ?? errors.join()}`)
    isFailing = true
  }

  return {
    async fetchFlags(subject, keys) {
      if (!canSend()) return createFailedResponse()
      try {
        const body = {
          ...subject,
          flag_keys_to_evaluate: keys,
          evaluation_contexts: contexts,
          evaluation_runtime: 'server',
        }
        const { snapshot, errors, isFailed } = await fetchFlags({ api }, body, canSend)
        if (isFailed) {
          if (canSend()) warnOfFailure(errors)
          return createFailedResponse(...errors)
        }
        isFailing = false
        api = snapshot.api
        return {
          flags: snapshot.flags ?? {},
          errors,
          isIncomplete: false,
          requestId: snapshot.requestId,
          isMinimal: snapshot.isMinimal,
        }
      } catch (error) {
        // The likely cause is a property that JSON cannot represent. Every read may have it, so only the first failure causes a warning.
        if (!hasWarnedOfRequest) logger.warn(`the request for feature flags cannot be built: ${describeError(error)}`)
        hasWarnedOfRequest = true
        return createFailedResponse('unknown_error')
      }
    },
    stop() {
      isStopped = true
      for (const abort of aborts) abort()
    },
  }
}
