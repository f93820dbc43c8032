import { expect, onTestFinished, test } from 'vitest'
import { openMetadata } from '../../../src/service/store/metadata/open.ts'
import { createProject, listProjects } from '../../../src/service/store/metadata/projects.ts'
import { createEmptyDatabase } from '../support/create-empty-database.ts'
import { queryPostgres } from '../support/query-postgres.ts'

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

test('a transaction whose lock is refused leaves no other behind, and none may pause for long', async () => {
  const source = await createEmptyDatabase()
  const metadata = await openMetadata(source)
  onTestFinished(() => metadata.destroy())
  await metadata.transaction().execute(async (transaction) => {
    const setting = transaction.selectNoFrom((row) =>
      row.fn('current_setting', [row.val('idle_in_transaction_session_timeout')]).as('longest'),
    )
    expect(await setting.execute()).toEqual([{ longest: '20s' }])
    const second = expect(metadata.transaction().execute(listProjects)).rejects.toThrow('canceling statement')
    const cancel = `select pg_cancel_backend(pid) from pg_locks where not granted`
    await expect.poll(() => queryPostgres(source.url, cancel)).not.toEqual([])
    await second
    const states = await queryPostgres(
      source.url,
      `select state from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() order by state`,
    )
    expect(states).toEqual([{ state: 'idle' }, { state: 'idle in transaction' }])
  })
})
