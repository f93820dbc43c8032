import * as fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { AcceptedRequest, Inbox } from '../../src/service/store/inbox/inbox.ts'

/** A request with this body. */
export const requestOf = (body: string, receivedAt = 1000): AcceptedRequest => ({
  projectId: 1,
  receivedAt,
  address: '127.0.0.1',
  form: '{}',
  body: Buffer.from(body),
})

/** Tests that every inbox (the service's log of accepted requests) must pass. `reopen` closes the inbox and opens the same one again, as a new process would. */
export const inboxContract = (open: () => { inbox: Inbox; reopen(): Inbox; cleanUp(): void }): void => {
  let harness: ReturnType<typeof open>
  let inbox: Inbox
  beforeEach(() => {
    harness = open()
    inbox = harness.inbox
  })
  afterEach(() => harness.cleanUp())

  const bodiesAfter = (id: number, maxRows = 1000, maxBytes = 1e9) =>
    inbox.readAfter(id, maxRows, maxBytes).map(({ body }) => Buffer.from(body).toString())

  test('reads rows as they were appended, in order', async () => {
    const ids = await Promise.all(['a', 'b', 'c'].map((body) => inbox.append(requestOf(body))))
    expect(ids).toEqual([...ids].sort((a, b) => a - b))
    const [first] = inbox.readAfter(0, 10, 1e6)
    expect(first).toMatchObject({ id: ids[0], projectId: 1, receivedAt: 1000, address: '127.0.0.1', form: '{}' })
    expect(bodiesAfter(0)).toEqual(['a', 'b', 'c'])
    expect(bodiesAfter(ids[0]!)).toEqual(['b', 'c'])
  })

  test('keeps any bytes of a body, and a missing address', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (body) => {
        const id = await inbox.append({ ...requestOf(''), address: null, body })
        const [row] = inbox.readAfter(id - 1, 1, 1e6)
        expect(row?.address).toBeNull()
        expect(new Uint8Array(row!.body)).toEqual(body)
      }),
      { numRuns: 50 },
    )
  })

  test('returns a row as soon as its append has resolved', async () => {
    const id = await inbox.append(requestOf('a'))
    expect(inbox.readAfter(id - 1, 1, 1e6)).toHaveLength(1)
  })

  test('stops at the row that reaches the limit of rows or bytes', async () => {
    for (const body of ['aaaa', 'bbbb', 'cccc']) await inbox.append(requestOf(body))
    expect(bodiesAfter(0, 2)).toEqual(['aaaa', 'bbbb'])
    expect(bodiesAfter(0, 10, 5)).toEqual(['aaaa', 'bbbb'])
    expect(bodiesAfter(0, 10, 1)).toEqual(['aaaa'])
  })

  test('reads rows of other projects, up to a row and to the limits', async () => {
    const appends = [1, 2, 1, 3, 2, 1].map((projectId, place) =>
      inbox.append({ ...requestOf(String(place)), projectId }),
    )
    const ids = await Promise.all(appends)
    const bodiesOfOthers = (after: number, through: number, maxRows = 10, maxBytes = 1e6) =>
      inbox
        .readOthersAfter({ after, through, projectId: 1 }, maxRows, maxBytes)
        .map(({ body }) => Buffer.from(body).toString())
    expect(bodiesOfOthers(0, ids.at(-1)!)).toEqual(['1', '3', '4'])
    expect(bodiesOfOthers(ids[1]!, ids[3]!)).toEqual(['3'])
    expect(bodiesOfOthers(0, ids.at(-1)!, 2)).toEqual(['1', '3'])
    expect(bodiesOfOthers(0, ids.at(-1)!, 10, 1)).toEqual(['1'])
  })

  test('deletes in chunks, from the oldest up to the given row', async () => {
    const ids = await Promise.all(['a', 'b', 'c', 'd'].map((body) => inbox.append(requestOf(body))))
    expect(inbox.deleteThrough(ids[2]!, 2)).toBe(2)
    expect(bodiesAfter(0)).toEqual(['c', 'd'])
    expect(inbox.deleteThrough(ids[2]!, 2)).toBe(1)
    expect(inbox.deleteThrough(ids[2]!, 2)).toBe(0)
    expect(bodiesAfter(0)).toEqual(['d'])
  })

  test('never repeats an id, even after deleting or reopening', async () => {
    const before = await inbox.append(requestOf('a'))
    inbox.deleteThrough(before, 10)
    inbox = harness.reopen()
    expect(await inbox.append(requestOf('b'))).toBeGreaterThan(before)
  })

  test('reports the number of unread rows, of their events, and the age of the oldest', async () => {
    const nothing = { rows: 0, events: 0, oldestReceivedAt: null }
    expect(inbox.backlogAfter(0)).toEqual(nothing)
    const ids: number[] = []
    for (const n of [1, 2, 3]) ids.push(await inbox.append(requestOf('a', n * 1000), n * 10))
    expect(inbox.backlogAfter(0)).toEqual({ rows: 3, events: 60, oldestReceivedAt: 1000 })
    expect(inbox.backlogAfter(ids[0]!)).toEqual({ rows: 2, events: 50, oldestReceivedAt: 2000 })
    inbox.deleteThrough(ids[0]!, 10)
    expect(inbox.backlogAfter(0)).toEqual({ rows: 2, events: 50, oldestReceivedAt: 2000 })
    expect(inbox.backlogAfter(ids[2]!)).toEqual(nothing)
    inbox.deleteThrough(ids[2]!, 10)
    inbox = harness.reopen()
    const last = await inbox.append(requestOf('a', 4000), 7)
    expect(inbox.backlogAfter(0)).toEqual({ rows: 1, events: 7, oldestReceivedAt: 4000 })
    expect(inbox.backlogAfter(last)).toEqual(nothing)
  })

  test('counts the events of each row also after rows were deleted and renumbered, in any order', async () => {
    type Row = { readonly id: number; readonly events: number; readonly projectId: number }
    let rows: Row[] = []
    const append = fc.record({ projectId: fc.integer({ min: 1, max: 3 }), events: fc.integer({ min: 1, max: 50 }) })
    const step = fc.oneof(
      { arbitrary: append, weight: 4 },
      fc.record({ deleted: fc.integer({ min: 1, max: 4 }) }),
      fc.record({ renumbered: fc.integer({ min: 1, max: 3 }) }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        for (const action of steps) {
          if ('events' in action) {
            const { projectId, events } = action
            rows.push({ id: await inbox.append({ ...requestOf('a'), projectId }, events), events, projectId })
          } else if ('deleted' in action) {
            inbox.deleteThrough(rows.at(-1)?.id ?? 0, action.deleted)
            rows = rows.slice(action.deleted)
          } else {
            inbox.renumberAbove(action.renumbered, rows.at(-1)?.id ?? 0)
            const ids = inbox.readAfter(0, 1000, 1e9)
            const isMoved = (row: Row) => row.projectId === action.renumbered
            rows = [...rows.filter((row) => !isMoved(row)), ...rows.filter(isMoved)]
            rows = rows.map((row, index) => ({ ...row, id: ids[index]!.id }))
          }
          for (const [index, { id }] of rows.entries()) {
            const later = rows.slice(index + 1)
            const events = later.reduce((sum, row) => sum + row.events, 0)
            expect(inbox.backlogAfter(id)).toMatchObject({ rows: later.length, events })
          }
        }
      }),
      { numRuns: 30 },
    )
  })

  test('reports about as many used bytes as were appended, and passes its probe', async () => {
    const before = inbox.usedBytes()
    await inbox.append(requestOf('x'.repeat(100_000)))
    expect(inbox.usedBytes()).toBeGreaterThan(before + 90_000)
    expect(() => inbox.probe(1000)).not.toThrow()
  })

  test('records exactly which stored requests a store that is behind lacks', async () => {
    const action = fc.record({
      projects: fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 8 }),
      deleted: fc.nat(8),
    })
    const rows: { id: number; projectId: number }[] = []
    await fc.assert(
      fc.asyncProperty(action, async ({ projects, deleted }) => {
        for (const projectId of projects)
          rows.push({ id: await inbox.append({ ...requestOf('a'), projectId }), projectId })
        inbox.deleteThrough(rows.at(-1)?.id ?? 0, deleted)
        const firstLeft = inbox.readAfter(0, 1, 1)[0]?.id ?? Infinity
        for (const projectId of [1, 2, 3]) {
          const stored = rows.filter((row) => row.projectId === projectId && row.id < firstLeft).map(({ id }) => id)
          expect(inbox.storedProjects().includes(projectId)).toBe(stored.length > 0)
          for (const row of [0, ...stored]) {
            const after = stored.filter((id) => id > row)
            const record = inbox.storedAfter(projectId, row)
            if (after.length === 0) expect(record).toBeNull()
            else {
              expect(record).toMatchObject({ lastRow: after.at(-1) })
              expect(record!.requests).toBeLessThanOrEqual(after.length)
              if (record!.isExact) expect(record!.requests).toBe(after.length)
            }
          }
          // Of everything, and of what was deleted last, it knows the number.
          if (stored.length > 0) expect(inbox.storedAfter(projectId, 0)).toMatchObject({ isExact: true })
        }
      }),
      { numRuns: 40 },
    )
  })

  test('keeps the record of stored requests small, and across a restart', async () => {
    const ids: number[] = []
    for (let count = 0; count < 200; count++) {
      ids.push(await inbox.append(requestOf('a')))
      inbox.deleteThrough(ids.at(-1)!, 1)
    }
    inbox = harness.reopen()
    expect(inbox.storedAfter(1, 0)).toEqual({ requests: 200, isExact: true, lastRow: ids.at(-1) })
    expect(inbox.storedAfter(1, ids.at(-11)!)).toEqual({ requests: 10, isExact: true, lastRow: ids.at(-1) })
    // The older ones are merged.
    expect(inbox.storedAfter(1, ids[100]!)).toEqual({ requests: 64, isExact: false, lastRow: ids.at(-1) })
  })
}
