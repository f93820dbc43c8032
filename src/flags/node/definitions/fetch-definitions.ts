import type { Send, SendResponse } from '../../../port/send.ts'
import { isMissingPath } from '../../../lib/is-missing-path.ts'
import type { DefinitionsOptions } from './definitions-options.ts'

/** Paths of the definitions: of the current protocol, and of its first generation. */
const PATHS = ['/flags/definitions', '/api/feature_flag/local_evaluation'] as const

/** Maximum size of a response: cohorts make definitions large. The stream has the same limit per message. */
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024

type RequestTarget = Pick<DefinitionsOptions, 'host' | 'apiKey' | 'personalApiKey'>

/** The URL of the definitions, including the cohorts that they use. */
export const definitionsUrl = ({ host, apiKey }: RequestTarget, path: string): string =>
  `${host}${path}?token=${encodeURIComponent(apiKey)}&send_cohorts`

/** Returns the header with the personal API key. No other part of a request contains the key. */
export const authorizationHeader = ({ personalApiKey = '' }: RequestTarget): { readonly Authorization: string } => ({
  Authorization: `Bearer ${personalApiKey.trim()}`,
})

/**
 * Requests the definitions.
 *
 * @param etag Tag of the definitions in use: if they are still current, the service responds 304.
 */
export type FetchDefinitions = (etag: string | undefined) => Promise<SendResponse>

/** Tries the other path if the service does not have the first one, and remembers the path that worked. */
export const createFetchDefinitions = (send: Send, options: DefinitionsOptions): FetchDefinitions => {
  let path: (typeof PATHS)[number] = PATHS[0]
  const fetchFrom = (fromPath: string, etag: string | undefined): Promise<SendResponse> =>
    send({
      url: definitionsUrl(options, fromPath),
      body: '',
      contentType: '',
      headers: { ...authorizationHeader(options), ...(etag !== undefined && { 'If-None-Match': etag }) },
      noStore: true,
      timeoutMs: options.requestTimeout,
      maxResponseBytes: MAX_RESPONSE_BYTES,
    })

  return async (etag) => {
    const response = await fetchFrom(path, etag)
    if (!isMissingPath(response.status)) return response
    const otherPath = PATHS[path === PATHS[0] ? 1 : 0]
    const otherResponse = await fetchFrom(otherPath, etag)
    if (isMissingPath(otherResponse.status)) return response
    if (otherResponse.status === 200) path = otherPath
    return otherResponse
  }
}
