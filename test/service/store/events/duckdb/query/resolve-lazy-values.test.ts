import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../../../../../src/wire/json.ts'
import { batchOf, storedEvent } from '../../../../../contract/service-event-store.ts'
import { openTestEventStore } from '../../../../support/event-store.ts'

const open = async (properties: readonly JsonObject[]) => {
  const { store, close } = await openTestEventStore()
  await store.commit(batchOf(properties.map((each, index) => storedEvent(index + 1, { properties: each }))))
  const query = async (sql: string, maxRows = 10_000) => (await store.query({ sql, maxRows, timeoutMs: 20_000 })).rows
  return { query, close }
}

test('properties in a result are the same text as those that a query computes with', async () => {
  const value = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 8 }),
    fc.string({ maxLength: 8 }),
    fc.double(),
    fc.jsonValue({ maxDepth: 2 }),
  )
  const name = fc.oneof(fc.constantFrom('$browser', '$current_url', '$lib', '$os', 'plan'), fc.string({ maxLength: 4 }))
  await fc.assert(
    fc.asyncProperty(fc.array(fc.dictionary(name, value), { minLength: 1, maxLength: 20 }), async (properties) => {
      const { query, close } = await open(properties as JsonObject[])
      try {
        const passedOn = await query('SELECT properties FROM events ORDER BY uuid')
        expect(passedOn).toEqual(await query("SELECT concat(properties, '') AS text FROM events ORDER BY uuid"))
      } finally {
        await close()
      }
    }),
    { numRuns: 25 },
  )
})

test('control characters are escaped as a query escapes them', async () => {
  const { query, close } = await open([{ $browser: '\u000b\u001f"\\u000b\\\n' }])
  try {
    const [passedOn] = await query('SELECT properties FROM events')
    expect(passedOn).toEqual((await query("SELECT concat(properties, '') AS text FROM events"))[0])
    expect(passedOn).toEqual([String.raw`{"$browser":"\u000B\u001F\"\\u000b\\\n"}`])
  } finally {
    await close()
  }
})

test('properties are those of their rows, whatever the order, beyond the last row, and twice in a row', async () => {
  const { query, close } = await open(Array.from({ length: 50 }, (_, index) => ({ index, $browser: `b${index}` })))
  try {
    const rows = await query(
      "SELECT (properties->>'index')::INTEGER AS i, properties, properties AS again FROM events ORDER BY hash(uuid)",
      20,
    )
    expect(rows).toHaveLength(20)
    for (const [index, ...texts] of rows) {
      const text = JSON.stringify({ index, $browser: `b${String(index)}` })
      expect(texts).toEqual([text, text])
    }
  } finally {
    await close()
  }
})

test('an event that is missing in a join has no properties', async () => {
  const { query, close } = await open([{ a: 1 }])
  try {
    const sql = `SELECT n, properties FROM (VALUES (1), (2)) AS v(n) LEFT JOIN events ON (properties->>'a')::INTEGER = n ORDER BY n`
    expect(await query(sql)).toEqual([
      [1, '{"a":1}'],
      [2, null],
    ])
  } finally {
    await close()
  }
})

test('properties of events far apart in a large table are those of their rows', async () => {
  // Some 15 vectors of 2,048 rows.
  const { query, close } = await open(Array.from({ length: 30_000 }, (_, index) => ({ index })))
  try {
    const readWhere = async (condition: string, count: number): Promise<void> => {
      const rows = await query(
        `SELECT (properties->>'index')::INTEGER AS i, properties FROM events WHERE ${condition} ORDER BY i`,
      )
      expect(rows).toHaveLength(count)
      for (const [index, text] of rows) expect(text).toBe(JSON.stringify({ index }))
    }
    for (const step of [10, 100, 2048, 10_000])
      await readWhere(`i % ${step} IN (0, ${step - 1})`, Math.ceil(30_000 / step) + Math.floor(30_000 / step))
    await readWhere('i < 900 OR i BETWEEN 15000 AND 15100 OR i >= 29100', 1901)
  } finally {
    await close()
  }
})
