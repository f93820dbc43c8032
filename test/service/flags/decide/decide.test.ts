import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { deleteFlag, pauseFlags, setFlags } from '../../../../src/service/flags/definitions/change-flags.ts'
import type { FlagRequest } from '../../../../src/service/flags/decide/flag-request.ts'
import { serializeDecideResponse } from '../../../../src/service/flags/decide/decide-response.ts'
import { createDecide } from '../../../../src/service/flags/decide/decide.ts'
import { createFlagSets } from '../../../../src/service/flags/definitions/flag-sets.ts'
import { COMMON_CONFIG } from '../../../../src/service/remote-config/remote-config.ts'
import type { Metadata, MetadataSource } from '../../../../src/service/store/metadata/open.ts'
import { connectMetadata, openMetadata } from '../../../../src/service/store/metadata/open.ts'
import { createProject } from '../../../../src/service/store/metadata/projects.ts'
import { saveGroups } from '../../../../src/service/store/metadata/groups.ts'
import { savePersons } from '../../../../src/service/store/metadata/persons.ts'
import type { DecideResponse } from '../../../../src/wire/decide.ts'
import type { Json, JsonObject } from '../../../../src/wire/json.ts'
import { openApp } from '../../support/app.ts'
import { createTestSource, openTestMetadata } from '../../support/open-test-metadata.ts'

interface Bed {
  readonly metadata: Metadata
  /** Path of the metadata file. */
  readonly source: MetadataSource
  readonly projectId: number
  readonly errors: unknown[]
  now: number
  decide(body: JsonObject, addresses?: Partial<FlagRequest>): Promise<DecideResponse>
}

const LOCATIONS: Readonly<Record<string, JsonObject>> = {
  '192.0.2.1': { $geoip_country_code: 'DE', $geoip_city_name: 'Berlin' },
  '192.0.2.2': { $geoip_country_code: 'FR' },
}

const openBed = async (flags: Json = []): Promise<Bed> => {
  const source = await createTestSource()
  const metadata = await openMetadata(source)
  onTestFinished(() => metadata.destroy())
  const { id: projectId } = await createProject(metadata, 'Shop', 1000)
  await setFlags(metadata, projectId, flags, 1)
  const errors: unknown[] = []
  const parts = { metadata, now: () => bed.now, onError: (error: unknown) => errors.push(error) }
  const decide = createDecide({ ...parts, flagSets: createFlagSets(parts), geo: (address) => LOCATIONS[address] ?? {} })
  const bed: Bed = {
    metadata,
    source,
    projectId,
    errors,
    now: 1_000_000,
    decide: async (body, addresses = {}) => {
      const request = {
        projectId,
        body: { distinct_id: 'u', ...body },
        connectionIp: undefined,
        forwardedIp: undefined,
      }
      return JSON.parse(serializeDecideResponse(await decide({ ...request, ...addresses }))) as DecideResponse
    },
  }
  return bed
}

const ifProperty = (key: string, property: string, value: Json, index?: number): JsonObject => ({
  key,
  filters: {
    groups: [{ properties: [{ key: property, value }] }],
    ...(index !== undefined && { aggregation_group_type_index: index }),
  },
})

test('responds with values (of disabled flags too), payloads and the remote config', async () => {
  const bed = await openBed([
    { key: 'on', filters: { groups: [{}], payloads: { true: { x: 1 } } } },
    { key: 'off', filters: { groups: [{ rollout_percentage: 0 }], payloads: { true: '1' } } },
    {
      key: 'blue',
      filters: {
        groups: [{ variant: 'b' }],
        multivariate: { variants: [{ key: 'b', rollout_percentage: 100 }] },
        payloads: { b: '"p"' },
      },
    },
  ])
  expect(await bed.decide({})).toEqual({
    config: { enable_collect_everything: true },
    toolbarParams: {},
    isAuthenticated: false,
    ...COMMON_CONFIG,
    surveys: false,
    featureFlags: { on: true, off: false, blue: 'b' },
    featureFlagPayloads: { on: '{"x":1}', blue: '"p"' },
    errorsWhileComputingFlags: false,
    requestId: expect.stringMatching(/^[\da-f-]{36}$/),
    evaluatedAt: bed.now,
  })
})

test('prefers properties of the request to stored properties of person and group', async () => {
  const bed = await openBed({
    flags: [
      ifProperty('pro', 'plan', 'pro'),
      ifProperty('berlin', 'city', 'Berlin'),
      ifProperty('big', 'size', 'big', 0),
      ifProperty('paying', 'paid', 'yes', 0),
    ],
    group_type_mapping: { 0: 'company' },
  })
  const person = { id: 'p', properties: { plan: 'pro', city: 'Berlin' }, createdAt: 1, isIdentified: true }
  await savePersons(bed.metadata, bed.projectId, { persons: [person], newDistinctIds: [['u', 'p']], merges: [] })
  await saveGroups(bed.metadata, bed.projectId, [
    { type: 'company', key: 'acme', properties: { size: 'big', paid: 'no' }, createdAt: 1 },
  ])
  expect((await bed.decide({})).featureFlags).toEqual({ pro: true, berlin: true, big: false, paying: false })
  const input = {
    person_properties: { plan: 'free' },
    groups: { company: 'acme' },
    group_properties: { company: { paid: 'yes' } },
  }
  expect((await bed.decide(input)).featureFlags).toEqual({ pro: false, berlin: true, big: true, paying: true })
  expect((await bed.decide({ distinct_id: 'stranger' })).featureFlags).toMatchObject({ pro: false })
})

test('evaluates only the requested flags', async () => {
  const bed = await openBed([
    { key: 'a', filters: { groups: [{}] } },
    { key: 'b', filters: { groups: [{}] } },
  ])
  expect((await bed.decide({ flag_keys_to_evaluate: ['b', 'none'] })).featureFlags).toEqual({ b: true })
  expect((await bed.decide({ disable_flags: true })).featureFlags).toEqual({})
})

test('excludes flags for other runtimes and contexts than those of the request', async () => {
  const all = { filters: { groups: [{}] } }
  const bed = await openBed([
    { key: 'any', ...all },
    { key: 'all', evaluation_runtime: 'all', evaluation_contexts: [], ...all },
    { key: 'client', evaluation_runtime: 'client', ...all },
    { key: 'server', evaluation_runtime: 'server', ...all },
    { key: 'docs', evaluation_contexts: ['docs', 'blog'], ...all },
    { key: 'tagged', evaluation_tags: ['app'], ...all },
  ])
  const keysFor = async (body: JsonObject): Promise<string[]> => Object.keys((await bed.decide(body)).featureFlags)
  expect(await keysFor({ evaluation_runtime: 'all' })).toHaveLength(6)
  expect(await keysFor({ evaluation_runtime: 'server' })).toEqual(['any', 'all', 'server', 'docs', 'tagged'])
  expect(await keysFor({ evaluation_contexts: ['blog'] })).toEqual(['any', 'all', 'client', 'server', 'docs'])
  expect(await keysFor({ evaluation_contexts: ['app'], evaluation_runtime: 'client', flag_keys: ['tagged'] })).toEqual([
    'tagged',
  ])
})

test('prefers the location in the request, then forwarded, stored, of the connection', async () => {
  const bed = await openBed([
    ifProperty('de', '$geoip_country_code', 'DE'),
    ifProperty('fr', '$geoip_country_code', 'FR'),
    ifProperty('us', '$geoip_country_code', 'US'),
    ifProperty('berlin', '$geoip_city_name', 'Berlin'),
    ifProperty('boston', '$geoip_city_name', 'Boston'),
  ])
  const person = {
    id: 'p',
    properties: { $geoip_country_code: 'US', $geoip_city_name: 'Boston' },
    createdAt: 1,
    isIdentified: true,
  }
  await savePersons(bed.metadata, bed.projectId, { persons: [person], newDistinctIds: [['u', 'p']], merges: [] })
  const on = async (body: JsonObject, addresses: Partial<FlagRequest>): Promise<string[]> =>
    Object.entries((await bed.decide(body, addresses)).featureFlags).flatMap(([key, value]) => (value ? [key] : []))
  const connectionIp = '192.0.2.1'
  const stranger = { distinct_id: 'stranger' }
  expect(await on({}, {})).toEqual(['us', 'boston'])
  expect(await on({}, { connectionIp })).toEqual(['us', 'boston'])
  expect(await on(stranger, { connectionIp })).toEqual(['de', 'berlin'])
  expect(await on(stranger, { connectionIp: '192.0.2.99' })).toEqual([])
  expect(await on({}, { connectionIp, forwardedIp: '192.0.2.2' })).toEqual(['fr'])
  expect(await on({}, { connectionIp, forwardedIp: '192.0.2.99' })).toEqual(['us', 'boston'])
  expect(
    await on({ person_properties: { $geoip_country_code: 'US' } }, { connectionIp, forwardedIp: '192.0.2.1' }),
  ).toEqual(['us', 'berlin'])
  const disabled = { geoip_disable: true }
  expect(await on({ ...stranger, ...disabled }, { connectionIp, forwardedIp: connectionIp })).toEqual([])
  expect(await on(disabled, { forwardedIp: '192.0.2.2' })).toEqual(['us', 'boston'])
})

test('keeps the value of the id before identify for all ids of the person', async () => {
  const half = (key: string): JsonObject => ({
    key,
    ensure_experience_continuity: true,
    filters: { groups: [{ rollout_percentage: 50 }] },
  })
  const bed = await openBed([half('kept'), { ...half('plain'), ensure_experience_continuity: false }])
  const valueFor = async (body: JsonObject): Promise<unknown> => (await bed.decide(body)).featureFlags['kept']
  const ids = Array.from({ length: 100 }, (_, index) => `id-${index}`)
  const values = new Map<string, unknown>()
  for (const id of ids) values.set(id, await valueFor({ distinct_id: id }))
  const [on, otherOn] = ids.filter((id) => values.get(id) === true)
  const [off, otherOff] = ids.filter((id) => values.get(id) === false)

  expect(await valueFor({ distinct_id: off!, $anon_distinct_id: on! })).toBe(true)
  expect(await valueFor({ distinct_id: off! })).toBe(true)
  expect(await valueFor({ distinct_id: off!, $anon_distinct_id: otherOff! })).toBe(true)
  expect((await bed.decide({ distinct_id: off! })).featureFlags['plain']).toBe(
    (await bed.decide({ distinct_id: off!, $anon_distinct_id: on! })).featureFlags['plain'],
  )

  const person = { id: 'p', properties: {}, createdAt: 1, isIdentified: true }
  await savePersons(bed.metadata, bed.projectId, {
    persons: [person],
    newDistinctIds: [
      [off!, 'p'],
      [otherOff!, 'p'],
    ],
    merges: [],
  })
  expect(await valueFor({ distinct_id: otherOff! })).toBe(true)

  // Two persons are merged: the id that was stored first applies to both.
  bed.now += 1000
  expect(await valueFor({ distinct_id: otherOn!, $anon_distinct_id: otherOff! })).toBe(false)
  await savePersons(bed.metadata, bed.projectId, {
    persons: [],
    newDistinctIds: [[otherOn!, 'p']],
    merges: [],
  })
  expect(await valueFor({ distinct_id: otherOn! })).toBe(true)
  expect(await readHashKeys(bed)).toEqual([
    { distinct_id: off, hash_key: on },
    { distinct_id: otherOn, hash_key: otherOff },
  ])
})

/** The stored hash keys, oldest first. */
const readHashKeys = ({ metadata }: Bed): Promise<object[]> =>
  metadata.selectFrom('hash_keys').select(['distinct_id', 'hash_key']).orderBy('created_at').execute()

const continuous = (key: string, more: JsonObject = {}): JsonObject => ({
  key,
  ensure_experience_continuity: true,
  filters: { groups: [{ rollout_percentage: 50 }] },
  ...more,
})

test('stores one hash key per person, also for flags created later', async () => {
  const bed = await openBed(Array.from({ length: 20 }, (_, index) => continuous(`f${index}`)))
  const valuesOf = async (body: JsonObject): Promise<unknown> => (await bed.decide(body)).featureFlags
  const before = await valuesOf({ distinct_id: 'before' })
  expect(await valuesOf({ distinct_id: 'after' })).not.toEqual(before)
  expect(await valuesOf({ distinct_id: 'after', $anon_distinct_id: 'before' })).toEqual(before)
  expect(await readHashKeys(bed)).toEqual([{ distinct_id: 'after', hash_key: 'before' }])

  await deleteFlag(bed.metadata, bed.projectId, 'f3')
  await setFlags(bed.metadata, bed.projectId, [continuous('f3'), continuous('f20')], 2)
  bed.now += 1000
  expect(await valuesOf({ distinct_id: 'after' })).toEqual(await valuesOf({ distinct_id: 'before' }))
})

test('stores a hash key only if a requested flag or a dependency needs it', async () => {
  const bed = await openBed({
    flags: [
      continuous('kept'),
      continuous('paused', { active: false }),
      continuous('by-device', { bucketing_identifier: 'device_id' }),
      continuous('of-group', { filters: { groups: [{}], aggregation_group_type_index: 0 } }),
      { key: 'plain', filters: { groups: [{}] } },
      {
        key: 'behind',
        filters: {
          groups: [{ properties: [{ key: 'kept', type: 'flag', operator: 'flag_evaluates_to', value: true }] }],
        },
      },
    ],
    group_type_mapping: { 0: 'company' },
  })
  const others = ['paused', 'by-device', 'of-group', 'plain']
  await bed.decide({ $anon_distinct_id: 'anon', flag_keys: others })
  expect(await readHashKeys(bed)).toEqual([])
  await bed.metadata.schema.alterTable('hash_keys').renameTo('hidden_keys').execute()
  await bed.decide({ $anon_distinct_id: 'anon', flag_keys: others })
  expect(bed.errors).toEqual([])
  await bed.metadata.schema.alterTable('hidden_keys').renameTo('hash_keys').execute()

  await bed.decide({ $anon_distinct_id: 'anon', flag_keys: ['behind'] })
  expect(await readHashKeys(bed)).toEqual([{ distinct_id: 'u', hash_key: 'anon' }])
})

test('uses an id of more than 400 characters for one request and does not store it', async () => {
  const bed = await openBed(Array.from({ length: 20 }, (_, index) => continuous(`f${index}`)))
  const valuesOf = async (body: JsonObject): Promise<unknown> => (await bed.decide(body)).featureFlags
  const long = 'x'.repeat(401)
  expect(await valuesOf({ distinct_id: 'u', $anon_distinct_id: long })).toEqual(await valuesOf({ distinct_id: long }))
  await valuesOf({ distinct_id: long, $anon_distinct_id: 'anon' })
  expect(await readHashKeys(bed)).toEqual([])
  await valuesOf({ distinct_id: 'u', $anon_distinct_id: long.slice(1) })
  expect(await readHashKeys(bed)).toEqual([{ distinct_id: 'u', hash_key: long.slice(1) }])
})

test('evaluates by the id before identify while it cannot be stored', async () => {
  const bed = await openBed({
    key: 'kept',
    ensure_experience_continuity: true,
    filters: { groups: [{ rollout_percentage: 50 }] },
  })
  // A view of distinct rows can be read but not written.
  await bed.metadata.schema.alterTable('hash_keys').renameTo('hidden_keys').execute()
  const view = bed.metadata
    .selectFrom('hidden_keys as kept' as 'hash_keys as kept')
    .distinct()
    .selectAll()
  await bed.metadata.schema.createView('hash_keys').as(view).execute()
  const value = (await bed.decide({ distinct_id: 'before' })).featureFlags['kept']
  for (const id of ['after-1', 'after-2', 'after-3', 'after-4'])
    expect((await bed.decide({ distinct_id: id, $anon_distinct_id: 'before' })).featureFlags['kept']).toBe(value)
  expect(bed.errors).toHaveLength(4)
})

test('reads no stored properties if the request contains all of them', async () => {
  const bed = await openBed({
    flags: [ifProperty('pro', 'plan', 'pro'), ifProperty('big', 'size', 'big', 0)],
    group_type_mapping: { 0: 'company' },
  })
  await bed.metadata.schema.dropTable('person_distinct_ids').execute()
  // Its rows name groups.
  await bed.metadata.schema.dropTable('group_changes').execute()
  await bed.metadata.schema.dropTable('groups').execute()
  const input = {
    person_properties: { plan: 'pro' },
    groups: { company: 'acme', team: 'red' },
    group_properties: { company: { size: 'big' } },
  }
  expect((await bed.decide(input)).featureFlags).toEqual({ pro: true, big: true })
  expect(bed.errors).toEqual([])
})

test('reads person and groups only for requested flags and dependencies', async () => {
  const bed = await openBed({
    flags: [
      ifProperty('pro', 'plan', 'pro'),
      ifProperty('big', 'size', 'big', 0),
      { key: 'plain', filters: { groups: [{}] } },
      {
        key: 'behind',
        filters: {
          groups: [{ properties: [{ key: 'pro', type: 'flag', operator: 'flag_evaluates_to', value: true }] }],
        },
      },
    ],
    group_type_mapping: { 0: 'company' },
  })
  const person = { id: 'p', properties: { plan: 'pro' }, createdAt: 1, isIdentified: true }
  await savePersons(bed.metadata, bed.projectId, { persons: [person], newDistinctIds: [['u', 'p']], merges: [] })
  expect((await bed.decide({ flag_keys: ['behind'] })).featureFlags).toEqual({ behind: true })
  await bed.metadata.schema.dropTable('person_distinct_ids').execute()
  // Its rows name groups.
  await bed.metadata.schema.dropTable('group_changes').execute()
  await bed.metadata.schema.dropTable('groups').execute()
  const groups = { company: 'acme' }
  const input = { groups, group_properties: { company: { size: 'big' } } }
  expect((await bed.decide({ groups, flag_keys: ['plain'] })).featureFlags).toEqual({ plain: true })
  expect((await bed.decide({ ...input, flag_keys: ['big', 'plain'] })).featureFlags).toEqual({ big: true, plain: true })
  expect(bed.errors).toEqual([])
  await bed.decide({ flag_keys: ['behind'] })
  expect(bed.errors).toHaveLength(1)
})

test('takes ids as it stores them: without NUL, numbers as strings', async () => {
  const half = { groups: [{ rollout_percentage: 50 }] }
  const bed = await openBed({
    flags: [
      { key: 'person', filters: half },
      { key: 'device', bucketing_identifier: 'device_id', filters: half },
      { key: 'company', filters: { ...half, aggregation_group_type_index: 0 } },
    ],
    group_type_mapping: { 0: 'company' },
  })
  const flagsOf = async (body: JsonObject): Promise<object> => (await bed.decide(body)).featureFlags
  const seen = new Set<string>()
  for (let id = 0; id < 20; id++) {
    const expected = await flagsOf({ distinct_id: `${id}`, $device_id: `${id}`, groups: { company: `${id}` } })
    for (const same of [id, `\0${id}\0`]) {
      const body = { distinct_id: same, groups: { company: same } }
      expect(await flagsOf({ ...body, $device_id: same })).toEqual(expected)
      expect(await flagsOf({ ...body, person_properties: { $device_id: same } })).toEqual(expected)
    }
    for (const [key, value] of Object.entries(expected)) seen.add(`${key} ${value}`)
  }
  expect(seen.size).toBe(6)
})

test('treats a null group as missing and ignores unknown runtimes', async () => {
  const bed = await openBed({
    flags: [
      ifProperty('big', 'size', 'big', 0),
      { key: 'on', evaluation_runtime: 'client', filters: { groups: [{}] } },
    ],
    group_type_mapping: { 0: 'company' },
  })
  const group_properties = { company: null, team: { size: 'big' } }
  for (const groups of [null, { company: null }, { company: '' }, { company: ' \0' }])
    expect((await bed.decide({ groups, group_properties })).featureFlags).toEqual({ big: false, on: true })
  for (const evaluation_runtime of ['edge', 'all', 7, null])
    expect((await bed.decide({ evaluation_runtime, flag_keys: ['on'] })).featureFlags).toEqual({ on: true })
  expect((await bed.decide({ evaluation_runtime: 'server', flag_keys: ['on'] })).featureFlags).toEqual({})
})

// API: | errorsWhileComputingFlags | boolean | … lets clients update the flags that are currently active only partially |
// API: | Decide, some flags not computable | 200 with errorsWhileComputingFlags true |
test('omits a flag whose evaluation fails, reports it and evaluates the others', async () => {
  const bed = await openBed([{ key: 'fine', filters: { groups: [{}] } }, ifProperty('broken', 'x', '1')])
  // A definition written by a newer release.
  await bed.metadata
    .updateTable('flags')
    .set({
      definition: JSON.stringify({
        ...ifProperty('broken', 'x', '1'),
        active: true,
        filters: { groups: [{ properties: [{ key: 'x', operator: 'of_tomorrow', value: 1 }] }] },
      }),
    })
    .where('key', '=', 'broken')
    .execute()
  expect(await bed.decide({})).toMatchObject({ featureFlags: { fine: true }, errorsWhileComputingFlags: true })
})

test('evaluates flags that need no person while persons cannot be read', async () => {
  const bed = await openBed([{ key: 'fine', filters: { groups: [{}] } }, ifProperty('pro', 'plan', 'pro')])
  await bed.metadata.schema.dropTable('person_distinct_ids').execute()
  const response = await bed.decide({})
  expect([response.featureFlags, response.errorsWhileComputingFlags]).toEqual([{ fine: true }, true])
  expect(bed.errors).toHaveLength(1)
  expect((await bed.decide({ person_properties: { plan: 'pro' } })).featureFlags).toEqual({ fine: true, pro: true })
})

test('sends no flags, but the used-up quota, until flags are resumed', async () => {
  const bed = await openBed({ key: 'a', filters: { groups: [{}] } })
  await pauseFlags(bed.metadata, bed.projectId, true)
  expect(await bed.decide({})).toMatchObject({
    quotaLimited: ['feature_flags'],
    featureFlags: {},
    featureFlagPayloads: {},
    errorsWhileComputingFlags: false,
  })
  await pauseFlags(bed.metadata, bed.projectId, false)
  bed.now += 1_000
  const response = await bed.decide({})
  expect(response.featureFlags).toEqual({ a: true })
  expect(response).not.toHaveProperty('quotaLimited')
})

test('caches flags, and serves a change of another process within a second', async () => {
  const bed = await openBed({ key: 'a', filters: { groups: [{}] } })
  expect((await bed.decide({})).featureFlags).toEqual({ a: true })
  const other = connectMetadata(bed.source)
  await deleteFlag(other, bed.projectId, 'a')
  await setFlags(other, bed.projectId, { key: 'b', filters: { groups: [{}] } }, 2)
  await other.destroy()
  expect((await bed.decide({})).featureFlags).toEqual({ a: true })
  bed.now += 999
  expect((await bed.decide({})).featureFlags).toEqual({ b: true })
})

test('keeps using cached definitions while the metadata cannot be read', async () => {
  const bed = await openBed({ key: 'a', filters: { groups: [{}] } })
  await bed.decide({})
  await bed.metadata.schema.dropTable('flag_settings').execute()
  bed.now += 1_000
  expect((await bed.decide({})).featureFlags).toEqual({ a: true })
  expect(bed.errors).toHaveLength(1)
  const cold = createFlagSets({ metadata: bed.metadata, now: () => 0, onError: () => {} })
  await expect(cold.get(bed.projectId)).rejects.toMatchObject({
    status: 503,
    body: { code: 'flags_unavailable' },
  })
})

test.each<[JsonObject, string]>([
  [{ distinct_id: null }, 'missing_distinct_id'],
  [{ distinct_id: '' }, 'missing_distinct_id'],
  [{ distinct_id: ' \0' }, 'missing_distinct_id'],
  [{ distinct_id: 2 ** 53 }, 'missing_distinct_id'],
  [{ distinct_id: { a: 1 } }, 'missing_distinct_id'],
  [{ groups: [] }, 'invalid_groups'],
  [{ groups: { company: {} } }, 'invalid_groups'],
  [{ person_properties: 'x' }, 'invalid_person_properties'],
  [{ group_properties: { company: 1 } }, 'invalid_group_properties'],
  [{ flag_keys_to_evaluate: 'a' }, 'invalid_flag_keys_to_evaluate'],
  [{ flag_keys: [1] }, 'invalid_flag_keys'],
  [{ evaluation_contexts: {} }, 'invalid_evaluation_contexts'],
])('rejects the body %j with 400 and %s', async (body, code) => {
  const bed = await openBed()
  await expect(bed.decide(body)).rejects.toMatchObject({ status: 400, body: { type: 'validation_error', code } })
})

test('accepts bodies in every format, and rejects malformed ones', async () => {
  const metadata = await openTestMetadata()
  onTestFinished(() => metadata.destroy())
  const { id, apiKey } = await createProject(metadata, 'Shop', 1000)
  await setFlags(metadata, id, { key: 'a', filters: { groups: [{}] } }, 1)
  const { app } = await openApp({ metadata })
  const json = JSON.stringify({ api_key: apiKey, distinct_id: 'u' })
  const form = `data=${encodeURIComponent(Buffer.from(json.replace('api_key', 'token')).toString('base64'))}`
  const formType = { 'content-type': 'application/x-www-form-urlencoded' }
  for (const [url, payload, headers] of [
    ['/decide?v=3', json, { 'content-type': 'text/plain' }],
    ['/decide/?v=3', json, { 'content-type': 'application/json' }],
    ['/decide/?v=3', gzipSync(json), { 'content-encoding': 'gzip' }],
    ['/decide/?v=3&ip=1', form, formType],
  ] as const) {
    const response = await app.inject({ method: 'POST', url, payload, headers })
    expect([url, response.statusCode, response.json().featureFlags]).toEqual([url, 200, { a: true }])
  }
  for (const [payload, status, code] of [
    ['{', 400, 'invalid_json'],
    ['[]', 400, 'invalid_shape'],
    ['{"distinct_id":"u"}', 401, 'missing_api_key'],
    [JSON.stringify({ api_key: apiKey }), 400, 'missing_distinct_id'],
  ] as const) {
    const response = await app.inject({ method: 'POST', url: '/decide/?v=3', payload })
    expect([response.statusCode, response.json().code]).toEqual([status, code])
  }
})

test('gives no value to flags that read a value of more than 64 KiB, of the request or stored', async () => {
  const bed = await openBed({
    flags: [
      ifProperty('reads', 'email', 'a'),
      ifProperty('reads-group', 'note', 'a', 0),
      ifProperty('other', 'plan', 'pro'),
    ],
    group_type_mapping: { 0: 'company' },
  })
  const long = 'a'.repeat(65_537)
  const person = { id: 'p', properties: { email: long, plan: 'pro' }, createdAt: 1, isIdentified: true }
  await savePersons(bed.metadata, bed.projectId, { persons: [person], newDistinctIds: [['u', 'p']], merges: [] })
  const groups = { groups: { company: 'acme' }, group_properties: { company: { note: long } } }
  expect(await bed.decide(groups)).toMatchObject({ featureFlags: { other: true }, errorsWhileComputingFlags: true })
  expect(await bed.decide({ distinct_id: 'v', person_properties: { email: long, plan: 'pro' } })).toMatchObject({
    featureFlags: { other: true, 'reads-group': false },
    errorsWhileComputingFlags: true,
  })
  expect(await bed.decide({ ...groups, flag_keys: ['other'] })).toMatchObject({ errorsWhileComputingFlags: false })
  expect(bed.errors).toEqual([])
})

test('ends the evaluation of a request at the work limit, and logs why', async () => {
  const flags = Array.from({ length: 300 }, (_, index) => ({
    key: `f${index}`,
    filters: { groups: [{ properties: [{ key: 'email', operator: 'icontains', value: `@${index}` }] }] },
  }))
  const bed = await openBed([...flags, { key: 'everyone', filters: { groups: [{}] } }])
  const response = await bed.decide({ person_properties: { email: 'a'.repeat(65_000) } })
  expect(response).toMatchObject({ featureFlags: { f0: false, everyone: true }, errorsWhileComputingFlags: true })
  expect(response.featureFlags).not.toHaveProperty('f299')
  expect(bed.errors).toEqual([expect.objectContaining({ message: expect.stringContaining('reach the work limit') })])
  expect(await bed.decide({ person_properties: { email: 'a@299' } })).toMatchObject({
    featureFlags: { f299: true },
    errorsWhileComputingFlags: false,
  })
})
