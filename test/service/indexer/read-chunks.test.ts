import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Chunk } from '../../../src/service/indexer/read-chunks.ts'
import { splitChunk, readChunks } from '../../../src/service/indexer/read-chunks.ts'
import type { InboxRow } from '../../../src/service/store/inbox/inbox.ts'
import { positionAfterRow, coversEvent, isBeyond } from '../../../src/service/store/row-position.ts'
import { rowOptions } from '../support/row-options.ts'

/** An inbox row whose events are named after their position. */
const createRow = (id: number, count: number, text = ''): InboxRow => ({
  id,
  projectId: 1,
  receivedAt: 1_700_000_000_000,
  address: null,
  form: '{}',
  body: Buffer.from(
    JSON.stringify({
      api_key: 'key',
      batch: Array.from({ length: count }, (_, ordinal) => ({
        event: `${id}/${ordinal}`,
        distinct_id: 'u',
        properties: { text },
      })),
    }),
  ),
})

const damagedRow = (id: number): InboxRow => ({ ...createRow(id, 0), body: Buffer.from('{') })

/** Reads rows in slices of so many rows. */
const read = async (rows: readonly InboxRow[], start = positionAfterRow(0), sliceRows = 2): Promise<Chunk[]> => {
  const slices = async function* () {
    for (let from = 0; from < rows.length; from += sliceRows) yield rows.slice(from, from + sliceRows)
  }
  const chunks: Chunk[] = []
  for await (const chunk of readChunks(slices(), start, rowOptions)) chunks.push(chunk)
  return chunks
}
const firstChunk = async (rows: readonly InboxRow[]): Promise<Chunk | null> => (await read(rows))[0] ?? null
const eventNames = (chunk: Chunk | null): string[] =>
  (chunk ?? []).flatMap(({ events }) => events.map(({ event }) => event.event))
const rejectedRows = (chunk: Chunk | null): number[] =>
  (chunk ?? []).flatMap(({ rejected }) => rejected.map(({ inboxRow }) => inboxRow))

const rows = fc
  .array(fc.oneof(fc.nat(4), fc.constant(null)), { minLength: 1, maxLength: 5 })
  .map((counts) => counts.map((count, index) => (count === null ? damagedRow(index + 1) : createRow(index + 1, count))))
const position = fc.record({
  inboxRow: fc.integer({ min: 1, max: 6 }),
  events: fc.oneof(fc.nat(5), fc.constant(Number.POSITIVE_INFINITY)),
})

test('splits a chunk at any position without a loss', async () => {
  await fc.assert(
    fc.asyncProperty(rows, position, async (inboxRows, splitPosition) => {
      const chunk = (await firstChunk(inboxRows))!
      const [before, after] = splitChunk(chunk, splitPosition)
      expect([...eventNames(before), ...eventNames(after)]).toEqual(eventNames(chunk))
      expect([...rejectedRows(before), ...rejectedRows(after)]).toEqual(rejectedRows(chunk))
      for (const { events } of before) expect(events.every((event) => coversEvent(splitPosition, event))).toBe(true)
      for (const { events } of after ?? [])
        expect(events.some((event) => coversEvent(splitPosition, event))).toBe(false)
      // The first part ends at the position, or at the end of the chunk if that comes first; the second ends with the chunk.
      const end = chunk.at(-1)!.end
      expect(before.at(-1)!.end).toEqual(isBeyond(end, splitPosition) ? splitPosition : end)
      expect(after === null ? before.at(-1)!.end : after.at(-1)!.end).toEqual(end)
    }),
  )
})

test('keeps rejected rows and rows without events in the second part', async () => {
  const chunk = (await firstChunk([createRow(1, 2), damagedRow(2), createRow(3, 0)]))!
  const [before, after] = splitChunk(chunk, positionAfterRow(1))
  expect([eventNames(before), rejectedRows(before)]).toEqual([['1/0', '1/1'], []])
  expect([eventNames(after), rejectedRows(after), after?.at(-1)?.end]).toEqual([[], [2], positionAfterRow(3)])
  expect(splitChunk(chunk, positionAfterRow(3))).toEqual([chunk, null])
})

test('makes the same chunks of slices of any size', async () => {
  const many = Array.from({ length: 40 }, (_, index) => createRow(index + 1, 100, 'x'.repeat(1000)))
  const summarize = async (sliceRows: number) =>
    (await read(many, positionAfterRow(0), sliceRows)).map((chunk) => [eventNames(chunk).length, chunk.at(-1)!.end])
  const whole = await summarize(40)
  expect(whole.length).toBeGreaterThan(1)
  for (const sliceRows of [1, 7]) expect(await summarize(sliceRows)).toEqual(whole)
})

test('reads each event once, in chunks of limited size, from any position', async () => {
  const large = [createRow(1, 3), createRow(2, 40, 'x'.repeat(1_000_000)), createRow(3, 2)]
  const all = large.flatMap(({ id }, index) => Array.from({ length: [3, 40, 2][index]! }, (_, n) => `${id}/${n}`))
  const whole = await read(large)
  expect(whole.flatMap(eventNames)).toEqual(all)
  expect(whole.length).toBeGreaterThanOrEqual(5)
  expect(Math.max(...whole.map((chunk) => eventNames(chunk).length))).toBeLessThan(14)
  // Reading from the end of a chunk continues with the next one.
  for (const [index, chunk] of whole.entries()) {
    const end = chunk.at(-1)!.end
    expect((await read(large, end)).flatMap(eventNames)).toEqual(whole.slice(index + 1).flatMap(eventNames))
  }
})
