import type { Send } from '../port/send.ts'
import { stringify } from '../lib/stringify.ts'
import type { DecideRequest } from '../wire/decide.ts'
import { isMissingPath } from '../lib/is-missing-path.ts'
import { Path } from '../wire/path.ts'
import type { FlagSnapshot } from './flag-snapshot.ts'
import type { FlagsOptions } from './flags-options.ts'
import { parseFlagsResponse } from './parse-flags-response.ts'

/** Delay before the first retry, in milliseconds; doubles each time. */
const RETRY_BASE_MS = 300

/** The result of one fetch. */
export interface FetchedFlags {
  /** The previous snapshot with the changes of the response. */
  readonly snapshot: FlagSnapshot
  /** What is wrong with the response, or why there is none: values of `$feature_flag_error`. */
  readonly errors: readonly string[]
  /** True when there was no usable response. */
  readonly isFailed: boolean
  /** True when something other than the response, such as the definitions, failed to load. The next `wake` then loads again. */
  readonly isIncomplete?: boolean
}

/**
 * Fetches flags from the service.
 *
 * @param subject The request body without the key.
 * @param isCurrent Returns false when the response is no longer needed. Then no further request is sent.
 * @returns Never rejects.
 */
export type FetchFlags = (
  snapshot: FlagSnapshot,
  subject: DecideRequest,
  isCurrent: () => boolean,
) => Promise<FetchedFlags>

/**
 * Creates a client of both generations of the flag endpoint. A `/decide` response contains the remote config. For `/flags` the
 * config is loaded first, once per page and user; a project without flags then gets no flag request. Snapshots without an owner
 * (callers that evaluate many users) need no remote config, so none is loaded.
 *
 * A request is retried, with the same body, only without a response or after 502 or 504.
 *
 * @param pause Waits before a retry, in milliseconds; resolves early when the response is no longer needed.
 */
export const createFetchFlags = (
  pause: (ms: number) => Promise<void>,
  send: Send,
  options: Pick<FlagsOptions, 'host' | 'apiKey' | 'flagsApi' | 'requestTimeout' | 'featureFlagsRequestMaxRetries'>,
): FetchFlags => {
  const { host, apiKey, flagsApi: defaultApi = 'decide' } = options
  /** The user whose remote config was requested. A service without remote config gets only one such request. */
  let configuredOwner: string | undefined

  return async (snapshot, subject, isCurrent) => {
    let api = snapshot.api ?? defaultApi

    /** @param body Empty: a GET request. */
    const request = async (
      path: string,
      body = '',
    ): Promise<{ status: number; errors: readonly string[] | undefined }> => {
      for (let retry = 0; ; retry++) {
        if (!isCurrent()) return { status: 0, errors: undefined }
        // text/plain keeps the request CORS-simple, without a preflight.
        const response = await send({
          url: host + path,
          body,
          contentType: 'text/plain',
          timeoutMs: options.requestTimeout,
        })
        const { status } = response
        if ([0, 502, 504].includes(status) && retry < options.featureFlagsRequestMaxRetries && isCurrent())
          await pause(RETRY_BASE_MS << retry)
        else {
          const parsed = status === 200 ? parseFlagsResponse(response.body, snapshot) : undefined
          if (parsed) snapshot = { ...snapshot, ...parsed.changes, api: api === defaultApi ? undefined : api }
          return { status, errors: parsed?.errors }
        }
      }
    }
    const requestFlags = (): ReturnType<typeof request> =>
      api === 'decide'
        ? request(Path.decide, stringify({ api_key: apiKey, ...subject }))
        : request(Path.flags, stringify({ token: apiKey, ...subject }))

    if (api === 'flags' && configuredOwner !== snapshot.owner) {
      const { status, errors } = await request(Path.config(apiKey))
      const isWithoutFlags = snapshot.config?.hasFeatureFlags === false
      // A project without flags is checked again each time, because flags may be added later.
      if (errors ? !isWithoutFlags : status && status < 500) configuredOwner = snapshot.owner
      if (isWithoutFlags) return { snapshot: { ...snapshot, flags: {} }, errors: [], isFailed: false }
    }

    let result = await requestFlags()
    if (isMissingPath(result.status)) {
      api = api === 'decide' ? 'flags' : 'decide'
      result = await requestFlags()
    }
    const { status, errors } = result
    return {
      snapshot,
      errors: errors ?? [status ? `api_error_${status}` : 'connection_error'],
      isFailed: !errors,
    }
  }
}
