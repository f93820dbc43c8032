import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { copyMetadata } from '../../../../../src/service/store/metadata/copy/copy-metadata.ts'
import type { CopyEnd } from '../../../../../src/service/store/metadata/copy/copy-metadata.ts'
import { openMetadata } from '../../../../../src/service/store/metadata/open.ts'
import type { MetadataSource } from '../../../../../src/service/store/metadata/open.ts'
import { createProject, listProjects } from '../../../../../src/service/store/metadata/projects.ts'
import { openSqlite } from '../../../../../src/service/store/sqlite/sqlite.ts'
import { createTestSource } from '../../../support/open-test-metadata.ts'
import { createTempFolder } from '../../../support/temp-folder.ts'
import { fillTables, inOrder, readTables } from './fill-tables.ts'

const openEnd = async (source: MetadataSource, nodeId: string): Promise<CopyEnd> => {
  const metadata = await openMetadata(source)
  onTestFinished(() => metadata.destroy())
  return { metadata, source, nodeId }
}

const createFile = (): string => join(createTempFolder(), 'metadata.sqlite')

test('copies every value of every table from a file, and back, with the id of the node', async () => {
  const file = await openEnd(createFile(), '')
  const other = await openEnd(await createTestSource(), 'node 1')
  const back = await openEnd(createFile(), '')
  // One transaction, because a disk takes long for each.
  const filled = await file.metadata
    .transaction()
    .execute((transaction) => fillTables(transaction, { count: 210, nodeId: '' }))
  await createProject(other.metadata, 'of an earlier copy', 1)

  const rows = await copyMetadata(file, other)
  const copied = await readTables(other.metadata)
  for (const [table, expected] of Object.entries(filled)) {
    const moved = expected.map((row) => ('node_id' in row ? Object.assign(row, { node_id: 'node 1' }) : row))
    expect(copied[table as keyof typeof copied], table).toEqual(inOrder(moved))
  }
  expect(rows).toBe(Object.values(filled).flat().length)
  expect(await copyMetadata(other, back)).toBe(rows)
  expect(await readTables(back.metadata)).toEqual(await readTables(file.metadata))
})

test('the id of a removed row is never assigned again', async () => {
  const file = await openEnd(createFile(), '')
  const other = await openEnd(await createTestSource(), 'node 1')
  const back = await openEnd(createFile(), '')
  const create = async ({ metadata }: CopyEnd) => (await createProject(metadata, 'Shop', 1)).id
  const remove = ({ metadata }: CopyEnd, id: number) => metadata.deleteFrom('projects').where('id', '=', id).execute()
  await remove(file, await create(file))
  await copyMetadata(file, other)
  const id = await create(other)
  expect(id).toBe(2)
  await remove(other, id)
  await copyMetadata(other, back)
  expect(await create(back)).toBe(3)
})

test('a copy that differs is an error, and the target stays as it was', async () => {
  const source = await openEnd(createFile(), '')
  await createProject(source.metadata, 'Shop', 1)
  const path = createFile()
  const target = await openEnd(path, '')
  await createProject(target.metadata, 'before', 1)
  const fault = openSqlite(path)
  fault.exec("CREATE TRIGGER fault AFTER INSERT ON projects BEGIN UPDATE projects SET name = name || '.'; END")
  fault.close()
  await expect(copyMetadata(source, target)).rejects.toThrow('The copy of the table projects differs: 1 rows')
  expect((await listProjects(target.metadata)).map(({ name }) => name)).toEqual(['before'])
})
