import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { reserveRowIds } from '../../../src/service/ingest/row-id-reservation.ts'
import { openSqliteInbox } from '../../../src/service/store/inbox/sqlite-inbox.ts'
import { readEventsWatermark } from '../../../src/service/store/events/events-watermark.ts'
import { readInboxWatermark, saveInboxWatermark } from '../../../src/service/store/metadata/inbox-watermark.ts'
import { ONLY_NODE } from '../../../src/service/store/metadata/node-id.ts'
import { openTestMetadata } from '../support/open-test-metadata.ts'
import { requestOf } from '../../contract/inbox.ts'
import { createTempFolder } from '../support/temp-folder.ts'

const openFolder = async () => {
  const metadata = await openTestMetadata()
  onTestFinished(() => metadata.destroy())
  const events = createTempFolder()
  /** Opens an inbox file as a start of the service does. */
  const start = async (path = join(createTempFolder(), 'inbox.sqlite')) => {
    const inbox = openSqliteInbox({ path })
    onTestFinished(() => inbox.close())
    const ids = await reserveRowIds(
      { metadata, nodeId: ONLY_NODE },
      events,
      (id) => inbox.continueAbove(id),
      (error) => {
        throw error
      },
    )
    return { path, inbox, ids, append: async () => inbox.append(requestOf('x')) }
  }
  return { metadata, events, start }
}

test('assigns no id twice, whichever inbox file the service opens', async () => {
  const { start } = await openFolder()
  const firstStart = await start()
  const assigned = [await firstStart.append(), await firstStart.append()]
  for (const path of [undefined, firstStart.path, undefined]) {
    const secondStart = await start(path)
    const id = await secondStart.append()
    expect(id).toBeGreaterThan(Math.max(...assigned))
    assigned.push(id)
  }
})

test('continues above the watermark while rows wait, and counts all waiting rows', async () => {
  const { metadata, start } = await openFolder()
  const firstStart = await start()
  await firstStart.append()
  await firstStart.append()
  const watermark = await readInboxWatermark(metadata, ONLY_NODE)
  const secondStart = await start(firstStart.path)
  expect(await secondStart.append()).toBe(watermark + 1)
  await secondStart.append()
  const rowsAfter = (id: number): number => secondStart.inbox.backlogAfter(id).rows
  expect([0, 1, 2, watermark, watermark + 1, watermark + 2].map(rowsAfter)).toEqual([4, 3, 2, 2, 1, 0])
  secondStart.inbox.deleteThrough(watermark + 1, 10)
  expect([0, watermark + 1].map(rowsAfter)).toEqual([1, 1])
})

test('continues above the ids in the event stores after old metadata is restored', async () => {
  const { metadata, events, start } = await openFolder()
  const firstStart = await start()
  const firstId = await firstStart.append()
  await start()
  const storedWatermark = await readEventsWatermark(events)
  expect(storedWatermark).toBe(await readInboxWatermark(metadata, ONLY_NODE))
  await saveInboxWatermark(metadata, ONLY_NODE, 0)
  expect(await (await start()).append()).toBe(storedWatermark + 1)
  const watermark = await readInboxWatermark(metadata, ONLY_NODE)
  writeFileSync(join(events, 'inbox-mark'), 'x')
  expect(await (await start()).append()).toBe(watermark + 1)
  expect(firstId).toBeLessThan(storedWatermark)
})

test('starts each run at the next multiple of 100,000', async () => {
  const { metadata, start } = await openFolder()
  await (await start()).append()
  for (const watermark of [200_000, 300_000]) {
    await start()
    expect(await readInboxWatermark(metadata, ONLY_NODE)).toBe(watermark)
  }
})

test('raises the watermark before all reserved ids are used', async () => {
  const { metadata, start } = await openFolder()
  const { ids } = await start()
  const watermark = await readInboxWatermark(metadata, ONLY_NODE)
  ids.recordId(1)
  await ids.whenSaved()
  expect(await readInboxWatermark(metadata, ONLY_NODE)).toBe(watermark)
  ids.recordId(watermark - 1)
  await ids.whenSaved()
  expect(await readInboxWatermark(metadata, ONLY_NODE)).toBe(watermark + 100_000)
})
