import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { MOST_BEHIND, reserveRowIds } from '../../../src/service/ingest/row-ids.ts'
import { openSqliteInbox } from '../../../src/service/store/inbox/sqlite.ts'
import { readInboxMark } from '../../../src/service/store/metadata/inbox-mark.ts'
import { openMetadata } from '../../../src/service/store/metadata/open.ts'
import { requestOf } from '../../contract/inbox.ts'
import { tempFolder } from '../support/temp-folder.ts'

const openFolder = async () => {
  const metadata = await openMetadata(':memory:')
  onTestFinished(() => metadata.destroy())
  /** A start on an inbox file, as the service does it. */
  const start = async (path = join(tempFolder(), 'inbox.sqlite')) => {
    const inbox = openSqliteInbox({ path })
    onTestFinished(() => inbox.close())
    const ids = await reserveRowIds(
      metadata,
      (mark) => inbox.startAbove(mark, MOST_BEHIND),
      (error) => {
        throw error
      },
    )
    return { path, inbox, ids, append: async () => inbox.append(requestOf('x')) }
  }
  return { metadata, start }
}

test('gives no id twice, whichever inbox file a start finds', async () => {
  const { start } = await openFolder()
  const first = await start()
  const given = [await first.append(), await first.append()]
  for (const path of [undefined, first.path, undefined]) {
    const again = await start(path)
    const id = await again.append()
    expect(id).toBeGreaterThan(Math.max(...given))
    given.push(id)
  }
})

test('goes on where rows wait, so that they are counted right', async () => {
  const { start } = await openFolder()
  const first = await start()
  const id = await first.append()
  const again = await start(first.path)
  expect(await again.append()).toBe(id + 1)
  expect(again.inbox.backlogAfter(0).rows).toBe(2)
})

test('raises the mark before the ids below it are used up', async () => {
  const { metadata, start } = await openFolder()
  const { ids } = await start()
  const mark = await readInboxMark(metadata)
  ids.given(1)
  await ids.settled()
  expect(await readInboxMark(metadata)).toBe(mark)
  ids.given(mark - 1)
  await ids.settled()
  expect(await readInboxMark(metadata)).toBe(mark - 1 + MOST_BEHIND)
})
