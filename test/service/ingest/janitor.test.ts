import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startJanitor } from '../../../src/service/ingest/janitor.ts'
import { openSqliteInbox } from '../../../src/service/store/inbox/sqlite.ts'
import { requestOf } from '../../contract/inbox.ts'
import { tempFolder } from '../support/temp-folder.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

test('deletes what is stored, slice after slice, and nothing beyond', async () => {
  const inbox = openSqliteInbox({ path: join(tempFolder(), 'inbox.sqlite') })
  const ids = await Promise.all(Array.from({ length: 1203 }, () => inbox.append(requestOf('a'))))
  let position = 0
  const janitor = startJanitor({ inbox, position: () => position, limitBytes: 1e9, onError: () => {} })
  vi.advanceTimersByTime(300)
  expect(inbox.backlogAfter(0).rows).toBe(1203)
  position = ids.at(-4)!
  vi.advanceTimersByTime(300)
  expect(inbox.backlogAfter(0).rows).toBe(3)
  janitor.stop()
  inbox.close()
})

test('says that the inbox is full until rows are deleted', async () => {
  const inbox = openSqliteInbox({ path: join(tempFolder(), 'inbox.sqlite') })
  let position = 0
  const janitor = startJanitor({ inbox, position: () => position, limitBytes: 2 ** 20, onError: () => {} })
  expect(janitor.isFull()).toBe(false)
  position = (await inbox.append(requestOf('x'.repeat(2 ** 21)))) - 1
  vi.advanceTimersByTime(300)
  expect(janitor.isFull()).toBe(true)
  position += 1
  vi.advanceTimersByTime(600)
  expect(janitor.isFull()).toBe(false)
  janitor.stop()
  inbox.close()
})

test('reports a deletion that fails and tries again', () => {
  const inbox = openSqliteInbox({ path: join(tempFolder(), 'inbox.sqlite') })
  const errors: unknown[] = []
  let calls = 0
  const failing = {
    ...inbox,
    deleteThrough: () => {
      calls += 1
      throw new Error('locked')
    },
  }
  const janitor = startJanitor({
    inbox: failing,
    position: () => 1,
    limitBytes: 1e9,
    onError: (error) => errors.push(error),
  })
  vi.advanceTimersByTime(600)
  expect(calls).toBe(2)
  expect(errors).toHaveLength(2)
  janitor.stop()
  inbox.close()
})
