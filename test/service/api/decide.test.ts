import { gzipSync } from 'node:zlib'
import lzString from 'lz-string'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { eventually } from '../support/service-process.ts'
import { shareService } from '../support/shared-service.ts'

/** Flag evaluation with ingested data. A comment "API:" quotes the description of the API that the service implements. */

const service = shareService()

const group = (property: object) => ({ groups: [{ properties: [property] }] })
const FLAGS = {
  flags: [
    { key: 'pro', filters: group({ key: 'plan', value: ['pro'], operator: 'exact', type: 'person' }) },
    {
      key: 'big-company',
      filters: {
        aggregation_group_type_index: 0,
        ...group({ key: 'seats', value: 100, operator: 'gt', type: 'group', group_type_index: 0 }),
      },
    },
    {
      key: 'colour',
      filters: {
        groups: [{ variant: 'blue' }],
        multivariate: { variants: [{ key: 'blue', rollout_percentage: 100 }] },
        payloads: { blue: '{"hex":"#00f"}' },
      },
    },
  ],
  group_type_mapping: { 0: 'company' },
}

const decide = async (body: object): Promise<Record<string, unknown>> =>
  (await service.post('/decide?v=3', { api_key: service.apiKey, ...body })).body.featureFlags

beforeAll(async () => {
  const file = join(service.folder, 'flags.json')
  writeFileSync(file, JSON.stringify(FLAGS))
  await service.runCommand('flag', 'set', file)
  await eventually(async () => 'pro' in (await decide({ distinct_id: 'nobody' })))
})

// API: | POST | {ingest_url}/decide?v=3 | Decide request; optional header HTTP_X_FORWARDED_FOR carrying the client IP address
// to use | 200, Decide response |
// API: | api_key | string (project API key) | yes |
test('responds with every field of a decide response', async () => {
  const { status, body } = await service.post('/decide?v=3', { api_key: service.apiKey, distinct_id: 'u' })
  expect(status).toBe(200)
  expect(body).toMatchObject({
    // API: | config | object | contains enable_collect_everything (boolean) |
    config: { enable_collect_everything: expect.any(Boolean) },
    // API: | toolbarParams | object | |
    toolbarParams: {},
    // API: | errorsWhileComputingFlags | boolean | true when some flags could not be computed, … |
    errorsWhileComputingFlags: false,
    // API: | isAuthenticated | boolean | |
    isAuthenticated: expect.any(Boolean),
    // API: | supportedCompression | array of string | values seen: gzip, lz64 |
    supportedCompression: expect.arrayContaining(['gzip', 'lz64']),
    // API: | featureFlags | object: flag key to boolean, or to string for a multivariate flag (the variant key) | |
    featureFlags: { pro: false, 'big-company': false, colour: 'blue' },
    // API: | featureFlagPayloads | object: flag key to string payload (a string that may itself hold JSON text) | |
    featureFlagPayloads: { colour: '{"hex":"#00f"}' },
  })
  // API: | quotaLimited | array of string | present only when quota-limited; contains feature_flags |
  expect(body).not.toHaveProperty('quotaLimited')
})

// API: | distinct_id | string | yes |
test('evaluates flags with the stored properties of the person', async () => {
  await service.capture({ event: '$identify', distinct_id: 'ann', properties: { $set: { plan: 'pro' } } })
  await service.queryStored('select 1')
  expect(await decide({ distinct_id: 'ann' })).toMatchObject({ pro: true })
  expect(await decide({ distinct_id: 'someone else' })).toMatchObject({ pro: false })
  await service.capture({ event: '$create_alias', distinct_id: 'phone', properties: { alias: 'ann' } })
  await service.queryStored('select 1')
  expect(await decide({ distinct_id: 'phone' })).toMatchObject({ pro: true })
})

// API: | groups | object: group type name to group id | only for group-based flags |
test('evaluates a group flag with the stored properties of the group', async () => {
  const properties = { $group_type: 'company', $group_key: 'acme', $group_set: { seats: 500 } }
  await service.capture({ event: '$groupidentify', distinct_id: 'u', properties })
  await service.queryStored('select 1')
  expect(await decide({ distinct_id: 'u', groups: { company: 'acme' } })).toMatchObject({ 'big-company': true })
  expect(await decide({ distinct_id: 'u', groups: { company: 'other' } })).toMatchObject({ 'big-company': false })
  expect(await decide({ distinct_id: 'u' })).toMatchObject({ 'big-company': false })
})

// API: "When person_properties, groups or group_properties are given, they are used instead of the stored values for that
// evaluation."
// API: | person_properties | object of property name to value | no | overrides the stored person properties for this evaluation |
test('overrides stored person properties for one evaluation', async () => {
  await service.capture({ event: '$identify', distinct_id: 'bob', properties: { $set: { plan: 'free' } } })
  await service.queryStored('select 1')
  expect(await decide({ distinct_id: 'bob', person_properties: { plan: 'pro' } })).toMatchObject({ pro: true })
  // For this evaluation only.
  expect(await decide({ distinct_id: 'bob' })).toMatchObject({ pro: false })
})

// API: | group_properties | object: group type name to object of property name to value | no | overrides the stored group
// properties for this evaluation |
test('overrides stored group properties for one evaluation', async () => {
  const properties = { $group_type: 'company', $group_key: 'small', $group_set: { seats: 3 } }
  await service.capture({ event: '$groupidentify', distinct_id: 'u', properties })
  await service.queryStored('select 1')
  const groups = { company: 'small' }
  const groupProperties = { company: { seats: 300 } }
  expect(await decide({ distinct_id: 'u', groups, group_properties: groupProperties })).toMatchObject({
    'big-company': true,
  })
  expect(await decide({ distinct_id: 'u', groups })).toMatchObject({ 'big-company': false })
})

// API: | supportedCompression | array of string | values seen: gzip, lz64 |
test('accepts events in every compression that /decide announces', async () => {
  const response = await service.post('/decide?v=3', { api_key: service.apiKey, distinct_id: 'u' })
  const compressions: string[] = response.body.supportedCompression
  expect(compressions).toEqual(expect.arrayContaining(['gzip', 'lz64']))
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  for (const name of compressions) {
    const body = JSON.stringify({ api_key: service.apiKey, event: `by ${name}`, distinct_id: 'u' })
    const encoded = name === 'lz64' ? lzString.compressToBase64(body) : Buffer.from(body).toString('base64')
    const captureResponse = name.startsWith('gzip')
      ? await service.post(`/e/?compression=${name}`, gzipSync(body))
      : await service.post(`/e/?compression=${name}`, `data=${encodeURIComponent(encoded)}`, form)
    expect([name, captureResponse.status]).toEqual([name, 200])
  }
  const rows = await service.queryStored("select event from events where event like 'by %'")
  expect(new Set(rows.flat())).toEqual(new Set(compressions.map((name) => `by ${name}`)))
})

// API: "evaluate with decide; add $feature/<flag_key> to captured events; send $feature_flag_called whenever a flag value is
// checked"
test('stores flag values and flag checks that clients report', async () => {
  await service.capture({ event: '$identify', distinct_id: 'cy', properties: { $set: { plan: 'pro' } } })
  await service.queryStored('select 1')
  const { pro } = await decide({ distinct_id: 'cy' })
  const callProperties = { $feature_flag: 'pro', $feature_flag_response: pro }
  await service.capture({ event: '$feature_flag_called', distinct_id: 'cy', properties: callProperties })
  await service.capture({ event: 'bought', distinct_id: 'cy', properties: { '$feature/pro': pro } })
  const query = `select json_extract_string(c.properties, '$."$feature_flag"'), json_extract(b.properties, '$."$feature/pro"')::boolean
    from events c join events b on b.person_id = c.person_id
    where c.event = '$feature_flag_called' and b.event = 'bought'`
  expect(await service.queryStored(query)).toEqual([['pro', true]])
})
