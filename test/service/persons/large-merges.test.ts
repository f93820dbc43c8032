import { expect, it, onTestFinished } from 'vitest'
import type { RowChange } from '../../../src/service/persons/change.ts'
import { derivePersonId } from '../../../src/service/persons/person-id.ts'
import type { PersonUpdater } from '../../../src/service/persons/person-updater.ts'
import { createPersonUpdater } from '../../../src/service/persons/person-updater.ts'
import type { Metadata } from '../../../src/service/store/metadata/open.ts'
import { findPersonByPublicId, loadPersonProperties } from '../../../src/service/store/metadata/persons.ts'
import { createProject } from '../../../src/service/store/metadata/projects.ts'
import { positionAfterRow } from '../../../src/service/store/row-position.ts'
import { openTestMetadata } from '../support/open-test-metadata.ts'
import type { PersonChange } from './reference-persons.ts'
import { person } from './reference-persons.ts'

const openMetadata = async (): Promise<Metadata> => {
  const metadata = await openTestMetadata()
  onTestFinished(() => metadata.destroy())
  await createProject(metadata, 'one', 0)
  return metadata
}

const identify = (distinctId: string, fromDistinctId: string): PersonChange =>
  person({ distinctId, identifies: true, merge: { fromDistinctId, kind: 'identify' } })

/** `$create_alias`: the person of `from` is merged into the one of `alias`. */
const alias = (from: string, into: string): PersonChange =>
  person({ distinctId: into, identifies: true, merge: { fromDistinctId: from, kind: 'alias' } })

const createRun = (metadata: Metadata, updater: PersonUpdater = createPersonUpdater(metadata)) => {
  let inboxRow = 0
  return {
    updater,
    /** Applies and saves changes; the distinct ids that the event store must write. */
    async apply(...changes: readonly PersonChange[]): Promise<ReadonlyMap<string, string>> {
      inboxRow += 1
      const rowChanges = changes.map((change, ordinal): RowChange => ({ inboxRow, ordinal, change, timestampMs: 1000 }))
      const { persons } = await updater.apply(1, rowChanges, positionAfterRow(inboxRow))
      await updater.save(1)
      return persons.distinctIds
    },
  }
}

/** Number of distinct ids whose row was changed or added. */
const countWrites = async (metadata: Metadata, work: () => Promise<unknown>): Promise<number> => {
  const read = async () => {
    const rows = await metadata.selectFrom('person_distinct_ids').selectAll().execute()
    return new Map(rows.map((row) => [row.distinct_id, row.person_id]))
  }
  const before = await read()
  await work()
  return [...(await read())].filter(([id, personId]) => before.get(id) !== personId).length
}

const anonymousIds = (name: string, count: number): string[] => Array.from({ length: count }, (_, n) => `${name} ${n}`)

it('writes the ids that a merge adds, not those of the large person that it merges', async () => {
  const metadata = await openMetadata()
  const { apply } = createRun(metadata)
  await apply(...anonymousIds('anon', 1000).map((id) => identify('big', id)))
  let last = 'big'
  for (const next of ['main 0', 'main 1', 'main 2']) {
    await apply(person({ distinctId: next, set: { of: next } }))
    let written: ReadonlyMap<string, string> = new Map()
    const writes = await countWrites(metadata, async () => (written = await apply(alias(last, next))))
    expect([writes, written.size]).toEqual([1, 1])
    // The person of the alias stays, with its properties and for all ids.
    for (const id of ['big', 'anon 0', 'anon 999', next])
      expect((await loadPersonProperties(metadata, 1, [id])).get(id)).toEqual({
        id: derivePersonId(1, next),
        properties: { of: next },
      })
    expect(await findPersonByPublicId(metadata, 1, derivePersonId(1, next))).toMatchObject({
      publicId: derivePersonId(1, next),
      properties: { of: next },
      isIdentified: true,
    })
    expect(await findPersonByPublicId(metadata, 1, derivePersonId(1, last))).toBeUndefined()
    last = next
  }
  expect(await metadata.selectFrom('persons').select('id').execute()).toHaveLength(1)
})

it('moves the ids of the smaller of two large persons, which a new process counts', async () => {
  const metadata = await openMetadata()
  const first = createRun(metadata)
  await first.apply(...anonymousIds('many', 2500).map((id) => person({ distinctId: id })))
  await first.apply(...anonymousIds('many', 2500).map((id) => alias(id, 'larger')))
  await first.apply(...anonymousIds('few', 900).map((id) => alias(id, 'smaller')))
  // Only an identified person and another one can be merged.
  await metadata.updateTable('persons').set({ is_identified: 0 }).execute()
  for (const [from, into, expected] of [
    ['larger', 'smaller', 901],
    ['larger', 'tiny', 2],
  ] as const) {
    const { apply } = createRun(metadata)
    await metadata.deleteFrom('person_positions').execute()
    await metadata.updateTable('persons').set({ is_identified: 0 }).execute()
    if (into === 'tiny') await apply(person({ distinctId: 'tiny' }), identify('tiny', 'tiny anon'))
    expect(await countWrites(metadata, () => apply(alias(from, into)))).toBe(expected)
    expect((await loadPersonProperties(metadata, 1, ['many 7'])).get('many 7')?.id).toBe(derivePersonId(1, into))
  }
})

it('gives later ids of a merged large person its public id', async () => {
  const metadata = await openMetadata()
  const { apply } = createRun(metadata)
  await apply(...anonymousIds('anon', 200).map((id) => identify('big', id)), person({ distinctId: 'main' }))
  await apply(alias('big', 'main'))
  const { apply: applyLater } = createRun(metadata)
  await metadata.deleteFrom('person_positions').execute()
  await applyLater(identify('main', 'new'), person({ distinctId: 'anon 3', set: { plan: 'pro' } }))
  for (const id of ['new', 'main', 'anon 3'])
    expect((await loadPersonProperties(metadata, 1, [id])).get(id)).toEqual({
      id: derivePersonId(1, 'main'),
      properties: { plan: 'pro' },
    })
})
