import { PostHog } from 'posthog-node'
import { describe, expect, test } from 'vitest'
import { until } from '../../support/until.ts'
import { MAJOR_VERSIONS, openNodeClients } from './node-client.ts'

const UUID = '018f3c1e-0000-7000-8000-0000000000aa'
const TIMESTAMP = '2026-05-01T10:00:00.000Z'

describe.each(MAJOR_VERSIONS)('%s', (_name, create) => {
  test('stores each event once, with persons, their ids and groups', async () => {
    const { requests, loggedProblems, open, output, query } = await openNodeClients()
    const client = open(create)
    client.capture({ distinctId: 'visitor', event: 'visited', properties: { path: '/' } })
    client.alias({ distinctId: 'ada', alias: 'visitor' })
    client.identify({ distinctId: 'ada', properties: { $set: { plan: 'pro' }, $set_once: { source: 'ad' } } })
    client.groupIdentify({ groupType: 'company', groupKey: 'acme', properties: { seats: 5 }, distinctId: 'ada' })
    const bought = { price: 9.5, tags: ['a', 'ß'], nested: { deep: null } }
    client.capture({
      distinctId: 'ada',
      event: 'bought',
      properties: bought,
      groups: { company: 'acme' },
      timestamp: new Date(TIMESTAMP),
      uuid: UUID,
    })
    client.capture({ distinctId: 'anonymous', event: 'seen', properties: { $process_person_profile: false } })
    await client.shutdown()

    expect(await query('SELECT event, distinct_id FROM events ORDER BY event')).toEqual([
      ['$create_alias', 'ada'],
      ['$groupidentify', 'ada'],
      ['$identify', 'ada'],
      ['bought', 'ada'],
      ['seen', 'anonymous'],
      ['visited', 'visitor'],
    ])
    expect(await query('SELECT count(DISTINCT uuid), count(*) FROM events')).toEqual([[6, 6]])
    const [[uuid, timestamp, properties] = []] = await query(
      "SELECT uuid, epoch_ms(timestamp), properties FROM events WHERE event = 'bought'",
    )
    expect([uuid, timestamp]).toEqual([UUID, Date.parse(TIMESTAMP)])
    expect(JSON.parse(String(properties))).toMatchObject({
      ...bought,
      $groups: { company: 'acme' },
      $lib: 'posthog-node',
      $lib_version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    })
    // Two persons: one has no profile, the other has two ids.
    expect(await query('SELECT count(DISTINCT person_id) FROM events')).toEqual([[2]])
    expect(
      (await query('SELECT properties, is_identified FROM persons')).map(([storedProperties, isIdentified]) => [
        JSON.parse(String(storedProperties)),
        isIdentified,
      ]),
    ).toEqual([[{ plan: 'pro', source: 'ad' }, true]])
    expect(await query('SELECT distinct_id FROM person_distinct_ids ORDER BY distinct_id')).toEqual([
      ['ada'],
      ['visitor'],
    ])
    expect(await query('SELECT group_type, group_key, properties FROM groups')).toEqual([
      ['company', 'acme', '{"seats":5}'],
    ])
    expect(requests.map(({ path, status }) => [path, status])).toEqual([['/batch/', 200]])
    expect(loggedProblems).toEqual([])
    expect(output()).not.toMatch(/error|warn/i)
  })

  test('imports historical events with their timestamps', async () => {
    const { requests, loggedProblems, open, query } = await openNodeClients()
    const client = open(create, { historicalMigration: true })
    const timestamps = ['2019-03-01T00:00:00.000Z', '2001-01-01T00:00:00.000Z', '2019-03-01T00:00:00.001Z']
    for (const [index, timestamp] of timestamps.entries())
      client.capture({ distinctId: 'ada', event: `old ${index}`, timestamp: new Date(timestamp) })
    await client.shutdown()
    expect(await query('SELECT event, epoch_ms(timestamp) FROM events ORDER BY event')).toEqual(
      timestamps.map((timestamp, index) => [`old ${index}`, Date.parse(timestamp)]),
    )
    expect(requests.map(({ status }) => status)).toEqual([200])
    expect(loggedProblems).toEqual([])
  })

  test('gets flags and payloads from the service and reports their use', async () => {
    const { addFlag, requests, loggedProblems, open, query } = await openNodeClients()
    await addFlag({
      key: 'colour',
      filters: {
        groups: [{ properties: [{ key: 'plan', type: 'person', value: 'pro', operator: 'exact' }] }],
        multivariate: { variants: [{ key: 'red', rollout_percentage: 100 }] },
        payloads: { red: { hex: '#f00' } },
      },
    })
    await addFlag({ key: 'on', filters: { groups: [{}] } })
    await addFlag({ key: 'off', filters: { groups: [{ rollout_percentage: 0 }] } })
    const client = open(create)
    client.groupIdentify({ groupType: 'company', groupKey: 'acme', properties: { seats: 5 } })
    client.identify({ distinctId: 'ada', properties: { plan: 'pro' } })
    await client.shutdown()
    await query('SELECT 1')
    const seatsConditions = [
      { key: 'seats', type: 'group' as const, group_type_index: 0, value: 3, operator: 'gt' as const },
    ]
    await addFlag({
      key: 'team',
      filters: { aggregation_group_type_index: 0, groups: [{ properties: seatsConditions }] },
    })

    const reader = open(create)
    const acme = { groups: { company: 'acme' } }
    const allFlags = { colour: 'red', off: false, on: true, team: true }
    expect(await reader.getAllFlags('ada', acme)).toEqual(allFlags)
    expect(await reader.getAllFlagsAndPayloads('ada', acme)).toEqual({
      featureFlags: allFlags,
      featureFlagPayloads: { colour: { hex: '#f00' } },
    })
    // Properties of the request override the stored ones.
    expect(await reader.getAllFlags('ada', { personProperties: { plan: 'free' } })).toMatchObject({ colour: false })
    const smallCompany = { groups: { company: 'acme' }, groupProperties: { company: { seats: '1' } } }
    expect(await reader.isFeatureEnabled('team', 'ada', { ...smallCompany, sendFeatureFlagEvents: false })).toBe(false)
    expect(await reader.getFeatureFlag('colour', 'ada')).toBe('red')
    expect(await reader.getFeatureFlagPayload('colour', 'ada', 'red')).toEqual({ hex: '#f00' })
    expect(await reader.isFeatureEnabled('on', 'grace')).toBe(true)
    expect(await reader.getFeatureFlag('none', 'ada', { sendFeatureFlagEvents: false })).toBeFalsy()
    reader.capture({ distinctId: 'ada', event: 'bought', sendFeatureFlags: true, ...acme })
    await reader.shutdown()

    const flagCalls = await query(`SELECT distinct_id, json_extract_string(properties, '$."$feature_flag"'),
      json_extract_string(properties, '$."$feature_flag_response"'),
      json_extract_string(properties, '$."$feature_flag_error"')
      FROM events WHERE event = '$feature_flag_called' ORDER BY distinct_id`)
    expect(flagCalls).toEqual([
      ['ada', 'colour', 'red', null],
      ['grace', 'on', 'true', null],
    ])
    const [[properties] = []] = await query("SELECT properties FROM events WHERE event = 'bought'")
    const flags = { '$feature/colour': 'red', '$feature/on': true, '$feature/off': false, '$feature/team': true }
    expect(JSON.parse(String(properties))).toMatchObject(flags)
    expect(new Set(requests.map(({ status }) => status))).toEqual(new Set([200]))
    expect(loggedProblems).toEqual([])
  })

  test('evaluates locally with a personal API key and follows changes', async () => {
    const { addFlag, requests, loggedProblems, open, personalApiKey, query } = await openNodeClients()
    const payingConditions = [{ key: 'plan', type: 'person' as const, value: ['pro'], operator: 'exact' as const }]
    await addFlag({
      key: 'paid',
      filters: { groups: [{ properties: payingConditions }], payloads: { true: { max: 3 } } },
    })
    const client = open(create, { personalApiKey, featureFlagsPollingInterval: 100 })
    await client.reloadFeatureFlags()
    const localOptions = { onlyEvaluateLocally: true, personProperties: { plan: 'pro' } }
    expect(await client.isFeatureEnabled('paid', 'ada', localOptions)).toBe(true)
    expect(await client.getFeatureFlagPayload('paid', 'ada', true, localOptions)).toEqual({ max: 3 })
    expect(await client.getAllFlags('ada', { ...localOptions, personProperties: { plan: 'free' } })).toEqual({
      paid: false,
    })
    expect(await client.getRemoteConfigPayload('paid')).toEqual({ max: 3 })
    await addFlag({ key: 'new', filters: { groups: [{}] } })
    await until(
      () => client.getAllFlags('ada', localOptions),
      (flags) => flags['new'] === true,
    )
    await client.shutdown()
    expect(await query('SELECT event, distinct_id FROM events')).toEqual([['$feature_flag_called', 'ada']])
    expect(requests.filter(({ path }) => /^\/(decide|flags\/\?)/.test(path))).toEqual([])
    expect(requests.filter(({ status }) => status !== 200 && status !== 304)).toEqual([])
    expect(loggedProblems).toEqual([])
  })

  test('sends queued events in several requests before shutdown resolves', async () => {
    const { requests, loggedProblems, open, query } = await openNodeClients()
    const client = open(create, { flushAt: 20, flushInterval: 60_000 })
    for (let index = 0; index < 250; index++)
      client.capture({ distinctId: `user ${index % 7}`, event: 'clicked', properties: { index } })
    await client.shutdown()
    expect(await query('SELECT count(*), count(DISTINCT uuid), count(DISTINCT person_id) FROM events')).toEqual([
      [250, 250, 7],
    ])
    expect(requests.length).toBeGreaterThan(1)
    expect(new Set(requests.map(({ status }) => status))).toEqual(new Set([200]))
    expect(loggedProblems).toEqual([])
  })
})

test('posthog-node 5 waits for the response to each immediate capture', async () => {
  const { requests, loggedProblems, open, query } = await openNodeClients()
  const client = open((apiKey, options) => new PostHog(apiKey, options), { flushInterval: 60_000 })
  await client.captureImmediate({ distinctId: 'ada', event: 'bought' })
  await client.identifyImmediate({ distinctId: 'ada', properties: { plan: 'pro' } })
  await client.aliasImmediate({ distinctId: 'ada', alias: 'visitor' })
  await client.groupIdentifyImmediate({ groupType: 'company', groupKey: 'acme', properties: { seats: 5 } })
  client.setPersonProperties({ distinctId: 'ada', properties: { name: 'Ada' }, propertiesOnce: { plan: 'free' } })
  client.unsetPersonProperties({ distinctId: 'ada', properties: ['name'] })
  await client.captureAiImmediate({ distinctId: 'ada', event: '$ai_generation', properties: { $ai_model: 'm' } })
  await client.captureExceptionImmediate(new Error('Broken'), 'ada')
  // Each request is sent after the response to the previous one.
  const immediatePaths = ['/batch/', '/batch/', '/batch/', '/batch/', '/i/v0/ai/batch/']
  expect(requests.map(({ path }) => path).slice(0, 5)).toEqual(immediatePaths)
  await client.shutdown()
  expect(new Set(requests.map(({ status }) => status))).toEqual(new Set([200]))
  expect(await query("SELECT event FROM events WHERE distinct_id = 'ada' ORDER BY event")).toEqual([
    ['$ai_generation'],
    ['$create_alias'],
    ['$exception'],
    ['$identify'],
    ['$set'],
    ['$set'],
    ['bought'],
  ])
  const [[properties] = []] = await query(`SELECT persons.properties FROM persons
    JOIN person_distinct_ids AS ids ON ids.person_id = persons.id WHERE ids.distinct_id = 'visitor'`)
  expect(JSON.parse(String(properties))).toEqual({ plan: 'pro' })
  expect(loggedProblems).toEqual([])
})

test('posthog-node 5 gets the list of surveys', async () => {
  const { requests, loggedProblems, manage, open } = await openNodeClients()
  const questions = [{ type: 'open', question: 'How was it?' }]
  for (const survey of [{ name: 'Checkout' }, { name: 'Old', archived: true }])
    await manage('surveys/', { type: 'api', start_date: '2026-01-01', questions, ...survey })
  const client = open((apiKey, options) => new PostHog(apiKey, options))
  const surveys = await client.getSurveysStateless()
  expect(surveys).toMatchObject([{ name: 'Checkout', type: 'api', questions, start_date: '2026-01-01T00:00:00.000Z' }])
  expect(requests.map(({ path, status }) => [path.replace(/\?.*/, ''), status])).toEqual([['/api/surveys/', 200]])
  expect(loggedProblems).toEqual([])
})

test('posthog-node 5 reads all flags of a person in one request', async () => {
  const { addFlag, requests, loggedProblems, open, query } = await openNodeClients()
  const payloads = { blue: { hex: '#00f' } }
  const multivariate = { variants: [{ key: 'blue', rollout_percentage: 100 }] }
  await addFlag({ key: 'button', filters: { groups: [{}], multivariate, payloads } })
  await addFlag({ key: 'on', filters: { groups: [{}] } })
  const client = open((apiKey, options) => new PostHog(apiKey, options))
  const flags = await client.evaluateFlags('ada')
  expect([flags.isEnabled('on'), flags.getFlag('button'), flags.getFlagPayload('button')]).toEqual([
    true,
    'blue',
    { hex: '#00f' },
  ])
  expect(await client.getFeatureFlagResult('button', 'grace')).toMatchObject({
    enabled: true,
    variant: 'blue',
    payload: { hex: '#00f' },
  })
  await client.shutdown()
  const flagCalls = await query(`SELECT distinct_id, json_extract_string(properties, '$."$feature_flag"'),
    json_extract_string(properties, '$."$feature_flag_error"') FROM events ORDER BY ALL`)
  expect(flagCalls).toEqual([
    ['ada', 'button', null],
    ['ada', 'on', null],
    ['grace', 'button', null],
  ])
  expect(new Set(requests.map(({ status }) => status))).toEqual(new Set([200]))
  expect(loggedProblems).toEqual([])
})
