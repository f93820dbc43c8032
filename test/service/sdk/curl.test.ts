import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { openSdkService } from './sdk-service.ts'

const SCRIPT = fileURLToPath(new URL('curl.sh', import.meta.url))

/** Runs one function of the script and returns the response to each request by its name. */
const runScript = async (
  functionName: 'events' | 'flags',
  { url, apiKey, personalApiKey }: Awaited<ReturnType<typeof openSdkService>>,
): Promise<Record<string, { readonly status: number; readonly body: unknown }>> => {
  const env = { ...process.env, HOST: url, API_KEY: apiKey, PERSONAL_API_KEY: personalApiKey }
  const { stdout, stderr } = await promisify(execFile)('bash', [SCRIPT, functionName], { env })
  expect(stderr).toBe('')
  const lines = stdout.trimEnd().split('\n')
  return Object.fromEntries(
    lines.map((line) => {
      const [, name = '', status, json] = /^(\S+) (\d+) ?(.*)$/.exec(line) ?? []
      return [name, { status: Number(status), body: json === '' ? undefined : JSON.parse(String(json)) }]
    }),
  )
}

test('stores events sent by curl: plain, as forms, gzipped, single and batched', async () => {
  const service = await openSdkService()
  const { query } = service
  const responses = await runScript('events', service)
  expect(Object.keys(responses)).toHaveLength(12)
  for (const [name, response] of Object.entries(responses))
    expect([name, response]).toEqual([name, { status: 200, body: { status: 1 } }])

  expect(await query('SELECT event, distinct_id FROM events ORDER BY event')).toEqual([
    ['$create_alias', 'visitor'],
    ['$groupidentify', 'ada'],
    ['$identify', 'ada'],
    ['$pageview', 'visitor'],
    ['$screen', 'visitor'],
    ['base64', 'ada'],
    ['bought', 'ada'],
    ['form & more', 'ada'],
    ['old', 'ada'],
    ['plain', 'ada'],
    ['seen', 'anonymous'],
    ['survey sent', 'ada'],
    ['zipped', 'ada'],
  ])
  expect(
    await query("SELECT event, epoch_ms(timestamp) FROM events WHERE event IN ('bought', 'old') ORDER BY event"),
  ).toEqual([
    ['bought', Date.parse('2026-05-01T08:00:00.123Z')],
    ['old', Date.parse('2015-05-01T10:00:00Z')],
  ])
  const persons = await query('SELECT properties, is_identified FROM persons')
  expect(persons.map(([properties, isIdentified]) => [JSON.parse(String(properties)), isIdentified])).toEqual([
    [expect.objectContaining({ plan: 'pro', source: 'ad' }), true],
  ])
  expect(await query('SELECT distinct_id FROM person_distinct_ids ORDER BY distinct_id')).toEqual([
    ['ada'],
    ['visitor'],
  ])
  expect(await query('SELECT group_type, group_key, properties FROM groups')).toEqual([
    ['company', 'acme', '{"seats":5}'],
  ])
})

test('serves flags, payloads, surveys, features and definitions to curl', async () => {
  const service = await openSdkService()
  const { addFlag, manage, query } = service
  await runScript('events', service)
  await query('SELECT 1')
  const proConditions = [{ key: 'plan', type: 'person' as const, value: 'pro', operator: 'exact' as const }]
  await addFlag({ key: 'paid', filters: { groups: [{ properties: proConditions }], payloads: { true: { max: 3 } } } })
  const seatsConditions = [
    { key: 'seats', type: 'group' as const, group_type_index: 0, value: 3, operator: 'gt' as const },
  ]
  await addFlag({
    key: 'team',
    filters: { aggregation_group_type_index: 0, groups: [{ properties: seatsConditions }] },
  })
  const questions = [{ type: 'open', question: 'How was it?' }]
  await manage('surveys/', { name: 'Checkout', type: 'api', questions, start_date: '2026-05-01' })
  await manage('early_access_feature/', { name: 'Dark mode', stage: 'beta' })

  const responses = await runScript('flags', service)
  const flagValues = { 'dark-mode': false, paid: true, team: true }
  expect(responses['decide']).toMatchObject({
    status: 200,
    body: { featureFlags: flagValues, featureFlagPayloads: { paid: '{"max":3}' }, errorsWhileComputingFlags: false },
  })
  expect(responses['override']).toMatchObject({ status: 200, body: { featureFlags: { paid: false } } })
  // The visitor is an alias of the same person.
  expect(responses['flags']).toMatchObject({
    status: 200,
    body: { flags: { paid: { key: 'paid', enabled: true, metadata: { payload: '{"max":3}' } } } },
  })
  expect(responses['surveys']).toMatchObject({ status: 200, body: { surveys: [{ name: 'Checkout', type: 'api' }] } })
  expect(responses['features']).toMatchObject({
    status: 200,
    body: { earlyAccessFeatures: [{ name: 'Dark mode', flagKey: 'dark-mode' }] },
  })
  expect(responses['definitions']).toMatchObject({
    status: 200,
    body: { flags: [{ key: 'paid' }, { key: 'team' }, { key: 'dark-mode' }], group_type_mapping: { 0: 'company' } },
  })
  expect(responses['unchanged']).toEqual({ status: 304, body: undefined })
  expect(responses['query']).toMatchObject({ status: 200, body: { results: [[2]] } })
})
