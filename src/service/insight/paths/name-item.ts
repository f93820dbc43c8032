import type { ItemRules } from '../question/paths.ts'
import { createGlobTest } from './glob.ts'

/** A number or a UUID between two slashes of a path. */
const ID = /\/(?:\d+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?=\/|$)/gi

/** What follows the path of a URL. */
const QUERY = /[?#][^]*/

/**
 * Names the item that a value of an event stands for; null for one that does not count.
 *
 * @param isUrl A URL is the same page with and without a slash at its end.
 */
export type NameItem = (value: string, isUrl: boolean) => string | null

export const createNameItem = ({ replacesIds, groupings, excluded }: Omit<ItemRules, 'types'>): NameItem => {
  const globs = groupings.map((glob) => ({ glob, matches: createGlobTest(glob) }))
  const excludedItems = new Set(excluded)
  return (value, isUrl) => {
    const page = isUrl ? withoutSlash(value) : value
    const item = replacesIds ? replaceIds(page) : page
    const grouped = globs.find(({ matches }) => matches(item))?.glob ?? item
    return excludedItems.has(grouped) ? null : grouped
  }
}

/** The URL of a page without the slash at its end. */
export const withoutSlash = (url: string): string => (url.length > 1 && url.endsWith('/') ? url.slice(0, -1) : url)

const replaceIds = (item: string): string => {
  const query = QUERY.exec(item)?.[0] ?? ''
  return item.slice(0, item.length - query.length).replace(ID, '/:id') + query
}
