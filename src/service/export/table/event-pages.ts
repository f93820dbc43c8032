import type { JsonObject } from '../../../wire/json.ts'
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
        ...(position.before !== null && { before: position.before }),
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

/** Where a page starts. */
interface Position {
  /** In ISO 8601; null for the first page. */
  readonly before: string | null
  /** The number of events of the last time that were read. */
  readonly offset: number
  /** Those of them that were in the last page. */
  readonly uuids: ReadonlySet<string>
}

const START: Position = { before: null, offset: 0, uuids: new Set() }

const timeOf = (row: readonly unknown[]): string => row.at(-2) as string
const uuidOf = (row: readonly unknown[]): string => row.at(-1) as string

const findNext = (position: Position, rows: readonly (readonly unknown[])[]): Position => {
  const lastTime = timeOf(rows.at(-1)!)
  const ofLastTime = rows.filter((row) => timeOf(row) === lastTime)
  const before = new Date(Date.parse(lastTime) + 1).toISOString()
  return {
    before,
    offset: ofLastTime.length + (before === position.before ? position.offset : 0),
    uuids: new Set(ofLastTime.map(uuidOf)),
  }
}
