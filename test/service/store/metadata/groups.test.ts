import { expect, onTestFinished, test } from 'vitest'
import { selectGroups, loadGroups, saveGroups, readGroupSizes } from '../../../../src/service/store/metadata/groups.ts'
import { openMetadata } from '../../../../src/service/store/metadata/open.ts'
import { createProject } from '../../../../src/service/store/metadata/projects.ts'

const open = async () => {
  const metadata = await openMetadata(':memory:')
  onTestFinished(() => metadata.destroy())
  for (const name of ['one', 'two']) await createProject(metadata, name, 0)
  return metadata
}

const group = (type: string, key: string, properties = {}) => ({ type, key, properties, createdAt: 1 })

test('loads exactly the named groups, in any number', async () => {
  const metadata = await open()
  const odd = [group('company', "a'b"), group("com'pany", 'a'), group('team', 'a'), group('company', 'a', { é: 1 })]
  const many = Array.from({ length: 1_200 }, (_, n) => group('project', `key ${n}`, { n }))
  await saveGroups(metadata, 1, [...odd, ...many])
  await saveGroups(metadata, 2, [group('team', 'b')])
  expect(await loadGroups(metadata, 1, [...many, group('team', 'b')])).toHaveLength(1_200)
  expect(await loadGroups(metadata, 1, odd)).toEqual(expect.arrayContaining(odd))
  expect(await readGroupSizes(metadata, 1, [group('company', 'a'), group('none', 'a')])).toEqual([
    { type: 'company', key: 'a', bytes: 8 },
  ])
})

test('looks up each group by the primary key, without a scan', async () => {
  const metadata = await open()
  const names = Array.from({ length: 5 }, (_, n) => ({ type: 'company', key: `key ${n}` }))
  const query = selectGroups(metadata, 1, names).selectAll().compile()
  const plan = await metadata.executeQuery<{ readonly detail: string }>({
    ...query,
    sql: `EXPLAIN QUERY PLAN ${query.sql}`,
  })
  const searches = plan.rows.map(({ detail }) => detail).filter((detail) => detail.includes('groups'))
  expect(searches).toEqual([expect.stringContaining('(project_id=? AND group_type=? AND group_key=?)')])
})
