import { expect, test } from 'vitest'
import type { JsonObject } from '../../../../src/wire/json.ts'
import { openEventStream } from '../../support/event-stream.ts'
import { openManagement } from '../../support/management.ts'

/** A service with helpers for management, flags, feed and stream. Its clock stands still, so no change is found by polling. */
const openServed = async () => {
  const bed = await openManagement()
  const url = await bed.app.listen({ host: '127.0.0.1', port: 0 })
  const headers = { authorization: `Bearer ${bed.personalApiKey}` }
  const stream = (query = '') => openEventStream(`${url}/flags/stream?token=${bed.project.apiKey}${query}`, headers)
  const feed = async (query = '') => {
    const response = await fetch(`${url}/flags/definitions?token=${bed.project.apiKey}${query}`, { headers })
    return { etag: response.headers.get('etag'), body: await response.json() }
  }
  const flags = async (body: JsonObject = {}) => {
    const response = await fetch(`${url}/flags/?v=2`, {
      method: 'POST',
      body: JSON.stringify({ token: bed.project.apiKey, distinct_id: 'u', ...body }),
    })
    return response.json()
  }
  return { ...bed, stream, feed, flags }
}

const cohortOf = (plan: string) => ({
  name: 'Payers',
  filters: { properties: { type: 'AND', values: [{ key: 'plan', type: 'person', value: plan }] } },
})

test('serves each change of a flag at once in /decide, feed and stream', async () => {
  const { request, decide, stream, feed } = await openServed()
  const pushed = await stream()
  expect((await pushed.next())!.data.flags).toEqual([])

  const steps: readonly (readonly [
    'POST' | 'PATCH' | 'DELETE',
    string,
    object | undefined,
    Record<string, unknown>,
  ])[] = [
    ['POST', 'feature_flags/', { key: 'a', filters: { groups: [{}] } }, { a: true }],
    ['PATCH', 'feature_flags/a/', { active: false }, { a: false }],
    ['PATCH', 'feature_flags/a/', { deleted: true }, {}],
    ['PATCH', 'feature_flags/1/', { deleted: false, active: true }, { a: true }],
    ['DELETE', 'feature_flags/1/', undefined, {}],
  ]
  for (const [method, path, body, expected] of steps) {
    await request(method, path, body)
    expect([path, await decide('u')]).toEqual([path, expected])
    const [event, read] = [await pushed.next(), await feed()]
    expect([event!.id, event!.data]).toEqual([read.etag, read.body])
    expect(event!.data.flags.map(({ key }) => key)).toEqual(Object.keys(expected))
  }
})

test('sends cohorts and their changes only to clients that request them', async () => {
  const { request, stream, feed, flags } = await openServed()
  const { body: cohort } = await request('POST', 'cohorts/', cohortOf('pro'))
  const inCohort = { key: 'id', type: 'cohort', value: cohort.id }
  await request('POST', 'feature_flags/', { key: 'a', filters: { groups: [{ properties: [inCohort] }] } })
  const pro = { person_properties: { plan: 'pro' } }
  expect((await flags(pro)).flags.a).toMatchObject({ enabled: true, reason: { code: 'condition_match' } })
  const [plain, full] = [await feed(), await feed('&send_cohorts')]
  expect(plain.body.cohorts).toEqual({})
  expect(full.body.cohorts).toEqual({ [cohort.id]: cohort.filters.properties })
  expect((await feed('&send_cohorts=false')).etag).toBe(plain.etag)

  const [withCohorts, without] = [await stream('&send_cohorts'), await stream()]
  expect([(await withCohorts.next())!.id, (await without.next())!.id]).toEqual([full.etag, plain.etag])
  await request('PATCH', `cohorts/${cohort.id}/`, cohortOf('free'))
  expect((await flags(pro)).flags.a).toMatchObject({ enabled: false, reason: { code: 'no_condition_match' } })
  expect((await withCohorts.next())!.id).toBe((await feed('&send_cohorts')).etag)
  expect((await feed()).etag).toBe(plain.etag)
  // The reader without cohorts gets only the next change of a flag.
  await request('PATCH', 'feature_flags/a/', { active: false })
  expect((await without.next())!.data.flags).toMatchObject([{ key: 'a', active: false }])
})

test('evaluates all flags except a broken one, and reports its key', async () => {
  const { request, metadata, flagSets, project, flags } = await openServed()
  await request('POST', 'feature_flags/', { key: 'fine', filters: { groups: [{}] } })
  await request('POST', 'feature_flags/', { key: 'broken', name: 'Broken', filters: { groups: [{}] } })
  const onBroken = { key: 'broken', type: 'flag', operator: 'flag_evaluates_to', value: true }
  await request('POST', 'feature_flags/', { key: 'dependent', filters: { groups: [{ properties: [onBroken] }] } })
  // Written directly into the database, because the API rejects a missing cohort.
  const inNone = { key: 'id', type: 'cohort', value: 99 }
  const definition = { key: 'broken', name: 'Broken', active: true, filters: { groups: [{ properties: [inNone] }] } }
  await metadata
    .updateTable('flags')
    .set({ definition: JSON.stringify(definition) })
    .where('key', '=', 'broken')
    .execute()
  await request('PATCH', 'feature_flags/fine/', { name: 'Fine' })
  await flagSets.reload(project.id)

  const response = await flags()
  expect(response.errorsWhileComputingFlags).toBe(true)
  expect(response.flags.fine).toMatchObject({ enabled: true })
  expect(response.flags.broken).toMatchObject({ failed: true, enabled: false, metadata: { description: 'Broken' } })
  expect(Object.keys(response.flags)).toEqual(['fine', 'broken', 'dependent'])
  const requested = await flags({ flag_keys: ['fine'] })
  expect([Object.keys(requested.flags), requested.errorsWhileComputingFlags]).toEqual([['fine'], false])
})
