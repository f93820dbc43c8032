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

  test('reports the number of unread rows and the age of the oldest', async () => {
    expect(inbox.backlogAfter(0)).toEqual({ rows: 0, oldestReceivedAt: null })
    const ids: number[] = []
    for (const receivedAt of [1000, 2000, 3000]) ids.push(await inbox.append(requestOf('a', receivedAt)))
    expect(inbox.backlogAfter(0)).toEqual({ rows: 3, oldestReceivedAt: 1000 })
    expect(inbox.backlogAfter(ids[0]!)).toEqual({ rows: 2, oldestReceivedAt: 2000 })
    inbox.deleteThrough(ids[0]!, 10)
    expect(inbox.backlogAfter(0)).toEqual({ rows: 2, oldestReceivedAt: 2000 })
    expect(inbox.backlogAfter(ids[2]!)).toEqual({ rows: 0, oldestReceivedAt: null })
  })

  test('reports about as many used bytes as were appended, and passes its probe', async () => {
    const before = inbox.usedBytes()
    await inbox.append(requestOf('x'.repeat(100_000)))
    expect(inbox.usedBytes()).toBeGreaterThan(before + 90_000)
    expect(() => inbox.probe(1000)).not.toThrow()
  })
}
