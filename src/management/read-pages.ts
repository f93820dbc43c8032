import { ConnectionError } from './management-error.ts'
import type { Send } from './send.ts'

/** One page of a list. */
export interface ListPage<Item> {
  /** Number of items on all pages. */
  readonly count: number
  /** URL of the next page; null on the last. */
  readonly next: string | null
  readonly previous: string | null
  readonly results: readonly Item[]
}

/**
 * Reads the pages of a list, one request each, when the loop asks for them. Throws `ConnectionError` if the host answers other JSON.
 *
 * @param path Path and query of the first page.
 */
export const readPages = async function* (
  send: Send,
  path: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<ListPage<unknown>, void, undefined> {
  let next: string | null = path
  while (next !== null) {
    const page = (await send({ method: 'GET', path: next, signal })) as ListPage<unknown> | null
    if (!Array.isArray(page?.results))
      throw new ConnectionError(
        'not_the_service',
        'The host responded, but not with a list of the service. Check its URL.',
      )
    yield page
    // Only the query of the next URL: behind a proxy its origin may be another one, which must not get the key.
    next = page.next === null ? null : path.replace(/\?.*$/, '') + new URL(page.next).search
  }
}
