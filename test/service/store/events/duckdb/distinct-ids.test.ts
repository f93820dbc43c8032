import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { derivePersonId } from '../../../../../src/service/persons/person-id.ts'
import type { DistinctIds } from '../../../../../src/service/store/events/duckdb/distinct-ids.ts'
import { openDistinctIds } from '../../../../../src/service/store/events/duckdb/distinct-ids.ts'
import { readFileFacts } from '../../../../../src/service/store/events/duckdb/file-facts.ts'
import { openInstance } from '../../../../../src/service/store/events/duckdb/open-instance.ts'
import { packUuids } from '../../../../../src/service/store/events/duckdb/rows/uuid-words.ts'
import { STAGING, TABLES } from '../../../../../src/service/store/events/duckdb/schema.ts'

const originOf = (distinctId: string) => derivePersonId(1, distinctId)
const NO_PERSONS = new Map<string, string>()

describe('the numbers of distinct ids', () => {
  let instance: Awaited<ReturnType<typeof openInstance>>
  let connection: Awaited<ReturnType<typeof instance.connect>>
  let ids: DistinctIds
  beforeEach(async () => {
    instance = await openInstance(':memory:', { memoryMb: 256, spillMb: 0, threads: 1 })
    connection = await instance.connect()
    for (const statement of [...TABLES, ...STAGING]) await connection.run(statement)
    ids = await open()
  })
  afterEach(() => {
    connection.closeSync()
    instance.closeSync()
  })

  const open = async (maxGenerationIds?: number, origins?: Uint32Array): Promise<DistinctIds> => {
    const { idCount } = await readFileFacts(connection)
    return openDistinctIds(connection, { deriveOriginId: originOf, idCount, origins, maxGenerationIds })
  }

  const readTable = async () =>
    (
      await connection.runAndReadAll(
        'SELECT number, distinct_id, origin_id::VARCHAR, person_id::VARCHAR FROM internal.distinct_ids ORDER BY number',
      )
    ).getRows()

  it('count from 0 and stay the same', async () => {
    await ids.add(['ada', 'bob', 'ada'], NO_PERSONS)
    await ids.add(['cyd', 'bob'], NO_PERSONS)
    expect(['cyd', 'bob'].map(ids.numberOf)).toEqual([2, 1])
    const reopened = await open()
    await reopened.add(['new', 'cyd', 'ada'], NO_PERSONS)
    expect(['new', 'cyd', 'ada'].map(reopened.numberOf)).toEqual([3, 2, 0])
    expect(await readTable()).toEqual(
      ['ada', 'bob', 'cyd', 'new'].map((distinctId, number) => [number, distinctId, originOf(distinctId), null]),
    )
  })

  it('are given again after a rollback', async () => {
    await ids.add(['ada'], NO_PERSONS)
    ids.onCommit()
    await connection.run('BEGIN TRANSACTION')
    await ids.add(['bob', 'ada'], new Map([['ada', originOf('bob')]]))
    await connection.run('ROLLBACK')
    ids.onRollback()
    await ids.add(['cyd', 'ada'], NO_PERSONS)
    expect(['cyd', 'ada'].map(ids.numberOf)).toEqual([1, 0])
    await ids.add([], new Map([['ada', originOf('bob')]]))
    expect(await readTable()).toEqual([
      [0, 'ada', originOf('ada'), originOf('bob')],
      [1, 'cyd', originOf('cyd'), null],
    ])
  })

  it('keep their person until it changes, also beyond those in memory', async () => {
    ids = await open(2500)
    const many = Array.from({ length: 6000 }, (_, n) => `user ${n}`)
    await ids.add(many, new Map(many.slice(0, 2).map((distinctId) => [distinctId, originOf('merged')])))
    await ids.add(['another'], NO_PERSONS)
    await ids.add(['user 0', 'user 1'], new Map([['user 1', originOf('user 1')]]))
    expect([ids.numberOf('user 0'), ids.numberOf('user 1')]).toEqual([0, 1])
    expect((await readTable()).slice(0, 3).map((row) => row[3])).toEqual([originOf('merged'), originOf('user 1'), null])
    expect(await readTable()).toHaveLength(6001)
  })

  it('are the same however batches are committed, rolled back and opened again', async () => {
    const id = fc.nat(12).map((n) => `user ${n}`)
    const anyBatch = fc.record({
      distinctIds: fc.array(id, { maxLength: 4 }),
      persons: fc.array(fc.tuple(id, id), { maxLength: 3 }),
      outcome: fc.constantFrom('add', 'add', 'commit', 'commit', 'rollback', 'reopen', 'reopen known'),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyBatch, { maxLength: 12 }),
        fc.constantFrom(1, 2, 4, 100),
        async (batches, maxGenerationIds) => {
          await connection.run('DELETE FROM internal.distinct_ids')
          let opened = await open(maxGenerationIds)
          /** Distinct ids in the order of their numbers, with their persons. */
          let added = new Map<string, string | null>()
          let committed = new Map(added)
          await connection.run('BEGIN TRANSACTION')
          for (const { distinctIds, persons, outcome } of batches) {
            await opened.add(
              distinctIds,
              new Map(persons.map(([distinctId, person]) => [distinctId, originOf(person)])),
            )
            for (const distinctId of distinctIds) added.set(distinctId, added.get(distinctId) ?? null)
            for (const [distinctId, person] of persons) added.set(distinctId, originOf(person))
            const numbers = new Map([...added.keys()].map((distinctId, number) => [distinctId, number]))
            for (const distinctId of distinctIds) expect(opened.numberOf(distinctId)).toBe(numbers.get(distinctId))
            if (outcome === 'add') continue
            const isRolledBack = outcome === 'rollback'
            await connection.run(isRolledBack ? 'ROLLBACK' : 'COMMIT')
            if (isRolledBack) opened.onRollback()
            else opened.onCommit()
            if (isRolledBack) added = new Map(committed)
            else committed = new Map(added)
            if (outcome === 'reopen') opened = await open(maxGenerationIds)
            if (outcome === 'reopen known') opened = await open(maxGenerationIds, opened.origins())
            await connection.run('BEGIN TRANSACTION')
          }
          const rows = [...added].map(([distinctId, person], number) => [
            number,
            distinctId,
            originOf(distinctId),
            person,
          ])
          expect(await readTable()).toEqual(rows)
          await connection.run('COMMIT')
        },
      ),
      { numRuns: 40 },
    )
  })

  it('are known to the next opening without a table, if they are few', async () => {
    await ids.add(['ada', 'bob'], NO_PERSONS)
    ids.onCommit()
    expect(ids.origins()).toEqual(packUuids(['ada', 'bob'].map(originOf)))
    const next = await open(undefined, ids.origins())
    await connection.run('ALTER TABLE internal.distinct_ids RENAME TO hidden')
    await next.add(['bob', 'ada'], NO_PERSONS)
    expect(['bob', 'ada'].map(next.numberOf)).toEqual([1, 0])
    await connection.run('ALTER TABLE internal.hidden RENAME TO distinct_ids')
    const many = Array.from({ length: 255 }, (_, n) => `user ${n}`)
    await next.add(many, NO_PERSONS)
    next.onCommit()
    expect(next.origins()).toBe(undefined)
  })

  it('remain when all persons are removed', async () => {
    await ids.add(['ada'], new Map([['ada', originOf('ada')]]))
    await ids.removePersons()
    expect(await readTable()).toEqual([[0, 'ada', originOf('ada'), null]])
    await ids.add(['ada'], new Map([['ada', originOf('ada')]]))
    expect((await readTable())[0]?.[3]).toBe(originOf('ada'))
  })

  it('are the same for distinct ids that the table has as the same text', async () => {
    await ids.add(['u\ud800', 'u\ud801', 'ada'], NO_PERSONS)
    expect(['u\ud800', 'u\ud801', 'u\uFFFD', 'ada'].map(ids.numberOf)).toEqual([0, 0, 0, 1])
    await ids.add(['u\udfff'], new Map([['u\ud801', originOf('ada')]]))
    expect(await readTable()).toEqual([
      [0, 'u\uFFFD', originOf('u\uFFFD'), originOf('ada')],
      [1, 'ada', originOf('ada'), null],
    ])
    const reopened = await open()
    await reopened.add(['u\ud802'], NO_PERSONS)
    expect(reopened.numberOf('u\ud802')).toBe(0)
  })

  it('are only known for distinct ids that were added', () => {
    expect(() => ids.numberOf('nobody')).toThrow('The distinct id "nobody" was not added.')
  })
})
