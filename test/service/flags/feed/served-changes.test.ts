import { expect, test } from 'vitest'
import type { JsonObject } from '../../../../src/wire/json.ts'
import { openEventStream } from '../../support/event-stream.ts'
import { openManagement } from '../../support/management.ts'

/** A service that is managed, asked and listened to. Its clock stands still: what is seen at once is not seen by waiting. */
const openServed = async () => {
  const bed = await openManagement()
  const url = await bed.app.listen({ host: '127.0.0.1', port: 0 })
  const headers = { authorization: `Bearer ${bed.key}` }
  const stream = (query = '') => openEventStream(`${url}/flags/stream?token=${bed.project.apiKey}${query}`, headers)
  const feed = async (query = '') => {
    const answer = await fetch(`${url}/flags/definitions?token=${bed.project.apiKey}${query}`, { headers })
    return { etag: answer.headers.get('etag'), body: await answer.json() }
  }
  const flags = async (body: JsonObject = {}) => {
    const answer = await fetch(`${url}/flags/?v=2`, {
      method: 'POST',
      body: JSON.stringify({ token: bed.project.apiKey, distinct_id: 'u', ...body }),
    })
    return answer.json()
  }
  return { ...bed, stream, feed, flags }
}

const cohortOf = (plan: string) => ({
  name: 'Payers',
  filters: { properties: { type: 'AND', values: [{ key: 'plan', type: 'person', value: plan }] } },
})

test('serves each change of a flag at once: evaluated, in the feed, and down the stream', async () => {
  const { ask, decide, stream, feed } = await openServed()
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
    await ask(method, path, body)
    expect([path, await decide('u')]).toEqual([path, expected])
    const [event, read] = [await pushed.next(), await feed()]
    expect([event!.id, event!.data]).toEqual([read.etag, read.body])
    expect(event!.data.flags.map(({ key }) => key)).toEqual(Object.keys(expected))
  }
})

test('gives cohorts to who asks for them, and tells nobody else when they change', async () => {
  const { ask, stream, feed, flags } = await openServed()
  const { body: cohort } = await ask('POST', 'cohorts/', cohortOf('pro'))
  const inCohort = { key: 'id', type: 'cohort', value: cohort.id }
  await ask('POST', 'feature_flags/', { key: 'a', filters: { groups: [{ properties: [inCohort] }] } })
  const pro = { person_properties: { plan: 'pro' } }
  expect((await flags(pro)).flags.a).toMatchObject({ enabled: true, reason: { code: 'condition_match' } })
  const [plain, full] = [await feed(), await feed('&send_cohorts')]
  expect(plain.body.cohorts).toEqual({})
  expect(full.body.cohorts).toEqual({ [cohort.id]: cohort.filters.properties })
  expect((await feed('&send_cohorts=false')).etag).toBe(plain.etag)

  const [withCohorts, without] = [await stream('&send_cohorts'), await stream()]
  expect([(await withCohorts.next())!.id, (await without.next())!.id]).toEqual([full.etag, plain.etag])
  await ask('PATCH', `cohorts/${cohort.id}/`, cohortOf('free'))
  expect((await flags(pro)).flags.a).toMatchObject({ enabled: false, reason: { code: 'no_condition_match' } })
  expect((await withCohorts.next())!.id).toBe((await feed('&send_cohorts')).etag)
  expect((await feed()).etag).toBe(plain.etag)
  // The next that this reader hears of is the next that changes what it asked for.
  await ask('PATCH', 'feature_flags/a/', { active: false })
  expect((await without.next())!.data.flags).toMatchObject([{ key: 'a', active: false }])
})

test('answers every flag but the one that cannot be computed, and says which', async () => {
  const { ask, metadata, flagSets, project, flags } = await openServed()
  await ask('POST', 'feature_flags/', { key: 'fine', filters: { groups: [{}] } })
  await ask('POST', 'feature_flags/', { key: 'broken', name: 'Broken', filters: { groups: [{}] } })
  const onBroken = { key: 'broken', type: 'flag', operator: 'flag_evaluates_to', value: true }
  await ask('POST', 'feature_flags/', { key: 'dependent', filters: { groups: [{ properties: [onBroken] }] } })
  // As by a hand in the database: no such cohort would be taken.
  const inNone = { key: 'id', type: 'cohort', value: 99 }
  const definition = { key: 'broken', name: 'Broken', active: true, filters: { groups: [{ properties: [inNone] }] } }
  await metadata
    .updateTable('flags')
    .set({ definition: JSON.stringify(definition) })
    .where('key', '=', 'broken')
    .execute()
  await ask('PATCH', 'feature_flags/fine/', { name: 'Fine' })
  await flagSets.changed(project.id)

  const answer = await flags()
  expect(answer.errorsWhileComputingFlags).toBe(true)
  expect(answer.flags.fine).toMatchObject({ enabled: true })
  expect(answer.flags.broken).toMatchObject({ failed: true, enabled: false, metadata: { description: 'Broken' } })
  expect(Object.keys(answer.flags)).toEqual(['fine', 'broken', 'dependent'])
  const asked = await flags({ flag_keys: ['fine'] })
  expect([Object.keys(asked.flags), asked.errorsWhileComputingFlags]).toEqual([['fine'], false])
})
