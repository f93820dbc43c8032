import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { SendAnswer } from '../port/send.ts'
import { Path } from '../wire/path.ts'
import { VERSION } from '../wire/version.ts'
import { messageOf, systemCode } from './import-error.ts'
import { startOfAnswer } from './start-of-answer.ts'

/** What came back; for status 0 also why nothing came. */
export interface PostAnswer extends SendAnswer {
  /** `ECONNREFUSED` and the like, or `LATE`. */
  readonly failure: string | null
}

/** Posts the JSON of one batch, which may be sent again as often as needed. Never rejects. */
export type Post = (body: Uint8Array<ArrayBuffer>) => Promise<PostAnswer>

/** How long one request may take: a service that is busy reads a body within seconds. */
const TIMEOUT_MS = 60_000

/** Why nothing came: the connection stood, and the time was over. A host that is not there fails to connect sooner, with a code. */
export const LATE: string = `no answer in ${TIMEOUT_MS / 1000} s`

/** Bytes of an answer that are read: no more than an error of the service has. */
const MOST_ANSWER = 100_000

/** The body as it travels. The thread pool packs it; the fastest level is as fast as the events are read. */
export const packed = async (json: string): Promise<Uint8Array<ArrayBuffer>> => promisify(gzip)(json, { level: 1 })

/** @param host Without a slash at its end. */
export const createPost =
  (host: string, fetcher: typeof fetch): Post =>
  async (body) => {
    try {
      const answer = await fetcher(host + Path.batch, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          'Content-Encoding': 'gzip',
          'User-Agent': `waymark-import/${VERSION}`,
        },
        body,
        // Behind a redirect answers somebody else (a login page), or nobody, for it turns a POST into a GET.
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      const { status, headers } = answer
      const text = await startOfAnswer(answer, MOST_ANSWER)
      return { status, body: text, retryAfter: headers.get('retry-after'), failure: null }
    } catch (error) {
      return { status: 0, body: '', retryAfter: null, failure: reasonOf(error) }
    }
  }

/** `fetch` says no more than that it failed; its cause says why. */
const reasonOf = (error: unknown): string =>
  isTimeout(error)
    ? LATE
    : systemCode(error) || messageOf(error instanceof Error && error.cause !== undefined ? error.cause : error)

const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === 'TimeoutError'
