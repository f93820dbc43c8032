import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Part } from '../../../src/service/indexer/parts.ts'
import { cutPart, partsOf } from '../../../src/service/indexer/parts.ts'
import type { InboxRow } from '../../../src/service/store/inbox/inbox.ts'
import type { RowPosition } from '../../../src/service/store/row-position.ts'
import { after, covers, isBeyond } from '../../../src/service/store/row-position.ts'
import { noAddresses } from '../support/no-addresses.ts'

/** An inbox row of events whose names tell where they stand. */
const rowOf = (id: number, count: number, text = ''): InboxRow => ({
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

const damagedRow = (id: number): InboxRow => ({ ...rowOf(id, 0), body: Buffer.from('{') })

const partOf = (rows: readonly InboxRow[]): Part | null => [...partsOf(rows, after(0), noAddresses)][0] ?? null
const eventsOf = (part: Part | null): string[] =>
  (part ?? []).flatMap(({ read }) => read.map(({ event }) => event.event))
const rejectedOf = (part: Part | null): number[] =>
  (part ?? []).flatMap(({ rejected }) => rejected.map(({ inboxRow }) => inboxRow))

const rows = fc
  .array(fc.oneof(fc.nat(4), fc.constant(null)), { minLength: 1, maxLength: 5 })
  .map((counts) => counts.map((count, index) => (count === null ? damagedRow(index + 1) : rowOf(index + 1, count))))
const position = fc.record({
  inboxRow: fc.integer({ min: 1, max: 6 }),
  events: fc.oneof(fc.nat(5), fc.constant(Number.POSITIVE_INFINITY)),
})

test('cuts a part at any position into what is done and what is left, and loses nothing of it', () => {
  fc.assert(
    fc.property(rows, position, (given, at) => {
      const part = partOf(given)!
      const [done, left] = cutPart(part, at)
      expect([...eventsOf(done), ...eventsOf(left)]).toEqual(eventsOf(part))
      expect([...rejectedOf(done), ...rejectedOf(left)]).toEqual(rejectedOf(part))
      for (const { read } of done) expect(read.every((one) => covers(at, one))).toBe(true)
      for (const { read } of left ?? []) expect(read.some((one) => covers(at, one))).toBe(false)
      // What is done ends at the position, or with the part where that lies behind it; what is left ends where all did.
      const end = part.at(-1)!.end
      expect(done.at(-1)!.end).toEqual(isBeyond(end, at) ? at : end)
      expect(left === null ? done.at(-1)!.end : left.at(-1)!.end).toEqual(end)
    }),
  )
})

test('keeps as left a row whose events are all done but which was set aside in the end, and rows without events', () => {
  const part = partOf([rowOf(1, 2), damagedRow(2), rowOf(3, 0)])!
  const [done, left] = cutPart(part, after(1))
  expect([eventsOf(done), rejectedOf(done)]).toEqual([['1/0', '1/1'], []])
  expect([eventsOf(left), rejectedOf(left), left?.at(-1)?.end]).toEqual([[], [2], after(3)])
  expect(cutPart(part, after(3))).toEqual([part, null])
})

test('reads each event once, in parts that are bounded by bytes, from wherever it begins', () => {
  const large = [rowOf(1, 3), rowOf(2, 40, 'x'.repeat(2 ** 20)), rowOf(3, 2)]
  const all = large.flatMap(({ id }, index) => Array.from({ length: [3, 40, 2][index]! }, (_, n) => `${id}/${n}`))
  const read = (start: RowPosition) => [...partsOf(large, start, noAddresses)]
  const whole = read(after(0))
  expect(whole.flatMap(eventsOf)).toEqual(all)
  expect(whole.length).toBeGreaterThanOrEqual(5)
  expect(Math.max(...whole.map((part) => eventsOf(part).length))).toBeLessThan(14)
  // Each part begins where the one before ended.
  for (const [index, part] of whole.entries()) {
    const end = part.at(-1)!.end
    expect(read(end).flatMap(eventsOf)).toEqual(whole.slice(index + 1).flatMap(eventsOf))
  }
})
