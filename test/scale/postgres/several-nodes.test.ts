import { expect, onTestFinished, test } from 'vitest'
import { openMetadata } from '../../../src/service/store/metadata/open.ts'
import { createProject, listProjects } from '../../../src/service/store/metadata/projects.ts'
import { createEmptyDatabase } from '../support/create-empty-database.ts'

test('nodes that start at once create the tables once, and their transactions see each other', async () => {
  const source = await createEmptyDatabase()
  const nodes = await Promise.all(Array.from({ length: 4 }, () => openMetadata(source)))
  for (const metadata of nodes) onTestFinished(() => metadata.destroy())
  await Promise.all(
    nodes.map((metadata, index) =>
      metadata.transaction().execute(async (transaction) => {
        // Each counts before it writes: none may miss the project of another.
        const { length } = await listProjects(transaction)
        await createProject(transaction, String(length), index)
      }),
    ),
  )
  const [metadata] = nodes
  expect((await listProjects(metadata!)).map(({ name }) => name)).toEqual(['0', '1', '2', '3'])
})
