import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CHECKED_UUIDS_STAGING, findStored } from '../../../../../src/service/store/events/duckdb/find-stored.ts'
import type { EventFile } from '../../../../../src/service/store/events/duckdb/open-instance.ts'
import { openInstance } from '../../../../../src/service/store/events/duckdb/open-instance.ts'
import { packUuids } from '../../../../../src/service/store/events/duckdb/rows/uuid-words.ts'
import { TABLES } from '../../../../../src/service/store/events/duckdb/schema.ts'

describe('findStored', () => {
  let instance: EventFile
  let connection: Awaited<ReturnType<EventFile['connect']>>
  beforeEach(async () => {
    instance = await openInstance(':memory:', { memoryMb: 128, spillMb: 0, threads: 1 })
    connection = await instance.connect()
    for (const statement of [...TABLES, CHECKED_UUIDS_STAGING]) await connection.run(statement)
  })
  afterEach(() => {
    connection.closeSync()
    instance.closeSync()
  })

  it('returns the places of stored uuids, of a few and of many', async () => {
    const uuid = fc.uuid({ version: 7 })
    const anyCase = fc
      .uniqueArray(uuid, { maxLength: 60 })
      .chain((stored) =>
        fc.tuple(
          fc.constant(stored),
          fc.array(fc.oneof(uuid, stored.length > 0 ? fc.constantFrom(...stored) : uuid), { maxLength: 40 }),
        ),
      )
    await fc.assert(
      fc.asyncProperty(anyCase, async ([stored, sought]) => {
        await connection.run('DELETE FROM internal.events')
        for (const id of stored)
          await connection.run(
            `INSERT INTO internal.events BY NAME SELECT '${id}'::UUID AS uuid, 'a' AS event, 0 AS distinct_id_number, now() AS timestamp,
              now() AS received_at, false AS historical, 0 AS layout, '' AS shape, '' AS rest`,
          )
        const places = await findStored(connection, packUuids(sought))
        const expected = [...sought.keys()].filter((place) => stored.includes(sought[place]!))
        expect([...places].sort((a, b) => a - b)).toEqual(expected)
      }),
      { numRuns: 30 },
    )
  })
})
