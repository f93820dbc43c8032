import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { EventStore } from '../../../../../../src/service/store/events/event-store.ts'
import { batchOf, select, storedEvent } from '../../../../../contract/service-event-store.ts'
import { openTestEventStore } from '../../../../support/event-store.ts'

const README = readFileSync('src/service/README.md', 'utf8')

let store: EventStore
let close: () => Promise<void>
beforeAll(async () => {
  ;({ store, close } = await openTestEventStore(1))
  await store.commit(batchOf([storedEvent(1, { properties: { plan: 'pro' } })]))
})
afterAll(() => close())

/** The columns of a row of the README's table. */
const readColumns = (table: string, defaultType?: string): readonly unknown[] => {
  const row = README.split('\n').find((line) => line.startsWith(`| ${table} |`))!
  return [...row.split(' | ')[1]!.matchAll(/`([^`]+)`(?: ([A-Z ]+[A-Z]))?/g)].map(([, name, type]) => [
    name,
    defaultType ?? type,
  ])
}

test.each(['events', 'persons', 'person_distinct_ids', 'groups'])(
  'DESCRIBE %s returns what the README says',
  async (table) => {
    const expected = [
      ...readColumns(`\`${table}\``),
      ...(table === 'events' ? readColumns('`events`, built-in properties', 'VARCHAR') : []),
    ]
    const described = (await select(store, `DESCRIBE ${table}`)) as readonly (readonly unknown[])[]
    expect(described.map(([name, type]) => [name, type])).toEqual(expected)
    const { columns, types } = await store.query({ sql: `SELECT * FROM ${table}`, timeoutMs: 10_000, maxRows: 1 })
    expect(columns.map((name, index) => [name, types[index]])).toEqual(expected)
  },
)

test('DESCRIBE of a SELECT has its columns', async () => {
  const sql =
    "DESCRIBE SELECT properties->>'plan' AS plan, count(*) AS n, max(timestamp) AS latest FROM events GROUP BY 1"
  const described = (await select(store, sql)) as readonly (readonly unknown[])[]
  expect(described.map(([name, type]) => [name, type])).toEqual([
    ['plan', 'VARCHAR'],
    ['n', 'BIGINT'],
    ['latest', 'TIMESTAMP WITH TIME ZONE'],
  ])
})
