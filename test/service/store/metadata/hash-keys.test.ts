import { expect, onTestFinished, test } from 'vitest'
import { loadHashKey, saveHashKey } from '../../../../src/service/store/metadata/hash-keys.ts'
import { openMetadata } from '../../../../src/service/store/metadata/open.ts'
import type { Metadata } from '../../../../src/service/store/metadata/open.ts'
import { savePersons } from '../../../../src/service/store/metadata/persons.ts'
import { createProject } from '../../../../src/service/store/metadata/projects.ts'

const openStore = async () => {
  const metadata = await openMetadata(':memory:')
  onTestFinished(() => metadata.destroy())
  const { id } = await createProject(metadata, 'Shop', 1)
  return { metadata, id }
}

const savePerson = (metadata: Metadata, projectId: number, distinctIds: readonly string[]): Promise<void> =>
  savePersons(metadata, projectId, {
    persons: [{ id: 'p', properties: {}, createdAt: 1, isIdentified: true }],
    newDistinctIds: distinctIds.map((distinctId) => [distinctId, 'p']),
    merges: [],
  })

test('keeps the first id, and finds it by any distinct id of the person', async () => {
  const { metadata, id } = await openStore()
  await saveHashKey(metadata, id, { distinctId: 'b', hashKey: 'first' }, 1)
  await saveHashKey(metadata, id, { distinctId: 'b', hashKey: 'second' }, 2)
  await saveHashKey(metadata, id, { distinctId: 'a', hashKey: 'third' }, 3)
  expect([await loadHashKey(metadata, id, 'a'), await loadHashKey(metadata, id, 'c')]).toEqual(['third', undefined])
  await savePerson(metadata, id, ['a', 'b', 'c'])
  for (const distinctId of ['a', 'b', 'c']) expect(await loadHashKey(metadata, id, distinctId)).toBe('first')
  expect(await loadHashKey(metadata, id + 1, 'a')).toBeUndefined()
})

test('checks 50 distinct ids of a person and the requested one', async () => {
  const { metadata, id } = await openStore()
  const distinctIds = Array.from({ length: 5000 }, (_, index) => `id-${index}`)
  await savePerson(metadata, id, distinctIds)
  await saveHashKey(metadata, id, { distinctId: 'id-4999', hashKey: 'far' }, 1)
  expect([await loadHashKey(metadata, id, 'id-4999'), await loadHashKey(metadata, id, 'id-7')]).toEqual([
    'far',
    undefined,
  ])
  await saveHashKey(metadata, id, { distinctId: 'id-3', hashKey: 'near' }, 2)
  expect(await loadHashKey(metadata, id, 'id-7')).toBe('near')
})

test('uses indexes for all lookups', async () => {
  const { metadata, id } = await openStore()
  const executor = metadata.getExecutor()
  const queries: ReturnType<typeof executor.compileQuery>[] = []
  const recording = metadata.withPlugin({
    transformQuery: ({ node, queryId }) => {
      queries.push(executor.compileQuery(node, queryId))
      return node
    },
    transformResult: async ({ result }) => result,
  })
  await loadHashKey(recording, id, 'a')
  const plans: unknown[] = []
  for (const query of queries) {
    const { rows } = await metadata.executeQuery({ ...query, sql: `explain query plan ${query.sql}` })
    for (const row of rows) plans.push(Object(row).detail)
  }
  expect(plans.filter((step) => !String(step).startsWith('USE TEMP B-TREE'))).toEqual([
    expect.stringMatching(/^SEARCH own .*\(project_id=\? AND distinct_id=\?\)$/),
    expect.stringMatching(/^SEARCH other .*\(project_id=\? AND person_id=\?\)$/),
    expect.stringMatching(/^SEARCH hash_keys .*\(project_id=\? AND distinct_id=\?\)$/),
  ])
})
