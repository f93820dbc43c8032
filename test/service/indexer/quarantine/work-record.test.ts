import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openWorkRecord } from '../../../../src/service/indexer/quarantine/work-record.ts'
import { createTempFolder } from '../../support/temp-folder.ts'

const EMPTY = { working: null, suspicions: [] }
const createAttempt = (projectId: number) => ({
  projectId,
  place: '3/Infinity',
  lastRow: 9,
  aloneThrough: 4,
  crashes: 1,
  kills: 2,
})

/** The record that the next process reads. */
const readPrevious = (path: string) => {
  const file = openWorkRecord(path)
  file.close()
  return file.previous
}

test('gives the next process the last record, in a private file of fixed size', () => {
  const path = join(createTempFolder(), 'working')
  const file = openWorkRecord(path)
  expect(file.previous).toEqual(EMPTY)
  file.write({ working: 1, suspicions: [createAttempt(1), createAttempt(2)] })
  expect(readPrevious(path)).toEqual({ working: 1, suspicions: [createAttempt(1), createAttempt(2)] })
  file.write({ working: null, suspicions: [createAttempt(2)] })
  expect(readPrevious(path)).toEqual({ working: null, suspicions: [createAttempt(2)] })
  expect([statSync(path).size, statSync(path).mode & 0o777]).toEqual([4096, 0o600])
  file.close()
})

test('keeps the newest attempts if the file has not enough space for all', () => {
  const path = join(createTempFolder(), 'working')
  const file = openWorkRecord(path)
  const many = Array.from({ length: 100 }, (_, n) => createAttempt(n))
  file.write({ working: 99, suspicions: many })
  const { working, suspicions: attempts } = readPrevious(path)
  expect(working).toBe(99)
  expect(attempts.length).toBeGreaterThan(20)
  expect(attempts).toEqual(many.slice(-attempts.length))
  file.close()
})

test.each(['', '{"working":1', 'null', '[]'])('reads an empty record from the content %j', (content) => {
  const path = join(createTempFolder(), 'working')
  writeFileSync(path, content)
  expect(readPrevious(path)).toEqual(EMPTY)
})

test('ignores writes if the file cannot be created', () => {
  const path = join(createTempFolder(), 'working')
  mkdirSync(path)
  const file = openWorkRecord(path)
  expect(file.previous).toEqual(EMPTY)
  file.write({ working: 1, suspicions: [] })
  file.close()
})
