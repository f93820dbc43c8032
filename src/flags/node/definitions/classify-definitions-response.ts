import type { SendResponse } from '../../../port/send.ts'
import type { FlagDefinitions } from '../../../wire/definition.ts'
import { parseJson } from '../../../wire/parse-json.ts'

/** Definitions from the service or from a cache. */
export interface ReceivedDefinitions {
  readonly definitions: FlagDefinitions
  /** The JSON of the definitions, to detect equal ones. */
  readonly json: string
  /** The service's entity tag (ETag) of the definitions. */
  readonly etag: string | undefined
}

/** Why definitions were not loaded. */
export interface LoadFailure {
  readonly reason: string
  /** The service's or the cache's own message. It may vary ("available in 59 seconds") while the reason stays the same. */
  readonly detail?: string | undefined
}

/** What a response or a read of the cache means. */
export type LoadResult =
  | { readonly kind: 'loaded'; readonly received: ReceivedDefinitions }
  /** The current definitions are up to date. `etag` may be a new tag. */
  | { readonly kind: 'not_modified'; readonly etag: string | undefined }
  /** Local evaluation stops until the service sends definitions again. */
  | ({ readonly kind: 'quota_exceeded' } & LoadFailure)
  /** The service refuses the keys, or limits the rate: the current definitions stay and polling slows down. */
  | ({ readonly kind: 'refused' } & LoadFailure)
  /** The current definitions stay. */
  | ({ readonly kind: 'failed' } & LoadFailure)

/** @param current The definitions whose tag was sent with the request; undefined if there are none. */
export const classifyDefinitionsResponse = (
  { status, body, etag, failure: cause }: Pick<SendResponse, 'status' | 'body' | 'etag' | 'failure'>,
  current: Pick<ReceivedDefinitions, 'etag'> | undefined,
): LoadResult => {
  if (status === 200) return parseDefinitions(body, etag ?? undefined)
  if (status === 304 && current) return { kind: 'not_modified', etag: etag ?? current.etag }
  const detail = readDetail(body)
  const failure = { reason: status ? `status ${status}` : (cause ?? 'no response'), detail }
  if (status === 402) return { kind: 'quota_exceeded', ...failure }
  // The service answers 404 if the personal API key may see no project with this project API key. A proxy's 404 has no such body.
  const isRefused = [401, 403, 429].includes(status) || (status === 404 && detail !== undefined)
  return { kind: isRefused ? 'refused' : 'failed', ...failure }
}

export const parseDefinitions = (json: string, etag: string | undefined): LoadResult => {
  const definitions = parseJson(json)
  return isDefinitions(definitions)
    ? { kind: 'loaded', received: { definitions, json, etag } }
    : { kind: 'failed', reason: 'the response has no flag definitions' }
}

/** Checks for `flags` only: the other members are optional. */
export const isDefinitions = (value: unknown): value is FlagDefinitions =>
  Array.isArray((value as Partial<FlagDefinitions> | null | undefined)?.flags)

/** Maximum characters of a response's `detail` in a warning. */
const MAX_DETAIL_LENGTH = 200

/** The `detail` of an API error. */
const readDetail = (body: string): string | undefined => {
  const detail = (parseJson(body) as { readonly detail?: unknown } | null | undefined)?.detail
  return typeof detail === 'string' ? detail.slice(0, MAX_DETAIL_LENGTH) : undefined
}
