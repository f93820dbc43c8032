import * as fc from 'fast-check'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  COUNT_COLUMN,
  countRows,
  openEventCounts,
  selectEventCounts,
} from '../../../../../../src/service/store/events/duckdb/event-table/event-counts.ts'
import { openEventTable } from '../../../../../../src/service/store/events/duckdb/event-table/event-table.ts'
import { openPropertyColumns } from '../../../../../../src/service/store/events/duckdb/event-table/property-column.ts'
import type { EventStore } from '../../../../../../src/service/store/events/event-store.ts'
import type { EventFile } from '../../../../../../src/service/store/events/duckdb/open-instance.ts'
import { openInstance } from '../../../../../../src/service/store/events/duckdb/open-instance.ts'
import { openDuckDbStore } from '../../../../../../src/service/store/events/duckdb/open-store.ts'
import { TABLES } from '../../../../../../src/service/store/events/duckdb/schema.ts'
import { derivePersonId } from '../../../../../../src/service/persons/person-id.ts'
import { batchOf, storedEvent } from '../../../../../contract/service-event-store.ts'
import { eventually } from '../../../../support/service-process.ts'
import { createTempFolder } from '../../../../support/temp-folder.ts'

const LIMITS = { memoryMb: 128, spillMb: 0, threads: 1 }
const QUARTER_MS = 15 * 60_000

describe('the counts of events', () => {
  let file: string
  let instance: EventFile
  let connection: Awaited<ReturnType<EventFile['connect']>>
  beforeEach(async () => {
    file = join(createTempFolder(), '1.duckdb')
    instance = await openInstance(file, LIMITS)
    connection = await instance.connect()
    for (const statement of TABLES) await connection.run(statement)
  })
  afterEach(() => {
    connection.closeSync()
    instance.closeSync()
  })

  const insert = (events: readonly { readonly event: string; readonly timestamp: number }[]) =>
    connection.run(
      `INSERT INTO internal.events BY NAME SELECT uuid() AS uuid, event, 0 AS distinct_id_number, make_timestamptz(time * 1000) AS timestamp,
        now() AS received_at, false AS historical, 25 AS layout, '{0}' AS shape, '{}' AS rest
        FROM (VALUES ${events.map(({ event, timestamp }) => `('${event}', ${timestamp}::BIGINT)`).join(', ')}) AS rows(event, time)`,
    )
  const read = async (countedRows: number) =>
    (
      await connection.runAndReadAll(
        `SELECT floor(epoch_ms(timestamp) / ${QUARTER_MS}) AS quarter, event, sum("${COUNT_COLUMN}")::INTEGER FROM (${selectEventCounts(countedRows)})
          GROUP BY ALL ORDER BY ALL`,
      )
    ).getRows()

  it('are those of the rows, however many of them are counted, and whenever they happened', async () => {
    const events = fc.array(
      fc.record({
        event: fc.constantFrom('a', 'b'),
        timestamp: fc.oneof(
          fc.integer({ min: -3 * QUARTER_MS, max: 3 * QUARTER_MS }),
          fc.integer({ min: -62_000_000_000_000, max: 250_000_000_000_000 }),
        ),
      }),
      { minLength: 1, maxLength: 20 },
    )
    let rows = 0
    let counted = 0
    await fc.assert(
      fc.asyncProperty(events, fc.nat({ max: 20 }), async (added, step) => {
        await insert(added)
        rows += added.length
        const expected = await read(0)
        const next = Math.min(rows, counted + step)
        if (next > counted) await countRows(connection, counted, next)
        // A SELECT that began before the step does not see it.
        expect(await read(counted)).toEqual(expected)
        counted = next
        expect(await read(counted)).toEqual(expected)
        expect(await openEventCounts(connection)).toBe(counted)
      }),
      { numRuns: 40 },
    )
  })

  it('are made again if they do not fit the rows', async () => {
    await insert([1, 2, 3].map((timestamp) => ({ event: 'a', timestamp })))
    await countRows(connection, 0, 2)
    expect(await openEventCounts(connection)).toBe(2)
    await connection.run('UPDATE internal.event_counts SET count = count + 1')
    expect(await openEventCounts(connection)).toBe(0)
    expect(await read(0)).toEqual([[0, 'a', 3]])
    await countRows(connection, 0, 2)
    // As after a copy of the tables without their last events.
    await connection.run('DELETE FROM internal.events')
    expect(await openEventCounts(connection)).toBe(0)
  })

  it('end, until the next open, where they are almost as many as the rows', async () => {
    const times = (step: number) => Array.from({ length: 8 }, (_, n) => ({ event: 'a', timestamp: n * step }))
    await insert([...times(QUARTER_MS / 4), ...times(QUARTER_MS), ...times(QUARTER_MS), ...times(QUARTER_MS)])
    const columns = await openPropertyColumns(connection)
    const open = () => openEventTable(connection, { numberOf: () => 0 }, columns, { countStepRows: 8 })
    const table = await open()
    expect([await table.countNext(), await table.countNext(), await table.countNext()]).toEqual([true, false, false])
    expect(table.countedRows()).toBe(16)
    const reopened = await open()
    expect(reopened.countedRows()).toBe(16)
    expect(await reopened.countNext()).toBe(false)
    expect(reopened.countedRows()).toBe(24)
  })

  it('of a file of an earlier version are made in the background, step by step', async () => {
    await insert(Array.from({ length: 10 }, (_, timestamp) => ({ event: 'a', timestamp })))
    await connection.run('DROP TABLE internal.event_counts')
    const options = {
      file,
      deriveOriginId: (id: string) => derivePersonId(1, id),
      ...LIMITS,
      countStepRows: 4,
      minEventsPerCount: 0,
    }
    const withStore = async (use: (store: EventStore) => Promise<void>): Promise<void> => {
      connection.closeSync()
      instance.closeSync()
      const store = await openDuckDbStore(options)
      await use(store)
      await store.close()
      instance = await openInstance(file, LIMITS)
      connection = await instance.connect()
    }
    await withStore(async (store) => {
      await store.commit(batchOf([storedEvent(1)]))
      await store.commit(batchOf([storedEvent(2)]))
    })
    // A store that closes ends the steps.
    await eventually(async () => {
      await withStore(async (store) => void (await store.query({ sql: 'SELECT 1', timeoutMs: 10_000, maxRows: 1 })))
      return (await openEventCounts(connection)) === 12
    })
    const reader = await connection.runAndReadAll(
      'SELECT DISTINCT before_row::INTEGER FROM internal.event_counts ORDER BY 1',
    )
    expect(reader.getRows()).toEqual([[4], [8], [12]])
  })
})
