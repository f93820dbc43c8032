import { expect, it } from 'vitest'
import { createWorkingSet, findPersonId } from '../../../src/service/persons/apply-change.ts'
import type { RowChange } from '../../../src/service/persons/change.ts'
import { createPersonCache } from '../../../src/service/persons/person-cache.ts'
import { derivePersonId } from '../../../src/service/persons/person-id.ts'
import { resolveChanges } from '../../../src/service/persons/resolve-changes.ts'

const change = (ordinal: number, distinctId: string, fromDistinctId: string | null = null): RowChange => ({
  inboxRow: 1,
  ordinal,
  timestampMs: 1000,
  change: {
    kind: 'person',
    distinctId,
    merge: fromDistinctId === null ? null : { fromDistinctId, kind: 'identify' },
    identifies: fromDistinctId !== null,
    set: { n: ordinal },
    setOnce: {},
    unset: [],
  },
})

const resolve = (changes: readonly RowChange[], events: number) => {
  const cache = createPersonCache()
  const workingSet = createWorkingSet(cache.personIds, cache.persons, new Map())
  const resolved = resolveChanges(1, { workingSet, changes }, cache, { inboxRow: 1, events })
  return { ...resolved, cache, workingSet }
}

it('applies the changes after the position, and names those before it', () => {
  const changes = [change(0, 'ada'), change(1, 'bob'), change(2, 'eve')]
  const { replayed, cache } = resolve(changes, 2)
  expect(replayed).toEqual(changes.slice(0, 2))
  expect([...cache.persons.values()]).toEqual([
    { id: derivePersonId(1, 'eve'), properties: { n: 2 }, createdAt: 1000, isIdentified: false },
  ])
  expect([...cache.propertyBytes.keys()]).toEqual([derivePersonId(1, 'eve')])
})

it('names the persons that were merged into others', () => {
  const { removed, workingSet } = resolve([change(0, 'anonymous'), change(1, 'ada'), change(2, 'ada', 'anonymous')], 0)
  expect(removed).toEqual([derivePersonId(1, 'anonymous')])
  expect(findPersonId(workingSet, 'anonymous')).toBe(derivePersonId(1, 'ada'))
})
