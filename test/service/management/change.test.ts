import { expect, test } from 'vitest'
import { setFlags } from '../../../src/service/flags/definitions/change-flags.ts'
import { readFlagSettings } from '../../../src/service/store/metadata/flag-settings.ts'
import { connectMetadata, openMetadata } from '../../../src/service/store/metadata/open.ts'
import { openManagement } from '../support/management.ts'
import { createTestSource } from '../support/open-test-metadata.ts'

test('increments the revision by one with every successful change', async () => {
  const { request, metadata, project } = await openManagement()
  const revision = async (): Promise<number> => (await readFlagSettings(metadata, project.id)).revision
  const flag = { key: 'a', filters: { groups: [{}] } }
  const feature = await request('POST', 'early_access_feature/', { name: 'New' })
  const changes = [
    () => request('POST', 'feature_flags/', flag),
    () => request('PATCH', 'feature_flags/a/', { active: false }),
    () => request('POST', 'cohorts/', { name: 'All', filters: { properties: {} } }),
    () => request('PATCH', 'cohorts/1/', { name: 'Everyone' }),
    () => request('DELETE', 'cohorts/1/'),
    () => request('PATCH', `early_access_feature/${feature.body.id}/`, { stage: 'beta' }),
    () => request('DELETE', `early_access_feature/${feature.body.id}/`),
    () => request('DELETE', 'feature_flags/a/'),
    () => request('POST', 'early_access_feature/', { name: 'Newer' }),
    () => request('POST', 'groups_types/', { group_type: 'company' }),
    () => setFlags(metadata, project.id, { flags: [flag], group_type_mapping: { 1: 'team' } }, 1),
  ]
  for (const change of changes) {
    const revisionBefore = await revision()
    expect(await change()).not.toMatchObject({ body: { code: expect.anything() } })
    expect(await revision()).toBe(revisionBefore + 1)
  }
  const revisionBefore = await revision()
  const readsAndRejectedChanges = [
    () => request('POST', 'feature_flags/', { key: 'b' }),
    () => request('PATCH', 'feature_flags/none/', {}),
    () => request('DELETE', 'cohorts/1/'),
    () => request('GET', 'feature_flags/'),
  ]
  for (const sendRequest of readsAndRejectedChanges) await sendRequest()
  expect(await revision()).toBe(revisionBefore)
})

test('loses no change when two processes change flags concurrently', async () => {
  const source = await createTestSource()
  const { request, project } = await openManagement({ metadata: await openMetadata(source) })
  const otherConnection = connectMetadata(source)
  await request('POST', 'feature_flags/', { key: 'a', filters: { groups: [] } })
  const indexes = Array.from({ length: 8 }, (_, index) => index)
  await Promise.all([
    ...indexes.map((index) => request('PATCH', 'feature_flags/a/', { [`field_${index}`]: index })),
    ...indexes.map((index) => setFlags(otherConnection, project.id, { key: `b${index}`, filters: { groups: [] } }, 1)),
  ])
  await otherConnection.destroy()
  const { body } = await request('GET', 'feature_flags/')
  expect(body.count).toBe(9)
  expect(indexes.map((index) => body.results[0][`field_${index}`])).toEqual(indexes)
  expect(body.results[0].version).toBe(9)
})
