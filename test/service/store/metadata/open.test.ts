import { expect, test, onTestFinished } from 'vitest'
import type { Metadata } from '../../../../src/service/store/metadata/open.ts'
import { loadPersons, savePersons } from '../../../../src/service/store/metadata/persons.ts'
import { createProject } from '../../../../src/service/store/metadata/projects.ts'
import { openTestMetadata } from '../../support/open-test-metadata.ts'

const open = async (): Promise<Metadata> => {
  const metadata = await openTestMetadata()
  onTestFinished(() => metadata.destroy())
  await createProject(metadata, 'one', 0)
  return metadata
}

/** What engines store, compare or order in different ways. */
const UNUSUAL_IDS = ['\0', 'a\0', '\uE000', '\uE0000', 'A', 'a', 'ä', 'Z', '_', '', ' a', '😀', '\uFFFD', '\uFF5E']

test('keeps every distinct id apart, and orders them by their bytes', async () => {
  const metadata = await open()
  const persons = UNUSUAL_IDS.map((distinctId, index) => ({
    id: `person ${index}`,
    properties: { [distinctId]: distinctId, json: ' \u0000 ' },
    createdAt: 2 ** 53 - 1 - index,
    isIdentified: index % 2 === 0,
  }))
  const newDistinctIds = UNUSUAL_IDS.map((distinctId, index) => [distinctId, `person ${index}`] as const)
  await metadata
    .transaction()
    .execute((transaction) => savePersons(transaction, 1, { persons, newDistinctIds, merges: [] }))
  const loaded = await loadPersons(
    metadata,
    1,
    persons.map(({ id }) => id),
  )
  expect(new Map(loaded.map((person) => [person.id, { ...person, stored: undefined }]))).toEqual(
    new Map(persons.map((person) => [person.id, person])),
  )
  const rows = await metadata.selectFrom('person_distinct_ids').selectAll().orderBy('distinct_id').execute()
  const mapped = rows.map((row) => [row.distinct_id, row.person_id] as const)
  expect(mapped).toHaveLength(UNUSUAL_IDS.length)
  expect(new Map(mapped)).toEqual(new Map(newDistinctIds))
  const plain = mapped.map(([distinctId]) => distinctId).filter((distinctId) => !/[\0\uE000]/.test(distinctId))
  expect(plain).toEqual(plain.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))))
})

test('finds nothing in an empty list', async () => {
  const metadata = await open()
  expect(await metadata.selectFrom('projects').select('id').where('id', 'in', []).execute()).toEqual([])
  expect(await metadata.selectFrom('projects').select('id').where('id', 'not in', []).execute()).toHaveLength(1)
})
