import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { SendResponse } from '../port/send.ts'
import { Path } from '../wire/path.ts'
import { VERSION } from '../wire/version.ts'
import { messageOf, systemErrorCode } from './import-error.ts'
import { readResponseStart } from './read-response-start.ts'

/** The response to a batch; with status 0, also the reason why there is none. */
export interface PostResponse extends SendResponse {
  /** A system error code such as `ECONNREFUSED`, or `TIMEOUT_FAILURE`; null if there was a response. */
  readonly failure: string | null
}

/** Posts the compressed JSON of one batch. Never rejects. The same body may be posted again. */
export type Post = (body: Uint8Array<ArrayBuffer>) => Promise<PostResponse>

/** How long one request may take. A busy service reads a body within seconds. */
const TIMEOUT_MS = 60_000

/** The failure of a request that connected but had no response in time. A host that is down fails to connect before that. */
export const TIMEOUT_FAILURE: string = `no response in ${TIMEOUT_MS / 1000} s`

/** Maximum bytes of a response that are read. An error of the service is smaller. */
const MAX_RESPONSE_BYTES = 100_000

/** Compresses a body in Node's thread pool. The fastest level keeps up with reading the input. */
export const compressBody = async (json: string): Promise<Uint8Array<ArrayBuffer>> =>
  promisify(gzip)(json, { level: 1 })

/** @param host URL of the service, without a slash at its end. */
export const createPostFunction =
  (host: string, fetcher: typeof fetch): Post =>
  async (body) => {
    try {
      const response = await fetcher(host + Path.batch, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          'Content-Encoding': 'gzip',
          'User-Agent': `waymark-import/${VERSION}`,
        },
        body,
        // A redirect leads to another site, for example a login page, and may turn the POST into a GET.
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      const { status, headers } = response
      const bodyStart = await readResponseStart(response, MAX_RESPONSE_BYTES)
      return { status, body: bodyStart, retryAfter: headers.get('retry-after'), failure: null }
    } catch (error) {
      return { status: 0, body: '', retryAfter: null, failure: describeFailure(error) }
    }
  }

/** The error of `fetch` only says that it failed; its cause says why. */
const describeFailure = (error: unknown): string =>
  isTimeout(error)
    ? TIMEOUT_FAILURE
    : systemErrorCode(error) || messageOf(error instanceof Error && error.cause !== undefined ? error.cause : error)

const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === 'TimeoutError'
