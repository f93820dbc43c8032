import { join } from 'node:path'
import * as fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { openInstance } from '../../../../../src/service/store/events/duckdb/open-instance.ts'
import { readStoredTimes } from '../../../../../src/service/store/events/duckdb/read-stored-times.ts'
import { packUuids, uuidTimes } from '../../../../../src/service/store/events/duckdb/rows/uuid-words.ts'
import { createTempFolder } from '../../../support/temp-folder.ts'

const openTable = async (uuids: string) => {
  const limits = { memoryMb: 128, spillMb: 16, threads: 1 }
  const instance = await openInstance(join(createTempFolder(), '1.duckdb'), limits)
  const connection = await instance.connect()
  onTestFinished(() => {
    connection.closeSync()
    instance.closeSync()
  })
  await connection.run('CREATE SCHEMA internal')
  await connection.run(`CREATE TABLE internal.events AS SELECT uuid::UUID AS uuid FROM (${uuids}) AS uuids(uuid)`)
  return connection
}

const NOW = 1_800_000_000_000
const DAY_MS = 86_400_000
const uuidAt = (time: number): string => `lpad(to_hex(${time}), 12, '0') || '7000800000000000'||lpad(to_hex(i), 4, '0')`
const select = (time: number, count = 1): string => `SELECT ${uuidAt(time)} FROM range(${count}) AS numbers(i)`

test.each([
  ['nothing is stored', 'SELECT uuid() WHERE false', { through: -Infinity, laterSeconds: [] }],
  ['only other versions are stored', 'SELECT uuidv4() FROM range(100)', { through: -Infinity, laterSeconds: [] }],
  [
    'all are past',
    `${select(NOW - 5)} UNION ALL ${select(NOW)} UNION ALL SELECT uuidv4()::VARCHAR FROM range(100)`,
    { through: NOW, laterSeconds: [] },
  ],
  [
    'some clocks are ahead',
    `${select(NOW - 5)} UNION ALL ${select(NOW + 10_999, 3)} UNION ALL SELECT uuidv4()::VARCHAR FROM range(100)`,
    { through: NOW - 5, laterSeconds: [NOW / 1000 + 10] },
  ],
  ['the last one is of last month', select(NOW - 30 * DAY_MS), { through: NOW - 30 * DAY_MS, laterSeconds: [] }],
  [
    'the last one is very old',
    `${select(0)} UNION ALL ${select(NOW - 5000 * DAY_MS)}`,
    { through: NOW - 5000 * DAY_MS, laterSeconds: [] },
  ],
  ['all clocks are ahead', select(NOW + 1), { through: -Infinity, laterSeconds: [NOW / 1000] }],
])('reads the times of the uuids of version 7 when %s', async (_, uuids, times) => {
  expect(await readStoredTimes(await openTable(uuids), NOW)).toEqual(times)
})

test('takes the last time when very many clocks are ahead', async () => {
  const many = `SELECT lpad(to_hex(${NOW} + i * 1000), 12, '0') || '70008000000000000000' FROM range(10002) AS numbers(i)`
  expect(await readStoredTimes(await openTable(many), NOW)).toEqual({ through: NOW + 10_001_000, laterSeconds: [] })
})

test('reads the same times as the code that looks for uuids', async () => {
  const uuid = fc.uuid({ version: 7 })
  await fc.assert(
    fc.asyncProperty(fc.array(uuid, { minLength: 1, maxLength: 20 }), async (uuids) => {
      const connection = await openTable(uuids.map((each) => `SELECT '${each}'`).join(' UNION ALL '))
      const { through, laterSeconds } = await readStoredTimes(connection, NOW)
      const times = [...uuidTimes(packUuids(uuids))]
      expect(through).toBe(Math.max(-Infinity, ...times.filter((time) => time <= NOW)))
      const later = times.filter((time) => time > NOW).map((time) => Math.floor(time / 1000))
      expect(new Set(laterSeconds)).toEqual(new Set(later))
    }),
    { numRuns: 20 },
  )
})
