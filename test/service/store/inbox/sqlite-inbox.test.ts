import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openSqliteInbox } from '../../../../src/service/store/inbox/sqlite-inbox.ts'
import { inboxContract, requestOf } from '../../../contract/inbox.ts'

const createFolder = () => mkdtempSync(join(tmpdir(), 'waymark-inbox-'))

describe('the SQLite inbox', () => {
  inboxContract(() => {
    const folder = createFolder()
    const path = join(folder, 'inbox.sqlite')
    const inbox = openSqliteInbox({ path })
    let currentInbox = inbox
    return {
      inbox,
      reopen: () => {
        currentInbox.close()
        currentInbox = openSqliteInbox({ path })
        return currentInbox
      },
      cleanUp: () => {
        currentInbox.close()
        rmSync(folder, { recursive: true })
      },
    }
  })
})

describe('an inbox file', () => {
  let folder: string
  let path: string
  beforeEach(() => {
    folder = createFolder()
    path = join(folder, 'inbox.sqlite')
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  test('commits all appends of one event-loop turn together', async () => {
    const committedIds: number[] = []
    const inbox = openSqliteInbox({ path, onCommit: (id) => committedIds.push(id) })
    const ids = await Promise.all(Array.from({ length: 50 }, () => inbox.append(requestOf('a'))))
    expect(committedIds).toEqual([ids.at(-1)])
    inbox.close()
  })

  test('can be read, but not written, by a second connection', async () => {
    const inbox = openSqliteInbox({ path })
    const reader = openSqliteInbox({ path, role: 'reader' })
    await inbox.append(requestOf('a'))
    expect(reader.readAfter(0, 10, 1e6)).toHaveLength(1)
    await expect(reader.append(requestOf('b'))).rejects.toThrow(/as a reader/)
    expect(() => reader.deleteThrough(1, 1)).toThrow(/as a reader/)
    reader.close()
    inbox.close()
  })

  test('rejects all appends of a failed commit, and continues', async () => {
    const inbox = openSqliteInbox({ path })
    const storedId = await inbox.append(requestOf('kept'))
    // SQLite stores NaN as NULL, which the table refuses after the first row of the transaction was inserted.
    const appends = [inbox.append(requestOf('a')), inbox.append({ ...requestOf('b'), projectId: Number.NaN })]
    const outcomes = await Promise.allSettled(appends)
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(inbox.readAfter(0, 10, 1e6).map(({ id }) => id)).toEqual([storedId])
    expect(await inbox.append(requestOf('c'))).toBe(storedId + 1)
    inbox.close()
  })
})
