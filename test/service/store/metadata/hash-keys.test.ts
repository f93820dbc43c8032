import { expect, onTestFinished, test } from 'vitest'
import { loadHashKey, saveHashKey } from '../../../../src/service/store/metadata/hash-keys.ts'
import type { Metadata } from '../../../../src/service/store/metadata/open.ts'
import { savePersons } from '../../../../src/service/store/metadata/persons.ts'
import { createProject } from '../../../../src/service/store/metadata/projects.ts'
import { isOnPostgres, openTestMetadata } from '../../support/open-test-metadata.ts'

const openStore = async () => {
  const metadata = await openTestMetadata()
  onTestFinished(() => metadata.destroy())
  const { id: projectId } = await createProject(metadata, 'Shop', 1)
  return { metadata, projectId }
}

const savePerson = (metadata: Metadata, projectId: number, distinctIds: readonly string[]): Promise<void> =>
  savePersons(metadata, projectId, {
    persons: [{ id: 'p', properties: {}, createdAt: 1, isIdentified: true }],
    newDistinctIds: distinctIds.map((distinctId) => [distinctId, 'p']),
    merges: [],
  })

test('keeps the first hash key and finds it by any distinct id of the person', async () => {
  const { metadata, projectId } = await openStore()
  await saveHashKey(metadata, projectId, { distinctId: 'b', hashKey: 'first' }, 1)
  await saveHashKey(metadata, projectId, { distinctId: 'b', hashKey: 'second' }, 2)
  await saveHashKey(metadata, projectId, { distinctId: 'a', hashKey: 'third' }, 3)
  expect([await loadHashKey(metadata, projectId, 'a'), await loadHashKey(metadata, projectId, 'c')]).toEqual([
    'third',
    undefined,
  ])
  await savePerson(metadata, projectId, ['a', 'b', 'c'])
  for (const distinctId of ['a', 'b', 'c']) expect(await loadHashKey(metadata, projectId, distinctId)).toBe('first')
  expect(await loadHashKey(metadata, projectId + 1, 'a')).toBeUndefined()
})

test('checks at most 50 distinct ids of a person, and always the requested one', async () => {
  const { metadata, projectId } = await openStore()
  // Many more than the 50 that are checked, so that `id-4999` is not among them.
  const distinctIds = Array.from({ length: 5000 }, (_, index) => `id-${index}`)
  await savePerson(metadata, projectId, distinctIds)
  await saveHashKey(metadata, projectId, { distinctId: 'id-4999', hashKey: 'far' }, 1)
  expect([await loadHashKey(metadata, projectId, 'id-4999'), await loadHashKey(metadata, projectId, 'id-7')]).toEqual([
    'far',
    undefined,
  ])
  await saveHashKey(metadata, projectId, { distinctId: 'id-3', hashKey: 'near' }, 2)
  expect(await loadHashKey(metadata, projectId, 'id-7')).toBe('near')
})

// The plans of SQLite.
test.skipIf(isOnPostgres())('uses indexes for all lookups', async () => {
  const { metadata, projectId } = await openStore()
  const executor = metadata.getExecutor()
  const queries: ReturnType<typeof executor.compileQuery>[] = []
  const recordingMetadata = metadata.withPlugin({
    transformQuery: ({ node, queryId }) => {
      queries.push(executor.compileQuery(node, queryId))
      return node
    },
    transformResult: async ({ result }) => result,
  })
  await loadHashKey(recordingMetadata, projectId, 'a')
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
