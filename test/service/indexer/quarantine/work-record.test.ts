import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openWorkRecord } from '../../../../src/service/indexer/quarantine/work-record.ts'
import { createTempFolder } from '../../support/temp-folder.ts'

const EMPTY_RECORD = { currentProjectId: null, attempts: [] }

/** An attempt whose values are all different. */
const createAttempt = (projectId: number) => ({
  projectId,
  // The store has all events of inbox row 3 (`Infinity`) and no later row.
  storePosition: '3/Infinity',
  lastRowId: 9,
  processSinglyThroughRowId: 4,
  crashCount: 1,
  killCount: 2,
})

/** The record that the next process reads. */
const readPreviousRecord = (path: string) => {
  const file = openWorkRecord(path)
  file.close()
  return file.previousRecord
}

test('passes the last record to the next process, in a private file of fixed size', () => {
  const path = join(createTempFolder(), 'working')
  const file = openWorkRecord(path)
  expect(file.previousRecord).toEqual(EMPTY_RECORD)
  file.write({ currentProjectId: 1, attempts: [createAttempt(1), createAttempt(2)] })
  expect(readPreviousRecord(path)).toEqual({ currentProjectId: 1, attempts: [createAttempt(1), createAttempt(2)] })
  file.write({ currentProjectId: null, attempts: [createAttempt(2)] })
  expect(readPreviousRecord(path)).toEqual({ currentProjectId: null, attempts: [createAttempt(2)] })
  expect([statSync(path).size, statSync(path).mode & 0o777]).toEqual([4096, 0o600])
  file.close()
})

test('keeps the newest attempts if the file has not enough space for all', () => {
  const path = join(createTempFolder(), 'working')
  const file = openWorkRecord(path)
  const attemptsOf100Projects = Array.from({ length: 100 }, (_, n) => createAttempt(n))
  file.write({ currentProjectId: 99, attempts: attemptsOf100Projects })
  const { currentProjectId, attempts } = readPreviousRecord(path)
  expect(currentProjectId).toBe(99)
  expect(attempts.length).toBeGreaterThan(20)
  expect(attempts).toEqual(attemptsOf100Projects.slice(-attempts.length))
  file.close()
})

test.each(['', '{"working":1', 'null', '[]'])('reads an empty record from the content %j', (content) => {
  const path = join(createTempFolder(), 'working')
  writeFileSync(path, content)
  expect(readPreviousRecord(path)).toEqual(EMPTY_RECORD)
})

test('ignores writes if the file cannot be created', () => {
  const path = join(createTempFolder(), 'working')
  mkdirSync(path)
  const file = openWorkRecord(path)
  expect(file.previousRecord).toEqual(EMPTY_RECORD)
  file.write({ currentProjectId: 1, attempts: [] })
  file.close()
})

test('stores the record under the keys of earlier versions', () => {
  const path = join(createTempFolder(), 'working')
  const file = openWorkRecord(path)
  file.write({ currentProjectId: 1, attempts: [createAttempt(7)] })
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
    working: 1,
    suspicions: [{ projectId: 7, place: '3/Infinity', lastRow: 9, aloneThrough: 4, crashes: 1, kills: 2 }],
  })
  file.close()
})
