import { expect, onTestFinished, test } from 'vitest'
import { selectGroups, loadGroups, saveGroups, readGroupSizes } from '../../../../src/service/store/metadata/groups.ts'
import { createProject } from '../../../../src/service/store/metadata/projects.ts'
import { isOnPostgres, openTestMetadata } from '../../support/open-test-metadata.ts'

const openWithTwoProjects = async () => {
  const metadata = await openTestMetadata()
  onTestFinished(() => metadata.destroy())
  for (const name of ['one', 'two']) await createProject(metadata, name, 0)
  return metadata
}

const createGroup = (type: string, key: string, properties = {}) => ({ type, key, properties, createdAt: 1 })

test('loads the named groups of the project and no others', async () => {
  const metadata = await openWithTwoProjects()
  const specialGroups = [
    createGroup('company', "a'b"),
    createGroup("com'pany", 'a'),
    createGroup('team', 'a'),
    createGroup('company', 'a', { é: 1 }),
  ]
  // More than two chunks of 500.
  const numberedGroups = Array.from({ length: 1_200 }, (_, n) => createGroup('project', `key ${n}`, { n }))
  await saveGroups(metadata, 1, [...specialGroups, ...numberedGroups])
  await saveGroups(metadata, 2, [createGroup('team', 'b')])
  expect(await loadGroups(metadata, 1, [...numberedGroups, createGroup('team', 'b')])).toHaveLength(1_200)
  expect(await loadGroups(metadata, 1, specialGroups)).toEqual(
    expect.arrayContaining(specialGroups.map((group) => expect.objectContaining(group) as unknown)),
  )
  expect(await readGroupSizes(metadata, 1, [createGroup('company', 'a'), createGroup('none', 'a')])).toEqual([
    { type: 'company', key: 'a', bytes: 8 },
  ])
})

// The plan of SQLite.
test.skipIf(isOnPostgres())('looks up each group by the primary key, without a scan', async () => {
  const metadata = await openWithTwoProjects()
  const names = Array.from({ length: 5 }, (_, n) => ({ type: 'company', key: `key ${n}` }))
  const query = selectGroups(metadata, 1, names).selectAll().compile()
  const plan = await metadata.executeQuery<{ readonly detail: string }>({
    ...query,
    sql: `EXPLAIN QUERY PLAN ${query.sql}`,
  })
  const searches = plan.rows.map(({ detail }) => detail).filter((detail) => detail.includes('groups'))
  expect(searches).toEqual([expect.stringContaining('(project_id=? AND group_type=? AND group_key=?)')])
})
