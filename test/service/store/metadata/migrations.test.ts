import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readFlagSettings } from '../../../../src/service/store/metadata/flag-settings.ts'
import { findFlag, listFlagsPage } from '../../../../src/service/store/metadata/flags.ts'
import { migrations } from '../../../../src/service/store/metadata/migrations.ts'
import { connectMetadata } from '../../../../src/service/store/metadata/open.ts'
import { createTempFolder } from '../../support/temp-folder.ts'

test('keeps the flags of an earlier release when it migrates a data folder', async () => {
  const metadata = connectMetadata(join(createTempFolder(), 'metadata.sqlite'))
  onTestFinished(() => metadata.destroy())
  const runMigrations = async (isIncluded: (name: string) => boolean): Promise<void> => {
    for (const [name, { up }] of Object.entries(migrations)) if (isIncluded(name)) await up(metadata)
  }
  await runMigrations((name) => name < '005')
  await metadata.insertInto('projects').values({ name: 'Shop', api_key: 'wm_key', created_at: 1 }).execute()
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
