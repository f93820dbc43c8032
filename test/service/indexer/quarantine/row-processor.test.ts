import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createRowProcessor } from '../../../../src/service/indexer/quarantine/row-processor.ts'
import { openWorkRecord } from '../../../../src/service/indexer/quarantine/work-record.ts'
import type { InboxRow } from '../../../../src/service/store/inbox/inbox.ts'
import { positionAfterRow } from '../../../../src/service/store/row-position.ts'
import { createTempFolder } from '../../support/temp-folder.ts'

const createRow = (id: number): InboxRow => ({
  id,
  projectId: 1,
  receivedAt: 0,
  address: null,
  form: '{}',
  body: new Uint8Array(1),
})

/** What the next process would read. */
const readRecord = (path: string) => {
  const file = openWorkRecord(path)
  file.close()
  return file.previousRecord
}

test('records the rows that are added to a batch, with the position of the store then', async () => {
  const path = join(createTempFolder(), 'working')
  const processor = createRowProcessor(openWorkRecord(path), 'requested')
  let stored = 0
  const added = [[createRow(3), createRow(4)], [createRow(5)]]
  const recorded: unknown[] = []
  const note = (): void => {
    const { currentProjectId, attempts } = readRecord(path)
    recorded.push([currentProjectId, ...attempts.map(({ storePosition, lastRowId }) => [storePosition, lastRowId])])
  }
  await processor.process(1, [createRow(1), createRow(2)], {
    position: () => positionAfterRow(stored),
    readMore: () => added.shift() ?? null,
    async index(_rows, readMore) {
      note()
      readMore()
      note()
      stored = 2
      readMore()
      note()
      readMore()
    },
    quarantine: () => Promise.reject(new Error('not expected')),
  })
  expect(recorded).toEqual([
    [1, ['0/Infinity', 2]],
    [1, ['0/Infinity', 4]],
    [1, ['2/Infinity', 5]],
  ])
  expect(readRecord(path).currentProjectId).toBe(null)
  processor.stop()
})

test('adds no rows to a row that is processed alone', async () => {
  const path = join(createTempFolder(), 'working')
  const attempt = { projectId: 1, storePosition: '0/Infinity', lastRowId: 2, processSinglyThroughRowId: 2 }
  const file = openWorkRecord(path)
  file.write({ currentProjectId: null, attempts: [{ ...attempt, crashCount: 0, killCount: 0 }] })
  file.close()
  const processor = createRowProcessor(openWorkRecord(path), 'requested')
  const indexed: unknown[] = []
  let stored = 0
  await processor.process(1, [createRow(1), createRow(2)], {
    position: () => positionAfterRow(stored),
    readMore: () => [createRow(3)],
    async index(rows, readMore) {
      indexed.push([rows.map(({ id }) => id), readMore()])
      stored = rows[0]!.id
    },
    quarantine: () => Promise.reject(new Error('not expected')),
  })
  expect(indexed).toEqual([
    [[1], null],
    [[2], null],
  ])
  processor.stop()
})

test('adds no rows to those on which a process has died', async () => {
  const path = join(createTempFolder(), 'working')
  const attempt = { projectId: 1, storePosition: '0/Infinity', lastRowId: 2, processSinglyThroughRowId: 0 }
  const file = openWorkRecord(path)
  file.write({ currentProjectId: 1, attempts: [{ ...attempt, crashCount: 0, killCount: 0 }] })
  file.close()
  const processor = createRowProcessor(openWorkRecord(path), 'killed')
  const indexed: unknown[] = []
  await processor.process(1, [createRow(1), createRow(2)], {
    position: () => positionAfterRow(0),
    readMore: () => [createRow(3)],
    async index(rows, readMore) {
      indexed.push([rows.map(({ id }) => id), readMore()])
    },
    quarantine: () => Promise.reject(new Error('not expected')),
  })
  expect(indexed).toEqual([[[1, 2], null]])
  processor.stop()
})
