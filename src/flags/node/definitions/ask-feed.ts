import type { Send, SendAnswer } from '../../../port/send.ts'
import type { DefinitionsOptions } from './options.ts'

/** Where definitions are served: today, and in the protocol's first generation. */
const PATHS = ['/flags/definitions', '/api/feature_flag/local_evaluation'] as const

/** The most bytes of definitions. Cohorts make them long: as long as those that a stream brings. */
const MAX_BYTES = 64 * 1024 * 1024

/** A service without the path. */
const isNotThere = (status: number): boolean => [404, 405, 410].includes(status)

type Asked = Pick<DefinitionsOptions, 'host' | 'apiKey' | 'personalApiKey'>

/** The address of definitions, with the cohorts that they look at. */
export const feedUrl = ({ host, apiKey }: Asked, path: string): string =>
  `${host}${path}?token=${encodeURIComponent(apiKey)}&send_cohorts`

/** The one place where the personal key is sent. */
export const authorization = ({ personalApiKey = '' }: Asked): { readonly Authorization: string } => ({
  Authorization: `Bearer ${personalApiKey.trim()}`,
})

/**
 * Asks for the definitions.
 *
 * @param etag Of those that are held: the same ones are answered by 304.
 */
export type AskFeed = (etag: string | undefined) => Promise<SendAnswer>

/** A service that has them elsewhere only is found out once, and then asked there. */
export const createAskFeed = (send: Send, options: DefinitionsOptions): AskFeed => {
  let path: (typeof PATHS)[number] = PATHS[0]
  const ask = (at: string, etag: string | undefined): Promise<SendAnswer> =>
    send({
      url: feedUrl(options, at),
      body: '',
      contentType: '',
      headers: { ...authorization(options), ...(etag !== undefined && { 'If-None-Match': etag }) },
      timeoutMs: options.requestTimeout,
      maxBytes: MAX_BYTES,
    })

  return async (etag) => {
    const answer = await ask(path, etag)
    if (!isNotThere(answer.status)) return answer
    const other = PATHS[path === PATHS[0] ? 1 : 0]
    const otherAnswer = await ask(other, etag)
    if (isNotThere(otherAnswer.status)) return answer
    if (otherAnswer.status === 200) path = other
    return otherAnswer
  }
}
