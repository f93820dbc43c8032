import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openWorkRecord } from '../../../../src/service/indexer/quarantine/work-record.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const NOTHING = { working: null, suspicions: [] }
const suspicion = (projectId: number) => ({
  projectId,
  place: '3/Infinity',
  lastRow: 9,
  aloneThrough: 4,
  crashes: 1,
  kills: 2,
})

/** What the next process finds. */
const leftIn = (path: string) => {
  const file = openWorkRecord(path)
  file.close()
  return file.left
}

test('gives the next process what was written last, in a file of one size for its owner alone', () => {
  const path = join(tempFolder(), 'working')
  const file = openWorkRecord(path)
  expect(file.left).toEqual(NOTHING)
  file.write({ working: 1, suspicions: [suspicion(1), suspicion(2)] })
  expect(leftIn(path)).toEqual({ working: 1, suspicions: [suspicion(1), suspicion(2)] })
  file.write({ working: null, suspicions: [suspicion(2)] })
  expect(leftIn(path)).toEqual({ working: null, suspicions: [suspicion(2)] })
  expect([statSync(path).size, statSync(path).mode & 0o777]).toEqual([4096, 0o600])
  file.close()
})

test('keeps the newest of more suspicions than it has room for', () => {
  const path = join(tempFolder(), 'working')
  const file = openWorkRecord(path)
  const many = Array.from({ length: 100 }, (_, n) => suspicion(n))
  file.write({ working: 99, suspicions: many })
  const { working, suspicions } = leftIn(path)
  expect(working).toBe(99)
  expect(suspicions.length).toBeGreaterThan(20)
  expect(suspicions).toEqual(many.slice(-suspicions.length))
  file.close()
})

test.each(['', '{"working":1', 'null', '[]'])('knows nothing where the file holds %j', (text) => {
  const path = join(tempFolder(), 'working')
  writeFileSync(path, text)
  expect(leftIn(path)).toEqual(NOTHING)
})

test('keeps nothing, and fails at nothing, where there can be no file', () => {
  const path = join(tempFolder(), 'working')
  mkdirSync(path)
  const file = openWorkRecord(path)
  expect(file.left).toEqual(NOTHING)
  file.write({ working: 1, suspicions: [] })
  file.close()
})
