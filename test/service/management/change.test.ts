import { join } from 'node:path'
import { expect, test } from 'vitest'
import { setFlags } from '../../../src/service/flags/definitions/change-flags.ts'
import { readFlagSettings } from '../../../src/service/store/metadata/flag-settings.ts'
import { connectMetadata, openMetadata } from '../../../src/service/store/metadata/open.ts'
import { openManagement } from '../support/management.ts'
import { tempFolder } from '../support/temp-folder.ts'

test('lets the revision grow by one with every change, and not with one that is refused', async () => {
  const { ask, metadata, project } = await openManagement()
  const revision = async (): Promise<number> => (await readFlagSettings(metadata, project.id)).revision
  const flag = { key: 'a', filters: { groups: [{}] } }
  const feature = await ask('POST', 'early_access_feature/', { name: 'New' })
  const changes = [
    () => ask('POST', 'feature_flags/', flag),
    () => ask('PATCH', 'feature_flags/a/', { active: false }),
    () => ask('POST', 'cohorts/', { name: 'All', filters: { properties: {} } }),
    () => ask('PATCH', 'cohorts/1/', { name: 'Everybody' }),
    () => ask('DELETE', 'cohorts/1/'),
    () => ask('PATCH', `early_access_feature/${feature.body.id}/`, { stage: 'beta' }),
    () => ask('DELETE', `early_access_feature/${feature.body.id}/`),
    () => ask('DELETE', 'feature_flags/a/'),
    () => ask('POST', 'early_access_feature/', { name: 'Newer' }),
    () => ask('POST', 'groups_types/', { group_type: 'company' }),
    () => setFlags(metadata, project.id, { flags: [flag], group_type_mapping: { 1: 'team' } }, 1),
  ]
  for (const change of changes) {
    const before = await revision()
    expect(await change()).not.toMatchObject({ body: { code: expect.anything() } })
    expect(await revision()).toBe(before + 1)
  }
  const before = await revision()
  const refusals = [
    () => ask('POST', 'feature_flags/', { key: 'b' }),
    () => ask('PATCH', 'feature_flags/none/', {}),
    () => ask('DELETE', 'cohorts/1/'),
    () => ask('GET', 'feature_flags/'),
  ]
  for (const refusal of refusals) await refusal()
  expect(await revision()).toBe(before)
})

test('changes flags beside another process without losing a change of either', async () => {
  const file = join(tempFolder(), 'metadata.sqlite')
  const { ask, project } = await openManagement({ metadata: await openMetadata(file) })
  const other = connectMetadata(file)
  await ask('POST', 'feature_flags/', { key: 'a', filters: { groups: [] } })
  const rounds = Array.from({ length: 8 }, (_, round) => round)
  await Promise.all([
    ...rounds.map((round) => ask('PATCH', 'feature_flags/a/', { [`field_${round}`]: round })),
    ...rounds.map((round) => setFlags(other, project.id, { key: `b${round}`, filters: { groups: [] } }, 1)),
  ])
  await other.destroy()
  const { body } = await ask('GET', 'feature_flags/')
  expect(body.count).toBe(9)
  expect(rounds.map((round) => body.results[0][`field_${round}`])).toEqual(rounds)
  expect(body.results[0].version).toBe(9)
})
