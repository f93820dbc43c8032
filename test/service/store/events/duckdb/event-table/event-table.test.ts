import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { derivePersonId } from '../../../../../../src/service/persons/person-id.ts'
import { fillNextRows } from '../../../../../../src/service/store/events/duckdb/event-table/fill-columns.ts'
import { readPropertyColumns } from '../../../../../../src/service/store/events/duckdb/event-table/property-column.ts'
import { openInstance } from '../../../../../../src/service/store/events/duckdb/open-instance.ts'
import { openDuckDbStore } from '../../../../../../src/service/store/events/duckdb/open-store.ts'
import type { EventStore } from '../../../../../../src/service/store/events/event-store.ts'
import { batchOf, select, storedEvent } from '../../../../../contract/service-event-store.ts'
import { eventually } from '../../../../support/service-process.ts'
import { createTempFolder } from '../../../../support/temp-folder.ts'

const LIMITS = { memoryMb: 256, spillMb: 16, threads: 1 }

describe('the columns of a project', () => {
  let file: string
  let store: EventStore
  let count = 0
  const open = () => openDuckDbStore({ file, deriveOriginId: (id) => derivePersonId(1, id), ...LIMITS })
  beforeEach(async () => {
    file = join(createTempFolder(), '1.duckdb')
    store = await open()
    count = 0
  })
  afterEach(() => store.close())

  const commit = (eventCount: number, toProperties: (n: number) => Record<string, string | number | boolean | null>) =>
    store.commit(
      batchOf(Array.from({ length: eventCount }, () => storedEvent((count += 1), { properties: toProperties(count) }))),
    )

  /** What the closed file answers. */
  const readFile = async (sql: string): Promise<unknown[][]> => {
    await store.close()
    const instance = await openInstance(file, LIMITS)
    const connection = await instance.connect()
    const rows = (await connection.runAndReadAll(sql)).getRowsJson()
    connection.closeSync()
    instance.closeSync()
    store = await open()
    return rows
  }
  const readColumns = () =>
    readFile('SELECT property, unfilled_rows::INTEGER FROM internal.property_columns WHERE number > 24 ORDER BY number')

  it('get one for each property that has become frequent, and old rows get their values', async () => {
    await commit(1500, (n) => ({
      plan: n % 2 ? 'pro' : 'free',
      price: n,
      isPaid: true,
      [`once ${n}`]: 1,
      none: null,
    }))
    expect(await readColumns()).toEqual([])
    await commit(2500, (n) => ({ price: n, plan: 'pro', $os: 'Linux' }))
    await commit(10, (n) => ({ plan: 'new', price: n + 0.5 }))
    await eventually(async () => (await readColumns()).every(([, unfilledRows]) => unfilledRows === 0))
    expect(await readColumns()).toEqual([
      ['price', 0],
      ['plan', 0],
    ])
    expect(
      await readFile(
        'SELECT p25, p26, count(*)::INTEGER, min(rowid)::INTEGER FROM internal.events WHERE rowid IN (0, 1, 3999, 4000) GROUP BY ALL ORDER BY 4',
      ),
    ).toEqual([
      ['1', 'pro', 1, 0],
      ['2', 'free', 1, 1],
      ['4000', 'pro', 1, 3999],
      ['4001.5', 'new', 1, 4000],
    ])
    expect(
      await select(store, "SELECT properties->>'plan' AS plan, count(*) FROM events GROUP BY 1 ORDER BY 1"),
    ).toEqual([
      ['free', 750],
      ['new', 10],
      ['pro', 3250],
    ])
  }, 60_000)

  it('answer for rows that are not filled yet, and a filling that was interrupted continues', async () => {
    await commit(3000, (n) => ({ plan: `plan ${n % 3}`, $os: 'x' }))
    await store.close()
    const instance = await openInstance(file, LIMITS)
    const connection = await instance.connect()
    // As a kill leaves it after the column was added.
    await connection.run('UPDATE internal.events SET p25 = NULL, layout = 25')
    await connection.run('DELETE FROM internal.property_columns WHERE number > 24')
    await connection.run("INSERT INTO internal.property_columns VALUES (25, 'plan', 3000)")
    connection.closeSync()
    instance.closeSync()
    store = await open()
    const sql = "SELECT properties->>'plan' AS plan, count(*) FROM events GROUP BY 1 ORDER BY 1"
    const expected = [
      ['plan 0', 1000],
      ['plan 1', 1000],
      ['plan 2', 1000],
    ]
    expect(await select(store, sql)).toEqual(expected)
    await eventually(async () => (await readColumns())[0]?.[1] === 0)
    expect(await readFile('SELECT count(*)::INTEGER, count(p25)::INTEGER FROM internal.events')).toEqual([[3000, 3000]])
    expect(await select(store, `${sql} LIMIT 3`)).toEqual(expected)
  }, 60_000)

  it('are at most 128, and the other frequent properties are as exact', async () => {
    const names = Array.from({ length: 150 }, (_, n) => `property ${n}`)
    const toProperties = (n: number) => Object.fromEntries(names.map((name, k) => [name, n * k]))
    await commit(2000, toProperties)
    // Waits for its turn, after the columns were added.
    await store.discard()
    await commit(10, toProperties)
    for (const name of [names.at(0), names.at(102), names.at(103), names.at(-1)]) {
      const k = names.indexOf(name!)
      expect(await select(store, `SELECT count(*), sum((properties->>'${name}')::INTEGER) FROM events`)).toEqual([
        [2010, (k * 2010 * 2011) / 2],
      ])
    }
    expect(await select(store, 'SELECT properties FROM events ORDER BY uuid LIMIT 1')).toEqual([
      [JSON.stringify(toProperties(1))],
    ])
    expect(await select(store, 'SELECT properties FROM events ORDER BY uuid DESC LIMIT 1')).toEqual([
      [JSON.stringify(toProperties(2010))],
    ])
    expect((await readColumns()).map(([property]) => property)).toEqual(names.slice(0, 128 - 25))
  }, 60_000)

  it('are filled in steps from the newest row to the oldest', async () => {
    await commit(10, (n) => ({ plan: `${n}` }))
    await store.close()
    const instance = await openInstance(file, LIMITS)
    const connection = await instance.connect()
    await connection.run('ALTER TABLE internal.events ADD COLUMN p25 VARCHAR')
    // More rows than one step has.
    await connection.run('INSERT INTO internal.events SELECT events.* FROM internal.events, range(1999) ORDER BY ALL')
    await connection.run("INSERT INTO internal.property_columns VALUES (25, 'plan', 20_000)")
    const steps: unknown[] = []
    const readState = () =>
      connection.runAndReadAll(
        'SELECT min(rowid) FILTER (p25 IS NOT NULL)::INTEGER, count(p25)::INTEGER FROM internal.events',
      )
    while (await fillNextRows(connection, await readPropertyColumns(connection)))
      steps.push((await readState()).getRows()[0])
    expect(steps).toEqual([
      [16_384, 20_000 - 16_384],
      [8192, 20_000 - 8192],
      [0, 20_000],
    ])
    connection.closeSync()
    instance.closeSync()
    store = await open()
  }, 60_000)
})
