import type { JsonObject } from '../../../wire/json.ts'
import type { PagePosition } from '../../insight/events/next-position.ts'
import { findNextPosition } from '../../insight/events/next-position.ts'
import { toIsoTime } from '../../to-iso-time.ts'
import type { AskList, ListPage } from './ask-page.ts'
import { askPage } from './ask-page.ts'

/** Events that are read at once. Each may have a megabyte. */
const PAGE_SIZE = 500

/** Columns that tell where the next page starts, besides those of the query. */
const POSITION_COLUMNS = ['timestamp', 'uuid']

/**
 * Reads events, newest first, in pages; there is always one. Each page starts at the time of the last event of the one before it, so that
 * a page takes the same time however many were read, and events that arrive meanwhile move nothing.
 *
 * @param query An `EventsQuery` without `orderBy` and `offset`. Its `limit` is that of all pages together; default: none.
 */
export const readEventPages = async function* (
  { limit, select, ...query }: JsonObject,
  ask: AskList,
): AsyncGenerator<ListPage, void> {
  const columns = select as readonly string[]
  let remaining = typeof limit === 'number' ? limit : Infinity
  let position = START
  while (remaining > 0) {
    const page = await askPage(
      ask,
      {
        ...query,
        select: [...columns, ...POSITION_COLUMNS],
        ...(position.before !== undefined && { before: toIsoTime(position.before) }),
        offset: position.offset,
      },
      Math.min(PAGE_SIZE, remaining),
    )
    // An event of the same time that arrived meanwhile moves those after it.
    const rows = page.results.filter((row) => !position.uuids.has(uuidOf(row)))
    yield { columns, results: rows.map((row) => row.slice(0, columns.length)), hasMore: page.hasMore }
    if (!page.hasMore) return
    remaining -= rows.length
    position = findNext(position, page.results)
  }
}

interface Position extends PagePosition {
  /** The events of the last page. */
  readonly uuids: ReadonlySet<string>
}

const START: Position = { offset: 0, uuids: new Set() }

const timeOf = (row: readonly unknown[]): number => Date.parse(row.at(-2) as string)
const uuidOf = (row: readonly unknown[]): string => row.at(-1) as string

const findNext = (position: Position, rows: readonly (readonly unknown[])[]): Position => ({
  ...findNextPosition(position, rows.map(timeOf)),
  uuids: new Set(rows.map(uuidOf)),
})
