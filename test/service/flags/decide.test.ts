import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { deleteFlag, pauseFlags, setFlags } from '../../../src/service/flags/change-flags.ts'
import { createDecide } from '../../../src/service/flags/decide.ts'
import { connectMetadata, openMetadata } from '../../../src/service/store/metadata/open.ts'
import type { Metadata } from '../../../src/service/store/metadata/open.ts'
import { createProject } from '../../../src/service/store/metadata/projects.ts'
import { saveGroups } from '../../../src/service/store/metadata/groups.ts'
import { savePersons } from '../../../src/service/store/metadata/persons.ts'
import type { DecideAnswer } from '../../../src/wire/decide.ts'
import type { Json, JsonObject } from '../../../src/wire/json.ts'
import { openApp } from '../support/app.ts'
import { tempFolder } from '../support/temp-folder.ts'

interface Bed {
  readonly metadata: Metadata
  /** The metadata's own file. */
  readonly file: string
  readonly projectId: number
  readonly errors: unknown[]
  now: number
  decide(body: JsonObject): Promise<DecideAnswer>
}

const openBed = async (flags: Json = []): Promise<Bed> => {
  const file = join(tempFolder(), 'metadata.sqlite')
  const metadata = await openMetadata(file)
  onTestFinished(() => metadata.destroy())
  const { id: projectId } = await createProject(metadata, 'Shop', 1000)
  await setFlags(metadata, projectId, flags, 1)
  const errors: unknown[] = []
  const decide = createDecide({ metadata, now: () => bed.now, onError: (error) => errors.push(error) })
  const bed: Bed = {
    metadata,
    file,
    projectId,
    errors,
    now: 1_000_000,
    decide: async (body) =>
      (await decide({
        projectId,
        body: { distinct_id: 'u', ...body },
      })) as DecideAnswer,
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

test('answers in the form of the protocol: values, off ones too, payloads as text, and what it can decompress', async () => {
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
    supportedCompression: ['gzip', 'lz64'],
    featureFlags: { on: true, off: false, blue: 'b' },
    featureFlagPayloads: { on: '{"x":1}', blue: '"p"' },
    errorsWhileComputingFlags: false,
    requestId: expect.stringMatching(/^[\da-f-]{36}$/),
  })
})

test('merges the properties of the request over those stored for person and group', async () => {
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
  await savePersons(bed.metadata, bed.projectId, { persons: [person], attached: [['u', 'p']], merges: [], position: 1 })
  await saveGroups(bed.metadata, bed.projectId, [
    { type: 'company', key: 'acme', properties: { size: 'big', paid: 'no' }, createdAt: 1 },
  ])
  expect((await bed.decide({})).featureFlags).toEqual({ pro: true, berlin: true, big: false, paying: false })
  const given = {
    person_properties: { plan: 'free' },
    groups: { company: 'acme' },
    group_properties: { company: { paid: 'yes' } },
  }
  expect((await bed.decide(given)).featureFlags).toEqual({ pro: false, berlin: true, big: true, paying: true })
  expect((await bed.decide({ distinct_id: 'stranger' })).featureFlags).toMatchObject({ pro: false })
})

test('computes only the flags asked for', async () => {
  const bed = await openBed([
    { key: 'a', filters: { groups: [{}] } },
    { key: 'b', filters: { groups: [{}] } },
  ])
  expect((await bed.decide({ flag_keys_to_evaluate: ['b', 'none'] })).featureFlags).toEqual({ b: true })
  expect((await bed.decide({ disable_flags: true })).featureFlags).toEqual({})
})

test('leaves out a flag that cannot be computed, says so, and computes the others', async () => {
  const bed = await openBed([{ key: 'fine', filters: { groups: [{}] } }, ifProperty('broken', 'x', '1')])
  // A definition that a newer release has written.
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

test('computes what needs no person when persons cannot be read', async () => {
  const bed = await openBed([{ key: 'fine', filters: { groups: [{}] } }, ifProperty('pro', 'plan', 'pro')])
  await bed.metadata.schema.dropTable('person_distinct_ids').execute()
  const answer = await bed.decide({})
  expect([answer.featureFlags, answer.errorsWhileComputingFlags]).toEqual([{ fine: true }, true])
  expect(bed.errors).toHaveLength(1)
  expect((await bed.decide({ person_properties: { plan: 'pro' } })).featureFlags).toEqual({ fine: true, pro: true })
})

test('answers that the quota is used up, with no flags, until evaluation is resumed', async () => {
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
  const answer = await bed.decide({})
  expect(answer.featureFlags).toEqual({ a: true })
  expect(answer).not.toHaveProperty('quotaLimited')
})

test('sees within a second what another process has changed, and reads nothing in between', async () => {
  const bed = await openBed({ key: 'a', filters: { groups: [{}] } })
  expect((await bed.decide({})).featureFlags).toEqual({ a: true })
  const other = connectMetadata(bed.file)
  await deleteFlag(other, bed.projectId, 'a')
  await setFlags(other, bed.projectId, { key: 'b', filters: { groups: [{}] } }, 2)
  await other.destroy()
  expect((await bed.decide({})).featureFlags).toEqual({ a: true })
  bed.now += 999
  expect((await bed.decide({})).featureFlags).toEqual({ b: true })
})

test('goes on with the definitions it holds while the metadata cannot be read', async () => {
  const bed = await openBed({ key: 'a', filters: { groups: [{}] } })
  await bed.decide({})
  await bed.metadata.schema.dropTable('flag_settings').execute()
  bed.now += 1_000
  expect((await bed.decide({})).featureFlags).toEqual({ a: true })
  expect(bed.errors).toHaveLength(1)
  const cold = createDecide({ metadata: bed.metadata, now: () => 0, onError: () => {} })
  await expect(cold({ projectId: bed.projectId, body: { distinct_id: 'u' } })).rejects.toMatchObject({
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
])('refuses %j with 400 and %s', async (body, code) => {
  const bed = await openBed()
  await expect(bed.decide(body)).rejects.toMatchObject({ status: 400, body: { type: 'validation_error', code } })
})

test('answers every form of body, with or without a slash, and refuses what it cannot read', async () => {
  const metadata = await openMetadata(':memory:')
  onTestFinished(() => metadata.destroy())
  const { id, apiKey } = await createProject(metadata, 'Shop', 1000)
  await setFlags(metadata, id, { key: 'a', filters: { groups: [{}] } }, 1)
  const decide = createDecide({ metadata, now: () => 0, onError: () => {} })
  const { app } = await openApp({ metadata, decide })
  const json = JSON.stringify({ api_key: apiKey, distinct_id: 'u' })
  const form = `data=${encodeURIComponent(Buffer.from(json.replace('api_key', 'token')).toString('base64'))}`
  const formType = { 'content-type': 'application/x-www-form-urlencoded' }
  for (const [url, payload, headers] of [
    ['/decide?v=3', json, { 'content-type': 'text/plain' }],
    ['/decide/?v=3', json, { 'content-type': 'application/json' }],
    ['/decide/?v=3', gzipSync(json), { 'content-encoding': 'gzip' }],
    ['/decide/?v=3&ip=1', form, formType],
  ] as const) {
    const answer = await app.inject({ method: 'POST', url, payload, headers })
    expect([url, answer.statusCode, answer.json().featureFlags]).toEqual([url, 200, { a: true }])
  }
  for (const [payload, status, code] of [
    ['{', 400, 'invalid_json'],
    ['[]', 400, 'invalid_shape'],
    ['{"distinct_id":"u"}', 401, 'missing_api_key'],
    [JSON.stringify({ api_key: apiKey }), 400, 'missing_distinct_id'],
  ] as const) {
    const answer = await app.inject({ method: 'POST', url: '/decide/?v=3', payload })
    expect([answer.statusCode, answer.json().code]).toEqual([status, code])
  }
})
