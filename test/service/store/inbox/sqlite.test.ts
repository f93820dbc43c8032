import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openSqliteInbox } from '../../../../src/service/store/inbox/sqlite.ts'
import { inboxContract, requestOf } from '../../../contract/inbox.ts'

const folder = () => mkdtempSync(join(tmpdir(), 'waymark-inbox-'))

describe('contract', () => {
  inboxContract(() => {
    const dir = folder()
    const path = join(dir, 'inbox.sqlite')
    const inbox = openSqliteInbox({ path })
    let current = inbox
    return {
      inbox,
      reopen: () => {
        current.close()
        current = openSqliteInbox({ path })
        return current
      },
      cleanUp: () => {
        current.close()
        rmSync(dir, { recursive: true })
      },
    }
  })
})

describe('one file', () => {
  let dir: string
  let path: string
  beforeEach(() => {
    dir = folder()
    path = join(dir, 'inbox.sqlite')
  })
  afterEach(() => rmSync(dir, { recursive: true }))

  test('commits all appends of one turn together', async () => {
    const commits: number[] = []
    const inbox = openSqliteInbox({ path, onCommit: (id) => commits.push(id) })
    const ids = await Promise.all(Array.from({ length: 50 }, () => inbox.append(requestOf('a'))))
    expect(commits).toEqual([ids.at(-1)])
    inbox.close()
  })

  test('is read by another connection while the owner writes, and only read', async () => {
    const inbox = openSqliteInbox({ path })
    const reader = openSqliteInbox({ path, role: 'reader' })
    await inbox.append(requestOf('a'))
    expect(reader.readAfter(0, 10, 1e6)).toHaveLength(1)
    await expect(reader.append(requestOf('b'))).rejects.toThrow(/only reads/)
    expect(() => reader.deleteThrough(1, 1)).toThrow(/only reads/)
    reader.close()
    inbox.close()
  })

  test('rejects every append of a turn whose commit fails, keeps what was there, and goes on', async () => {
    const inbox = openSqliteInbox({ path })
    const kept = await inbox.append(requestOf('kept'))
    // NaN is stored as NULL, which the table refuses, after the first row of the same transaction went in.
    const group = [inbox.append(requestOf('a')), inbox.append({ ...requestOf('b'), projectId: Number.NaN })]
    const outcomes = await Promise.allSettled(group)
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(inbox.readAfter(0, 10, 1e6).map(({ id }) => id)).toEqual([kept])
    expect(await inbox.append(requestOf('c'))).toBe(kept + 1)
    inbox.close()
  })
})
