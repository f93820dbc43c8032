import { isJson } from '../is-json.ts'
import type { InboxRow } from '../store/inbox/inbox.ts'
import { PAGE_BYTES, writeInboxFile } from '../store/inbox/inbox-file.ts'
import { cellsIn } from './read-cells.ts'
import type { Cell } from './read-cells.ts'
import { openPages } from './read-pages.ts'
import type { Pages } from './read-pages.ts'

/** What a salvage of an inbox found. */
export interface SalvagedRows {
  readonly rows: number
  /** The first and the last id that was read; null without rows. */
  readonly ids: { readonly first: number; readonly last: number } | null
  /** Ids between them of which no row was found, as `[first, last]`. */
  readonly missing: readonly (readonly [number, number])[]
}

/**
 * Copies every row of an inbox file that can be made out into a new one, with its id. The file is read page by page, so a
 * damaged page costs the rows in it and no others. Rows that were deleted not long ago may come back: they are stored, and
 * the stores pass over them.
 */
export const salvageInbox = (from: string, to: string): SalvagedRows => {
  const pages = openPages(from, PAGE_BYTES)
  try {
    const places = placesOf(pages)
    const ids = [...places.keys()].toSorted((a, b) => a - b)
    writeInboxFile(to, readAll(pages, ids, places))
    const [first] = ids
    return {
      rows: ids.length,
      ids: first === undefined ? null : { first, last: ids.at(-1)! },
      missing: ids.flatMap((id, index) => {
        const before = ids[index - 1] ?? id - 1
        return id === before + 1 ? [] : [[before + 1, id - 1] as const]
      }),
    }
  } finally {
    pages.close()
  }
}

/** In which page each row stands: the last wins, where an older place was not yet written over. */
const placesOf = (pages: Pages): Map<number, number> => {
  const places = new Map<number, number>()
  for (let page = 1; page <= pages.count; page++)
    for (const cell of cellsIn(pages, page)) if (rowOf(cell) !== null) places.set(cell.rowId, page)
  return places
}

/** Reads each page once, since neighbours stand together. */
const readAll = function* (
  pages: Pages,
  ids: readonly number[],
  places: ReadonlyMap<number, number>,
): Generator<InboxRow> {
  let at = 0
  let rows = new Map<number, InboxRow>()
  for (const id of ids) {
    const page = places.get(id)!
    if (page !== at)
      rows = new Map(
        cellsIn(pages, page)
          .flatMap((cell) => rowOf(cell) ?? [])
          .map((row) => [row.id, row]),
      )
    at = page
    yield rows.get(id)!
  }
}

/** A row of requests; null for a row of another table, or one that is damaged. */
const rowOf = ({ rowId, columns }: Cell): InboxRow | null => {
  const [id, projectId, receivedAt, address, form, body] = columns
  const isRow =
    columns.length === 6 &&
    id === null &&
    isId(projectId) &&
    isId(receivedAt) &&
    (address === null || typeof address === 'string') &&
    typeof form === 'string' &&
    isJson(form) &&
    body instanceof Buffer
  return isRow && isId(rowId) ? { id: rowId, projectId, receivedAt, address, form, body } : null
}

const isId = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0
