import { expect, test } from 'vitest'
import { caughtUp, eventually, keysIn, startService } from '../support/service-process.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** How late `/decide` may know of an event. */
const SEEN_WITHIN_MS = 1000

const openService = async () => {
  const { url, output } = await startService(tempFolder())
  const { apiKey, personalApiKey } = keysIn(output())
  const send = async (event: string, properties: object): Promise<void> => {
    const body = JSON.stringify({ api_key: apiKey, event, distinct_id: 'ada', properties })
    expect((await fetch(`${url}/i/v0/e/`, { method: 'POST', body })).status).toBe(200)
  }
  const manage = async (path: string, body?: object) => {
    const headers = { authorization: `Bearer ${personalApiKey}` }
    const sent = body && { method: 'POST', body: JSON.stringify(body) }
    return (await fetch(`${url}/api/environments/1/${path}`, { headers, ...sent })).json()
  }
  const decide = async (given: object = {}): Promise<Record<string, unknown>> => {
    const body = JSON.stringify({ api_key: apiKey, distinct_id: 'ada', ...given })
    return (await (await fetch(`${url}/decide?v=3`, { method: 'POST', body })).json()).featureFlags
  }
  // The first event opens the project's store, which no later one waits for.
  await send('warm', {})
  await caughtUp(url)
  return { url, apiKey, send, manage, decide }
}

test('lets somebody enrol in a feature and leave it by an event each, and knows within a second', async () => {
  const { url, apiKey, send, manage, decide } = await openService()
  await manage('early_access_feature/', { name: 'Dark mode', stage: 'beta' })
  const list = await (await fetch(`${url}/api/early_access_features/?token=${apiKey}`)).json()
  const { flagKey } = list.earlyAccessFeatures[0]
  expect(await decide()).toEqual({ 'dark-mode': false })
  for (const isIn of [true, false]) {
    await send('$feature_enrollment_update', {
      $feature_flag: flagKey,
      $feature_enrollment: isIn,
      $set: { [`$feature_enrollment/${flagKey}`]: isIn },
    })
    await eventually(async () => (await decide())[flagKey] === isIn, SEEN_WITHIN_MS)
  }
})

test('takes a flag for groups as soon as an event has told of the group', async () => {
  const { send, manage, decide } = await openService()
  await send('$groupidentify', { $group_type: 'company', $group_key: 'acme', $group_set: { plan: 'pro' } })
  await eventually(async () => (await manage('groups_types/')).count === 1, SEEN_WITHIN_MS)
  const { results } = await manage('groups_types/')
  expect(results).toEqual([{ group_type: 'company', group_type_index: 0 }])
  const properties = [{ key: 'plan', type: 'group', value: 'pro' }]
  const filters = { groups: [{ properties }], aggregation_group_type_index: 0 }
  expect(await manage('feature_flags/', { key: 'paid', filters })).toMatchObject({ id: 1 })
  expect(await decide({ groups: { company: 'acme' } })).toEqual({ paid: true })
  expect(await decide()).toEqual({ paid: false })
})
