import type { ResolvedOptions } from './client-options.ts'
import { ConnectionError, ManagementError } from './management-error.ts'
import { readResponse } from './read-response.ts'
import { retryDelayMs } from './retry-delay.ts'
import { sleep } from './sleep.ts'

/** One request of the management API. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path and query, from the first slash on. */
  readonly path: string
  /** Sent as JSON. */
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
  /** Whether the request may be repeated after a failure. Default: by its method. */
  readonly isRepeatable?: boolean
}

/**
 * Sends a request, repeats it after a failure if that is safe, and returns the parsed response. Rejects with `ManagementError`, or with
 * the reason of the signal.
 */
export type Send = (request: ApiRequest) => Promise<unknown>

/** Methods that have the same effect when they are repeated (RFC 9110 9.2.2). */
const REPEATABLE_METHODS: ReadonlySet<string> = new Set(['GET', 'PUT', 'DELETE'])

/** Creates the function that sends all requests of a client. */
export const createSend = (options: ResolvedOptions): Send => {
  const attempt = createAttempt(options)
  return async (request) => {
    const { signal, isRepeatable = REPEATABLE_METHODS.has(request.method) } = request
    const maxFailures = isRepeatable ? options.maxRetries : 0
    for (let failures = 1; ; failures++) {
      try {
        return await attempt(request)
      } catch (error) {
        if (!(error instanceof ManagementError) || failures > maxFailures) throw error
        const delayMs = retryDelayMs(error, failures, Math.random())
        if (delayMs === null) throw error
        await sleep(delayMs, signal)
      }
    }
  }
}

const createAttempt =
  ({ host, personalApiKey, timeoutMs, fetch }: ResolvedOptions): Send =>
  async ({ method, path, body, signal }) => {
    signal?.throwIfAborted()
    const timeout = AbortSignal.timeout(timeoutMs)
    try {
      const response = await fetch(host + path, {
        method,
        headers: {
          authorization: `Bearer ${personalApiKey}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        // A redirect would lead the request to another site.
        redirect: 'manual',
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      })
      return await readResponse(response, Date.now())
    } catch (error) {
      if (error instanceof ManagementError) throw error
      signal?.throwIfAborted()
      if (timeout.aborted) throw new ConnectionError('timeout', `There was no response in ${timeoutMs} ms.`)
      throw new ConnectionError('unreachable', `${new URL(host).host} cannot be reached${describe(error)}.`, {
        cause: error,
      })
    }
  }

/** The error of Node's `fetch` only says that it failed; the code of its cause says why. */
const describe = (error: unknown): string => {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : ''
}
