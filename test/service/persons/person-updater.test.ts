import * as fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import type { RowChange } from '../../../src/service/persons/change.ts'
import type { PersonUpdater } from '../../../src/service/persons/person-updater.ts'
import { createPersonUpdater } from '../../../src/service/persons/person-updater.ts'
import type { Metadata } from '../../../src/service/store/metadata/open.ts'
import { ONLY_NODE } from '../../../src/service/store/metadata/node-id.ts'
import { readPersonProgress } from '../../../src/service/store/metadata/person-progress.ts'
import { createProject } from '../../../src/service/store/metadata/projects.ts'
import { coversEvent, positionAfterRow, positionBeforeEvent } from '../../../src/service/store/row-position.ts'
import { isOnPostgres, openTestMetadata } from '../support/open-test-metadata.ts'
import type { PersonChange } from './reference-persons.ts'
import {
  addToCopy,
  anyTimedChange,
  createCopy,
  createReference,
  describeCopy,
  LARGE_BYTES,
  person,
  readMetadata,
} from './reference-persons.ts'

/** What happens after a batch is applied. `kill` ends the process; `fail` makes the commit of the event store fail. */
type Outcome = 'add' | 'commit' | 'kill' | 'kill after save' | 'fail'

const anyBatch = fc.record({
  changes: fc.array(anyTimedChange, { minLength: 1, maxLength: 4 }),
  outcome: fc.constantFrom<Outcome>('add', 'add', 'add', 'add', 'commit', 'commit', 'kill', 'kill after save', 'fail'),
})

const PERSON_TABLES = ['persons', 'person_distinct_ids', 'groups', 'person_positions'] as const

const openWithProject = async (): Promise<Metadata> => {
  const metadata = await openTestMetadata()
  onTestFinished(() => metadata.destroy())
  await createProject(metadata, 'one', 0)
  return metadata
}

it('has the same result however batches are saved, committed, repeated and killed', async () => {
  const metadata = await openWithProject()
  const settings = fc.record({
    isShared: fc.constant(isOnPostgres()),
    maxUnsaved: fc.constantFrom(2, 100, 100),
    maxCachedIds: fc.constantFrom(2, 100, 100),
    maxMovedIds: fc.constantFrom(1, 100),
    minBaseBytes: fc.constantFrom(LARGE_BYTES / 2, 8 * LARGE_BYTES),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(anyBatch, { minLength: 1, maxLength: 12 }), settings, async (batches, options) => {
      const run = async (outcomes: readonly Outcome[]) => {
        for (const table of PERSON_TABLES) await metadata.deleteFrom(table).execute()
        let updater: PersonUpdater = createPersonUpdater(metadata, options)
        let committed = createCopy()
        let added = createCopy()
        let firstUncommitted = 0
        let tries = 0
        for (let batch = 0; batch < batches.length;) {
          const changes = batches[batch]!.changes.map(({ change, timestampMs }, ordinal): RowChange => ({
            inboxRow: batch + 1,
            ordinal,
            change,
            timestampMs,
          }))
          const { persons } = await updater.apply(1, changes, positionAfterRow(batch + 1))
          addToCopy(added, persons)
          batch += 1
          // A second failure at the same place would go on without end.
          const outcome = tries > batches.length ? 'commit' : outcomes[batch - 1]!
          if (outcome === 'add') continue
          tries += 1
          if (outcome !== 'kill') await updater.save(1)
          if (outcome === 'commit') {
            committed = createCopy(added)
            firstUncommitted = batch
            continue
          }
          if (outcome !== 'fail') updater = createPersonUpdater(metadata, options)
          added = createCopy(committed)
          batch = firstUncommitted
        }
        await updater.save(1)
        return { metadata: await readMetadata(metadata), copy: describeCopy(added) }
      }
      const expected = await run(batches.map(() => 'commit'))
      expect(expected.copy).toEqual(expected.metadata)
      const reference = createReference()
      for (const { changes } of batches) reference.apply(changes)
      expect(expected.metadata).toEqual(describeCopy(reference.read()))
      expect(await run(batches.map(({ outcome }) => outcome))).toEqual(expected)
    }),
    // Each run has dozens of transactions, which a server answers more slowly.
    { numRuns: isOnPostgres() ? 40 : 150 },
  )
})

it('writes nothing before `save`, and then the position that covers it', async () => {
  const metadata = await openWithProject()
  const updater = createPersonUpdater(metadata)
  const change = person({ distinctId: 'ada', set: { plan: 'pro' } })
  const rowChange = (inboxRow: number): RowChange => ({ inboxRow, ordinal: 0, change, timestampMs: 0 })
  const first = await updater.apply(1, [rowChange(1)], positionAfterRow(1))
  const second = await updater.apply(1, [rowChange(2)], positionAfterRow(2))
  expect([first.persons.revision, second.persons.revision]).toEqual([1, 1])
  expect((await readMetadata(metadata)).persons).toEqual([])
  await updater.save(1)
  expect((await readMetadata(metadata)).persons).toMatchObject([[expect.any(String), { plan: 'pro' }, 0, false]])
  expect(await readPersonProgress(metadata, ONLY_NODE, 1)).toEqual({ position: positionAfterRow(2), revision: 1 })
})

it('reads the persons again after a failed save', async () => {
  const metadata = await openWithProject()
  const updater = createPersonUpdater(metadata)
  const change = person({ distinctId: 'ada', set: { plan: 'pro' } })
  const changes: RowChange[] = [{ inboxRow: 1, ordinal: 0, change, timestampMs: 0 }]
  await updater.apply(1, changes, positionAfterRow(1))
  await metadata.schema.alterTable('persons').renameTo('hidden').execute()
  await expect(updater.save(1)).rejects.toThrow(/no such table|does not exist/)
  await metadata.schema.alterTable('hidden').renameTo('persons').execute()
  const { persons } = await updater.apply(1, changes, positionAfterRow(1))
  expect(persons.persons).toMatchObject([{ properties: { plan: 'pro' } }])
  await updater.save(1)
  expect((await readMetadata(metadata)).persons).toHaveLength(1)
})

it('moves the distinct ids of a person that lost two merges between saves', async () => {
  const metadata = await openWithProject()
  const updater = createPersonUpdater(metadata)
  const apply = async (inboxRow: number, ...changes: PersonChange[]) => {
    const rowChanges = changes.map((change, ordinal) => ({ inboxRow, ordinal, change, timestampMs: 0 }))
    return (await updater.apply(1, rowChanges, positionAfterRow(inboxRow))).persons.distinctIds
  }
  const stored = await apply(1, ...['a', 'b', 'c'].map((distinctId) => person({ distinctId })))
  await updater.save(1)
  await apply(2, person({ distinctId: 'b', merge: { fromDistinctId: 'a', kind: 'alias' } }))
  const moved = await apply(3, person({ distinctId: 'c', merge: { fromDistinctId: 'b', kind: 'alias' } }))
  expect(Object.fromEntries(moved)).toEqual({ a: stored.get('c'), b: stored.get('c') })
})

const rowChangesOf = (inboxRow: number, ...changes: RowChange['change'][]): RowChange[] =>
  changes.map((change, ordinal) => ({ inboxRow, ordinal, change, timestampMs: 0 }))

it('saves groups before they need too much memory', async () => {
  const metadata = await openWithProject()
  const updater = createPersonUpdater(metadata)
  const text = 'x'.repeat(500_000)
  for (let row = 1; row <= 80; row++) {
    const change = { kind: 'group' as const, type: 'company', key: `key ${row}`, set: { text } }
    await updater.apply(1, rowChangesOf(row, change), positionAfterRow(row))
  }
  // All but 16 MB.
  expect((await readMetadata(metadata)).groups.length).toBeGreaterThanOrEqual(48)
})

it('gives an id whose row is lost to the winner of a merge that is not saved', async () => {
  const metadata = await openWithProject()
  const apply = async (updater: PersonUpdater, inboxRow: number, ...changes: PersonChange[]) =>
    (await updater.apply(1, rowChangesOf(inboxRow, ...changes), positionAfterRow(inboxRow))).persons
  const first = createPersonUpdater(metadata)
  await apply(
    first,
    1,
    person({ distinctId: 'phone' }),
    person({ distinctId: 'tablet', merge: { fromDistinctId: 'phone', kind: 'alias' } }),
    person({ distinctId: 'ada' }),
  )
  await first.save(1)
  await metadata.deleteFrom('person_distinct_ids').where('distinct_id', '=', 'phone').execute()
  const updater = createPersonUpdater(metadata)
  const copy = createCopy()
  const merge = { fromDistinctId: 'tablet', kind: 'alias' } as const
  addToCopy(copy, await apply(updater, 2, person({ distinctId: 'ada', merge })))
  addToCopy(copy, await apply(updater, 3, person({ distinctId: 'phone', set: { plan: 'pro' } })))
  await updater.save(1)
  const { persons, distinctIds } = await readMetadata(metadata)
  const mapped = new Set(distinctIds.map(([, personId]) => personId))
  expect(persons.filter(([personId]) => !mapped.has(personId as string))).toEqual([])
  expect(persons).toMatchObject([[expect.any(String), { plan: 'pro' }, 0, false]])
  expect(describeCopy(copy).persons).toEqual(persons)
})

it('warns once of a property that is left out, although its save fails at first', async () => {
  const metadata = await openWithProject()
  const warnings: string[] = []
  const updater = createPersonUpdater(metadata, { warn: (message) => warnings.push(message) })
  const set = { text: 'x'.repeat(2_000_000) }
  const changes = rowChangesOf(1, person({ distinctId: 'ada' }), person({ distinctId: 'ada', set }))
  await updater.apply(1, changes, positionAfterRow(1))
  await metadata.schema.alterTable('persons').renameTo('hidden').execute()
  await expect(updater.save(1)).rejects.toThrow(/no such table|does not exist/)
  await metadata.schema.alterTable('hidden').renameTo('persons').execute()
  await updater.apply(1, changes, positionAfterRow(1))
  await updater.save(1)
  expect(warnings).toEqual([expect.stringContaining('all properties together would exceed')])
})

it('makes a person older whose merge was refused', async () => {
  const metadata = await openWithProject()
  const updater = createPersonUpdater(metadata)
  const identify = (distinctId: string, timestampMs: number, fromDistinctId?: string): Omit<RowChange, 'inboxRow'> => {
    const merge = fromDistinctId === undefined ? null : ({ fromDistinctId, kind: 'identify' } as const)
    return { ordinal: 0, timestampMs, change: person({ distinctId, identifies: true, merge }) }
  }
  const changes = [
    identify('ada', 5000),
    identify('bob', 5000),
    identify('bob', 1000, 'ada'),
    { ordinal: 0, timestampMs: 2000, change: person({ distinctId: 'ada' }) },
  ]
  for (const [row, change] of changes.entries())
    await updater.apply(1, [{ inboxRow: row + 1, ...change }], positionAfterRow(row + 1))
  await updater.save(1)
  const { persons } = await readMetadata(metadata)
  expect(new Set(persons.map(([, , createdAt]) => createdAt))).toEqual(new Set([1000, 2000]))
})

it('creates a person again whose save failed', async () => {
  const metadata = await openWithProject()
  const updater = createPersonUpdater(metadata)
  const changes: RowChange[] = [
    { inboxRow: 1, ordinal: 0, change: person({ distinctId: 'ada' }), timestampMs: 1000 },
    { inboxRow: 1, ordinal: 1, change: person({ distinctId: 'ada' }), timestampMs: 3000 },
  ]
  await updater.apply(1, changes.slice(0, 1), positionBeforeEvent(changes[1]!))
  await metadata.schema.alterTable('persons').renameTo('hidden').execute()
  await expect(updater.save(1)).rejects.toThrow(/no such table|does not exist/)
  await metadata.schema.alterTable('hidden').renameTo('persons').execute()
  await updater.apply(1, changes.slice(1), positionAfterRow(1))
  await updater.save(1)
  expect((await readMetadata(metadata)).persons).toMatchObject([[expect.any(String), {}, 3000, false]])
})

it('creates a person whose event comes after persons that fill the memory', async () => {
  const metadata = await openWithProject()
  const text = 'x'.repeat(500_000)
  const large = Array.from({ length: 40 }, (_, n) => person({ distinctId: `large ${n}`, set: { text } }))
  const first = createPersonUpdater(metadata)
  await first.apply(1, rowChangesOf(1, ...large), positionAfterRow(1))
  await first.save(1)
  const updater = createPersonUpdater(metadata)
  const changes = rowChangesOf(2, ...large, person({ distinctId: 'ada' }))
  const { position } = await updater.apply(1, changes, positionAfterRow(2))
  expect(position.events).toBeLessThan(40)
  const rest = changes.filter((change) => !coversEvent(position, change))
  const { persons } = await updater.apply(1, rest, positionAfterRow(2))
  expect([...persons.distinctIds.keys()]).toEqual(['ada'])
})
