import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findWaitingExport } from '../../../../src/service/store/metadata/exports.ts'
import { readFlagSettings } from '../../../../src/service/store/metadata/flag-settings.ts'
import { findFlag, listFlagsPage } from '../../../../src/service/store/metadata/flags.ts'
import { groupKey } from '../../../../src/service/persons/person.ts'
import type { PropertyWrite } from '../../../../src/service/persons/plan-write.ts'
import { LEVELS } from '../../../../src/service/permission/levels.ts'
import { loadGroups, saveGroups } from '../../../../src/service/store/metadata/groups.ts'
import { findPersonalApiKey } from '../../../../src/service/store/metadata/keys.ts'
import { migrations } from '../../../../src/service/store/metadata/migrations.ts'
import { connectMetadata } from '../../../../src/service/store/metadata/open.ts'
import { listMembershipsOfUser } from '../../../../src/service/store/metadata/organization-members.ts'
import { listOrganizations } from '../../../../src/service/store/metadata/organizations.ts'
import { readInboxWatermark, saveInboxWatermark } from '../../../../src/service/store/metadata/inbox-watermark.ts'
import { ONLY_NODE } from '../../../../src/service/store/metadata/node-id.ts'
import { readPersonProgress } from '../../../../src/service/store/metadata/person-progress.ts'
import { loadPersons, savePersons } from '../../../../src/service/store/metadata/persons.ts'
import { createProject, listProjects } from '../../../../src/service/store/metadata/projects.ts'
import { listUsers } from '../../../../src/service/store/metadata/users.ts'
import { createTempFolder } from '../../support/temp-folder.ts'

test('keeps the flags of an earlier release when it migrates a data folder', async () => {
  const metadata = connectMetadata(join(createTempFolder(), 'metadata.sqlite'))
  onTestFinished(() => metadata.destroy())
  const runMigrations = async (isIncluded: (name: string) => boolean): Promise<void> => {
    for (const [name, { up }] of Object.entries(migrations)) if (isIncluded(name)) await up(metadata)
  }
  await runMigrations((name) => name < '005')
  await metadata
    .insertInto('projects')
    .values({ name: 'Shop', api_key: 'wm_key', created_at: 1 } as never)
    .execute()
  const definition = '{"key":"a","active":true,"filters":{"groups":[{}]}}'
  const flag = { project_id: 1, key: 'a', definition, version: 3, updated_at: 77 }
  const settings = { project_id: 1, revision: 5, group_types: '{"0":"company"}', is_paused: 1 }
  // The types describe the newest tables; before migration 005 the tables lack some of their columns.
  await metadata
    .insertInto('flags')
    .values(flag as never)
    .execute()
  const deletedDefinition = '{"key":"b","active":true,"deleted":true,"filters":{"groups":[{}]}}'
  await metadata
    .insertInto('flags')
    .values({ ...flag, key: 'b', definition: deletedDefinition } as never)
    .execute()
  await metadata.insertInto('flag_settings').values(settings).execute()

  await runMigrations((name) => name >= '005')
  expect(await findFlag(metadata, 1, 'a')).toEqual({
    id: 1,
    version: 3,
    createdAt: 77,
    updatedAt: 77,
    definition: { key: 'a', active: true, filters: { groups: [{}] } },
  })
  const { count, items } = await listFlagsPage(metadata, 1, { limit: 10, offset: 0 })
  expect([count, items.map((item) => item.definition.key)]).toEqual([1, ['a']])
  expect((await findFlag(metadata, 1, 'b'))?.definition.deleted).toBe(true)
  expect(await readFlagSettings(metadata, 1)).toEqual({
    revision: 5,
    groupTypes: { 0: 'company' },
    isPaused: true,
    propertyMatchingVersion: undefined,
    minimalFlagCalledEvents: false,
    lastCohortId: 0,
  })
})

test('gives projects and keys of an earlier release to one owner, and keeps the keys', async () => {
  const metadata = connectMetadata(join(createTempFolder(), 'metadata.sqlite'))
  onTestFinished(() => metadata.destroy())
  const runMigrations = async (isIncluded: (name: string) => boolean): Promise<void> => {
    for (const [name, { up }] of Object.entries(migrations)) if (isIncluded(name)) await up(metadata)
  }
  await runMigrations((name) => name < '011')
  for (const name of ['Shop', 'Blog'])
    await metadata
      .insertInto('projects')
      .values({ name, api_key: `wm_${name}`, created_at: 77 } as never)
      .execute()
  const hash = createHash('sha256').update('wmx_secret').digest('hex')
  const key = { id: 7, project_id: 2, label: 'ci', hash, hint: 'wmx_secr', scopes: '["query:read"]', created_at: 88 }
  await metadata
    .insertInto('personal_api_keys')
    .values(key as never)
    .execute()

  await runMigrations((name) => name >= '011')
  const [organization, ...others] = await listOrganizations(metadata)
  expect(others).toEqual([])
  expect(await listProjects(metadata)).toEqual(
    ['Shop', 'Blog'].map((name, index) => ({
      id: index + 1,
      uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      organizationId: organization!.id,
      name,
      apiKey: `wm_${name}`,
      isPrivate: false,
      eventQuota: null,
      calendar: { timeZone: 'UTC', weekStart: 'sunday' },
      testAccountFilters: [],
      version: 1,
      createdAt: 77,
      updatedAt: 77,
    })),
  )
  const [owner, ...users] = await listUsers(metadata)
  expect([owner!.email, users]).toEqual(['owner@waymark.invalid', []])
  expect(await listMembershipsOfUser(metadata, owner!.id)).toMatchObject([
    { organizationId: organization!.id, level: LEVELS.owner },
  ])
  expect(await findPersonalApiKey(metadata, 'wmx_secret')).toEqual({
    id: 7,
    userId: owner!.id,
    label: 'ci',
    hint: 'wmx_secr',
    scopes: ['query:read'],
    projectIds: [2],
    organizationIds: [],
    expiresAt: null,
    lastUsedAt: null,
    version: 1,
    createdAt: 88,
  })
})

test('keeps the positions of an earlier release as those of the only node', async () => {
  const metadata = connectMetadata(join(createTempFolder(), 'metadata.sqlite'))
  onTestFinished(() => metadata.destroy())
  const runMigrations = async (isIncluded: (name: string) => boolean): Promise<void> => {
    for (const [name, { up }] of Object.entries(migrations)) if (isIncluded(name)) await up(metadata)
  }
  await runMigrations((name) => name < '016')
  await createProject(metadata, 'Shop', 77)
  await metadata
    .insertInto('person_positions')
    .values({ project_id: 1, inbox_row: 41, events: 3, revision: 9 } as never)
    .execute()
  await metadata
    .insertInto('inbox_mark')
    .values({ id: 1, highest_row: 200_000 } as never)
    .execute()

  await runMigrations((name) => name >= '016')
  expect(await readPersonProgress(metadata, ONLY_NODE, 1)).toEqual({
    position: { inboxRow: 41, events: 3 },
    revision: 9,
  })
  expect(await readPersonProgress(metadata, 'other', 1)).toMatchObject({ position: { inboxRow: 0 } })
  expect(await readInboxWatermark(metadata, ONLY_NODE)).toBe(200_000)
})

test.each([
  { nodes: [], owner: ONLY_NODE },
  { nodes: [ONLY_NODE], owner: ONLY_NODE },
  { nodes: ['a', 'b'], owner: 'b' },
])('gives the exports of an earlier release to one node of $nodes', async ({ nodes, owner }) => {
  const metadata = connectMetadata(join(createTempFolder(), 'metadata.sqlite'))
  onTestFinished(() => metadata.destroy())
  const runMigrations = async (isIncluded: (name: string) => boolean): Promise<void> => {
    for (const [name, { up }] of Object.entries(migrations)) if (isIncluded(name)) await up(metadata)
  }
  await runMigrations((name) => name < '019')
  const { id: projectId } = await createProject(metadata, 'Shop', 77)
  for (const nodeId of nodes) await saveInboxWatermark(metadata, nodeId, 100_000)
  const item = {
    project_id: projectId,
    format: 'text/csv',
    context: '{}',
    filename: 'a.csv',
    state: 'waiting',
    attempts: 0,
  }
  await metadata
    .insertInto('exports')
    .values({ ...item, created_at: 77, expires_at: 88 } as never)
    .execute()

  await runMigrations((name) => name >= '019')
  expect(await findWaitingExport({ metadata, nodeId: owner }, [])).toMatchObject({ projectId, createdAt: 77 })
})

test('keeps the large persons and groups of an earlier release, and writes what changes beside them', async () => {
  const metadata = connectMetadata(join(createTempFolder(), 'metadata.sqlite'))
  onTestFinished(() => metadata.destroy())
  const runMigrations = async (isIncluded: (name: string) => boolean): Promise<void> => {
    for (const [name, { up }] of Object.entries(migrations)) if (isIncluded(name)) await up(metadata)
  }
  await runMigrations((name) => name < '021')
  await createProject(metadata, 'Shop', 77)
  const large = { text: 'x'.repeat(20_000) }
  const properties = JSON.stringify(large)
  await metadata
    .insertInto('persons')
    .values({ project_id: 1, id: 'ada', properties, created_at: 5, is_identified: 1 })
    .execute()
  await metadata
    .insertInto('groups')
    .values({ project_id: 1, group_type: 'company', group_key: 'acme', properties, created_at: 5 })
    .execute()

  await runMigrations((name) => name >= '021')
  const [person] = await loadPersons(metadata, 1, ['ada'])
  const [group] = await loadGroups(metadata, 1, [{ type: 'company', key: 'acme' }])
  expect([person?.properties, group?.properties]).toEqual([large, large])
  const changed = { ...large, plan: 'pro' }
  const write: PropertyWrite = new Set(['plan'])
  await savePersons(metadata, 1, {
    persons: [{ ...person!, properties: changed }],
    propertyWrites: new Map([['ada', write]]),
    newDistinctIds: [],
    merges: [],
  })
  const groupWrites = new Map([[groupKey('company', 'acme'), write]])
  await saveGroups(metadata, 1, [{ ...group!, properties: changed }], groupWrites)
  expect((await loadPersons(metadata, 1, ['ada']))[0]?.properties).toEqual(changed)
  expect((await loadGroups(metadata, 1, [{ type: 'company', key: 'acme' }]))[0]?.properties).toEqual(changed)
  expect(await metadata.selectFrom('persons').select('properties').execute()).toEqual([{ properties }])
  await metadata.deleteFrom('projects').execute()
  expect(await metadata.selectFrom('person_changes').selectAll().execute()).toEqual([])
  expect(await metadata.selectFrom('group_changes').selectAll().execute()).toEqual([])
})
