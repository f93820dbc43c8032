import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startInboxCleaner } from '../../../src/service/ingest/inbox-cleaner.ts'
import { openSqliteInbox } from '../../../src/service/store/inbox/sqlite-inbox.ts'
import { requestOf } from '../../contract/inbox.ts'
import { createTempFolder } from '../support/temp-folder.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

test('deletes rows that the indexer has stored, in chunks, and keeps the others', async () => {
  const inbox = openSqliteInbox({ path: join(createTempFolder(), 'inbox.sqlite') })
  const ids = await Promise.all(Array.from({ length: 1203 }, () => inbox.append(requestOf('a'))))
  let position = 0
  const cleaner = startInboxCleaner({ inbox, position: () => position, limitBytes: 1e9, onError: () => {} })
  vi.advanceTimersByTime(300)
  expect(inbox.backlogAfter(0).rows).toBe(1203)
  position = ids.at(-4)!
  vi.advanceTimersByTime(300)
  expect(inbox.backlogAfter(0).rows).toBe(3)
  cleaner.stop()
  inbox.close()
})

test('reports a full inbox until rows are deleted', async () => {
  const inbox = openSqliteInbox({ path: join(createTempFolder(), 'inbox.sqlite') })
  let position = 0
  const cleaner = startInboxCleaner({ inbox, position: () => position, limitBytes: 2 ** 20, onError: () => {} })
  expect(cleaner.isFull()).toBe(false)
  position = (await inbox.append(requestOf('x'.repeat(2 ** 21)))) - 1
  vi.advanceTimersByTime(300)
  expect(cleaner.isFull()).toBe(true)
  position += 1
  vi.advanceTimersByTime(600)
  expect(cleaner.isFull()).toBe(false)
  cleaner.stop()
  inbox.close()
})

test('reports a failed deletion and retries it', () => {
  const inbox = openSqliteInbox({ path: join(createTempFolder(), 'inbox.sqlite') })
  const errors: unknown[] = []
  let calls = 0
  const failing = {
    ...inbox,
    deleteThrough: () => {
      calls += 1
      throw new Error('locked')
    },
  }
  const cleaner = startInboxCleaner({
    inbox: failing,
    position: () => 1,
    limitBytes: 1e9,
    onError: (error) => errors.push(error),
  })
  vi.advanceTimersByTime(600)
  expect(calls).toBe(2)
  expect(errors).toHaveLength(2)
  cleaner.stop()
  inbox.close()
})
