import { expect, onTestFinished, test } from 'vitest'
import { openMetadata } from '../../../src/service/store/metadata/open.ts'
import type { PostgresSource } from '../../../src/service/store/metadata/postgres/postgres-source.ts'
import { createProject, listProjects } from '../../../src/service/store/metadata/projects.ts'
import { openCluster, post } from '../nodes/cluster.ts'
import { parseKeys, queryRows, waitForIndexer } from '../../service/support/service-process.ts'
import { createTempFolder } from '../../service/support/temp-folder.ts'
import { createEmptyDatabase } from '../support/create-empty-database.ts'
import { queryPostgres } from '../support/query-postgres.ts'

/** Runs a migration of a newer version: a table, and a column in every table that this version writes. */
const migrateAsNewerVersion = async (url: string, name: string): Promise<void> => {
  const tables = await queryPostgres(
    url,
    `select table_name as name from information_schema.tables
      where table_schema = 'public' and table_type = 'BASE TABLE' and table_name not like 'kysely%'`,
  )
  expect(tables.length).toBeGreaterThan(20)
  for (const { name: table } of tables)
    await queryPostgres(
      url,
      `alter table "${String(table)}" add column newer_text text, add column newer_count integer not null default 0`,
    )
  await queryPostgres(url, 'create table newer_things (id integer primary key)')
  await queryPostgres(
    url,
    `insert into kysely_migration (name, timestamp) values ('${name}', '${new Date().toISOString()}')`,
  )
}

const openOnce = async (source: PostgresSource): Promise<void> => (await openMetadata(source)).destroy()

test('a node that runs, and one that starts again, work with the tables of a newer version', async () => {
  const { start, metadata } = await openCluster()
  const folder = createTempFolder()
  const first = await start()
  const { apiKey, personalApiKey } = parseKeys(first.output())
  const second = await start(folder)
  await migrateAsNewerVersion(metadata, '999-newer-things')
  await second.end('SIGTERM')
  const restarted = await start(folder)

  const IF_PRO = { groups: [{ properties: [{ key: 'plan', type: 'person', value: 'pro' }] }] }
  await post(`${first.url}/api/projects/1/feature_flags/`, { key: 'pro', filters: IF_PRO }, personalApiKey)
  for (const [index, { url }] of [first, restarted].entries()) {
    const ids = { user: `user ${index}`, phone: `phone ${index}` }
    const batch = [
      { event: 'seen', distinct_id: ids.phone },
      {
        event: '$identify',
        distinct_id: ids.user,
        properties: { $anon_distinct_id: ids.phone, $set: { plan: 'pro' }, $groups: { company: 'acme' } },
      },
      { event: '$create_alias', distinct_id: ids.user, properties: { alias: `tablet ${index}` } },
      {
        event: '$groupidentify',
        distinct_id: ids.user,
        properties: { $group_type: 'company', $group_key: 'acme', $group_set: { seats: index } },
      },
    ]
    await post(`${url}/batch/`, { api_key: apiKey, batch })
    await waitForIndexer(url)
    await expect
      .poll(() => post(`${url}/decide?v=3`, { api_key: apiKey, distinct_id: ids.phone }), { timeout: 5000 })
      .toMatchObject({ featureFlags: { pro: true } })
  }
  const count = 'SELECT toInt32(count()), toInt32(uniqExact(person_id)) FROM events'
  await expect.poll(() => queryRows(restarted.url, personalApiKey, count), { timeout: 10_000 }).toEqual([[8, 2]])
}, 120_000)

test('two nodes of this version start at once beside a newer one', async () => {
  const source = await createEmptyDatabase()
  await openOnce(source)
  await migrateAsNewerVersion(source.url, '999-newer-things')
  const nodes = await Promise.all([openMetadata(source), openMetadata(source)])
  for (const node of nodes) onTestFinished(() => node.destroy())
  await createProject(nodes[0], 'shop', 1)
  expect((await listProjects(nodes[1])).map(({ name }) => name)).toEqual(['shop'])
})

test('refuses tables that a newer version has changed so that it cannot work with them, and says so', async () => {
  const source = await createEmptyDatabase()
  await openOnce(source)
  await migrateAsNewerVersion(source.url, '999-breaking-things')
  await expect(openMetadata(source)).rejects.toThrow(
    /cannot be used: a newer version has changed them \(999-breaking-things\), .* start the newer version\. Nothing is lost/,
  )
})

test('still refuses tables whose migrations are not those of this or a newer version', async () => {
  const source = await createEmptyDatabase()
  await openOnce(source)
  await migrateAsNewerVersion(source.url, '005-of-another-program')
  await expect(openMetadata(source)).rejects.toThrow('005-of-another-program is missing')
})
