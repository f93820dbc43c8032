import { expect, test } from 'vitest'
import { expectWithin } from '../../support/expect-within.ts'
import { waitForIndexer, eventually, parseKeys, startService } from '../support/service-process.ts'
import { createTempFolder } from '../support/temp-folder.ts'

const openService = async () => {
  const { url, output } = await startService(createTempFolder())
  const { apiKey, personalApiKey } = parseKeys(output())
  const send = async (event: string, properties: object): Promise<void> => {
    const body = JSON.stringify({ api_key: apiKey, event, distinct_id: 'ada', properties })
    expect((await fetch(`${url}/i/v0/e/`, { method: 'POST', body })).status).toBe(200)
  }
  const manage = async (path: string, body?: object) => {
    const headers = { authorization: `Bearer ${personalApiKey}` }
    const init = body && { method: 'POST', body: JSON.stringify(body) }
    return (await fetch(`${url}/api/environments/1/${path}`, { headers, ...init })).json()
  }
  const decide = async (fields: object = {}): Promise<Record<string, unknown>> => {
    const body = JSON.stringify({ api_key: apiKey, distinct_id: 'ada', ...fields })
    return (await (await fetch(`${url}/decide?v=3`, { method: 'POST', body })).json()).featureFlags
  }
  // The first event opens the store of the project; later events need not wait for that.
  await send('warm', {})
  await waitForIndexer(url)
  return { url, apiKey, send, manage, decide }
}

test('enrols a person and ends the enrolment by events within a second', async () => {
  const { url, apiKey, send, manage, decide } = await openService()
  await manage('early_access_feature/', { name: 'Dark mode', stage: 'beta' })
  const list = await (await fetch(`${url}/api/early_access_features/?token=${apiKey}`)).json()
  const { flagKey } = list.earlyAccessFeatures[0]
  expect(await decide()).toEqual({ 'dark-mode': false })
  const enrol = async (isEnrolled: boolean): Promise<number> => {
    const sentAt = Date.now()
    await send('$feature_enrollment_update', {
      $feature_flag: flagKey,
      $feature_enrollment: isEnrolled,
      $set: { [`$feature_enrollment/${flagKey}`]: isEnrolled },
    })
    await eventually(async () => (await decide())[flagKey] === isEnrolled)
    return Date.now() - sentAt
  }
  await expectWithin(1000, async () => Math.max(await enrol(true), await enrol(false)))
})

test('accepts a flag for groups once an event has created the group type', async () => {
  const { send, manage, decide } = await openService()
  await send('$groupidentify', { $group_type: 'company', $group_key: 'acme', $group_set: { plan: 'pro' } })
  await eventually(async () => (await manage('groups_types/')).count === 1)
  const { results } = await manage('groups_types/')
  expect(results).toEqual([{ group_type: 'company', group_type_index: 0 }])
  const properties = [{ key: 'plan', type: 'group', value: 'pro' }]
  const filters = { groups: [{ properties }], aggregation_group_type_index: 0 }
  expect(await manage('feature_flags/', { key: 'paid', filters })).toMatchObject({ id: 1 })
  expect(await decide({ groups: { company: 'acme' } })).toEqual({ paid: true })
  expect(await decide()).toEqual({ paid: false })
})
