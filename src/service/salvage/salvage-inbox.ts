import { isJson } from '../is-json.ts'
import type { InboxRow } from '../store/inbox/inbox.ts'
import { PAGE_BYTES, writeInboxFile } from '../store/inbox/inbox-file.ts'
import { readCells } from './read-cells.ts'
import type { Cell } from './read-cells.ts'
import { openPageReader } from './page-reader.ts'
import type { PageReader } from './page-reader.ts'

/** The result of the salvage of an inbox. */
export interface SalvagedRows {
  readonly rows: number
  /** The first and the last id that were read; null without rows. */
  readonly ids: { readonly first: number; readonly last: number } | null
  /** Ranges of ids in between without a readable row, as `[first, last]`. */
  readonly missingIds: readonly (readonly [number, number])[]
}

/**
 * Copies every readable row of an inbox file into a new one, with its id. The file is read page by page, so a damaged page
 * affects only the rows in it. Recently deleted rows may reappear. They are already in the event stores, which skip them.
 */
export const salvageInbox = (from: string, to: string): SalvagedRows => {
  const pages = openPageReader(from, PAGE_BYTES)
  try {
    const rowPages = findRowPages(pages)
    const ids = [...rowPages.keys()].toSorted((a, b) => a - b)
    writeInboxFile(to, readRows(pages, ids, rowPages))
    const [first] = ids
    return {
      rows: ids.length,
      ids: first === undefined ? null : { first, last: ids.at(-1)! },
      missingIds: ids.flatMap((id, index) => {
        const before = ids[index - 1] ?? id - 1
        return id === before + 1 ? [] : [[before + 1, id - 1] as const]
      }),
    }
  } finally {
    pages.close()
  }
}

/** Finds the page of each row. The last page wins, because an older copy of a row may not have been overwritten yet. */
const findRowPages = (pages: PageReader): Map<number, number> => {
  const rowPages = new Map<number, number>()
  for (let page = 1; page <= pages.pageCount; page++)
    for (const cell of readCells(pages, page)) if (parseRow(cell) !== null) rowPages.set(cell.rowId, page)
  return rowPages
}

/** Reads each page only once per run of consecutive rows in it. */
const readRows = function* (
  pages: PageReader,
  ids: readonly number[],
  rowPages: ReadonlyMap<number, number>,
): Generator<InboxRow> {
  let currentPage = 0
  let rows = new Map<number, InboxRow>()
  for (const id of ids) {
    const page = rowPages.get(id)!
    if (page !== currentPage)
      rows = new Map(
        readCells(pages, page)
          .flatMap((cell) => parseRow(cell) ?? [])
          .map((row) => [row.id, row]),
      )
    currentPage = page
    yield rows.get(id)!
  }
}

/** Parses a row of the inbox table; null for a row of another table or a damaged one. */
const parseRow = ({ rowId, columns }: Cell): InboxRow | null => {
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
