import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { reserveRowIds } from '../../../src/service/ingest/row-ids.ts'
import { openSqliteInbox } from '../../../src/service/store/inbox/sqlite.ts'
import { readRowMark } from '../../../src/service/store/events/row-mark.ts'
import { readInboxMark, saveInboxMark } from '../../../src/service/store/metadata/inbox-mark.ts'
import { openMetadata } from '../../../src/service/store/metadata/open.ts'
import { requestOf } from '../../contract/inbox.ts'
import { tempFolder } from '../support/temp-folder.ts'

const openFolder = async () => {
  const metadata = await openMetadata(':memory:')
  onTestFinished(() => metadata.destroy())
  const events = tempFolder()
  /** A start on an inbox file, as the service does it. */
  const start = async (path = join(tempFolder(), 'inbox.sqlite')) => {
    const inbox = openSqliteInbox({ path })
    onTestFinished(() => inbox.close())
    const ids = await reserveRowIds(
      metadata,
      events,
      (mark) => inbox.startAbove(mark),
      (error) => {
        throw error
      },
    )
    return { path, inbox, ids, append: async () => inbox.append(requestOf('x')) }
  }
  return { metadata, events, start }
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

test('goes on above the mark where rows wait, too, and counts them right', async () => {
  const { metadata, start } = await openFolder()
  const first = await start()
  await first.append()
  await first.append()
  const mark = await readInboxMark(metadata)
  const again = await start(first.path)
  expect(await again.append()).toBe(mark + 1)
  await again.append()
  const rowsAfter = (id: number): number => again.inbox.backlogAfter(id).rows
  expect([0, 1, 2, mark, mark + 1, mark + 2].map(rowsAfter)).toEqual([4, 3, 2, 2, 1, 0])
  again.inbox.deleteThrough(mark + 1, 10)
  expect([0, mark + 1].map(rowsAfter)).toEqual([1, 1])
})

test('goes on above what the stores have seen where the metadata is an older one, and takes a damaged mark for none', async () => {
  const { metadata, events, start } = await openFolder()
  const first = await start()
  const given = await first.append()
  await start()
  const seen = await readRowMark(events)
  expect(seen).toBe(await readInboxMark(metadata))
  await saveInboxMark(metadata, 0)
  expect(await (await start()).append()).toBe(seen + 1)
  const mark = await readInboxMark(metadata)
  writeFileSync(join(events, 'inbox-mark'), 'x')
  expect(await (await start()).append()).toBe(mark + 1)
  expect(given).toBeLessThan(seen)
})

test('begins each run with a new hundred thousand, so that a leap can be told from a loss', async () => {
  const { metadata, start } = await openFolder()
  await (await start()).append()
  for (const mark of [200_000, 300_000]) {
    await start()
    expect(await readInboxMark(metadata)).toBe(mark)
  }
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
  expect(await readInboxMark(metadata)).toBe(mark + 100_000)
})
