import { expect, test } from 'vitest'
import { createRowStream } from '../../../src/service/indexer/row-stream.ts'
import type { InboxRow } from '../../../src/service/store/inbox/inbox.ts'
import { positionAfterRow, positionBeforeEvent } from '../../../src/service/store/row-position.ts'

const MEGABYTE = 1024 * 1024

const createRow = (id: number, bytes = 1): InboxRow => ({
  id,
  projectId: 1,
  receivedAt: 0,
  address: null,
  form: '{}',
  body: new Uint8Array(bytes),
})

const idsOf = (rows: Iterable<InboxRow>): number[] => [...rows].map(({ id }) => id)

test('yields the rows that are not stored, and those that follow', () => {
  const pages = [[createRow(4)], [createRow(5), createRow(6)]]
  const rows = [createRow(1), createRow(2), createRow(3)]
  const stream = createRowStream(
    rows,
    () => positionAfterRow(1),
    () => pages.shift() ?? null,
  )
  expect(idsOf(stream.readAll())).toEqual([2, 3, 4, 5, 6])
})

test('has the rows that were read and are not stored, of which one may be stored in part', () => {
  let position = positionAfterRow(0)
  const pages = [[createRow(3)], [createRow(4)]]
  const stream = createRowStream(
    [createRow(1), createRow(2)],
    () => position,
    () => pages.shift() ?? null,
  )
  expect(idsOf(stream.unstored())).toEqual([1, 2])
  for (const { id } of stream.readAll()) if (id === 3) position = positionBeforeEvent({ inboxRow: 3, ordinal: 1 })
  expect(idsOf(stream.unstored())).toEqual([3, 4])
  position = positionAfterRow(4)
  expect(idsOf(stream.unstored())).toEqual([])
})

test('ends when too much waits for its commit, and continues if it was stored meanwhile', () => {
  const read = (storedThrough: (id: number) => number) => {
    let position = positionAfterRow(0)
    let id = 1
    const readMore = () => (id < 6 ? [createRow(++id, 15 * MEGABYTE)] : null)
    const stream = createRowStream([createRow(1, 15 * MEGABYTE)], () => position, readMore)
    const ids: number[] = []
    for (const row of stream.readAll()) {
      ids.push(row.id)
      position = positionAfterRow(storedThrough(row.id))
    }
    return ids
  }
  expect(read(() => 0)).toEqual([1, 2, 3])
  expect(read((id) => id - 1)).toEqual([1, 2, 3, 4, 5, 6])
})
