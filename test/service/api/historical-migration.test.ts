import { expect, test } from 'vitest'
import { createSpikeDetector } from '../../../src/service/ingest/spike-detector.ts'
import { openApp } from '../support/app.ts'
import { parseJsonColumn, shareService } from '../support/shared-service.ts'

/** Historical migrations. A comment "API:" quotes the description of the API that the service implements. */

const service = shareService()
const MINUTE_MS = 60_000
const HISTORICAL = { historical_migration: true }
const isoTimeAt = (second: number) => new Date(Date.UTC(2020, 0, 1, 0, 0, second)).toISOString()

const personOf = async (distinctId: string) => {
  const [row] = await service.queryStored(
    `select p.properties from persons p join person_distinct_ids d on d.person_id = p.id where d.distinct_id = '${distinctId}'`,
  )
  return parseJsonColumn(row![0])
}

// API: "Batches can be used for migrations (see Limits and Versioning)."
// API: "The batch request field `historical_migration` is optional. For real-time events it is omitted or false. For a historical
// migration it must be true."
test('stores in a column whether an event was sent as a historical migration', async () => {
  const event = (name: string) => ({ event: name, distinct_id: 'flagged', timestamp: isoTimeAt(0) })
  await service.batch([event('now')])
  await service.batch([event('now too')], { historical_migration: false })
  await service.batch([event('then')], HISTORICAL)
  await service.capture({ ...event('then, alone'), ...HISTORICAL })
  const rows = await service.queryStored(
    "select event, historical from events where distinct_id = 'flagged' order by 1",
  )
  expect(rows).toEqual([
    ['now', false],
    ['now too', false],
    ['then', true],
    ['then, alone', true],
  ])
})

// API: "It keeps events processed in order"
test('applies migrated events in the order they were sent, not by timestamp', async () => {
  const identify = (second: number, step: number) => ({
    event: '$identify',
    timestamp: isoTimeAt(second),
    properties: { distinct_id: 'ordered', $set: { step }, $set_once: { first: step } },
  })
  // Descending times; of real-time events, the newest would win.
  await service.batch([identify(50, 1), identify(40, 2), identify(30, 3)], HISTORICAL)
  await service.batch([identify(20, 4), identify(10, 5)], HISTORICAL)
  expect(await personOf('ordered')).toMatchObject({ step: 5, first: 1 })
})

// API: "without triggering spike detection"
test('reports a spike of real-time events but not of migrated events', async () => {
  let now = 1_800_000_000_000
  const testApp = await openApp({ now: () => now })
  const send = async (count: number, bodyFields: object): Promise<void> => {
    const batch = Array.from({ length: count }, () => ({ event: 'e', distinct_id: 'u', timestamp: isoTimeAt(0) }))
    const payload = { api_key: testApp.project.apiKey, batch, ...bodyFields }
    expect((await testApp.app.inject({ method: 'POST', url: '/batch/', payload })).statusCode).toBe(200)
  }
  for (let minute = 0; minute < 20; minute++) {
    await send(1, {})
    now += MINUTE_MS
  }
  await send(5000, HISTORICAL)
  expect(testApp.warnings).toEqual([])
  await send(5000, {})
  expect(testApp.warnings).toEqual([
    'Project 1 received 5000 events in the current minute; the mean of the last hour was 1 per minute.',
  ])
  // The migration did not count in the mean either.
  expect(createSpikeDetector()(1, 5000, now)).toBeNull()
})

// API: "and the import is not billed at the standard ingestion rate"
test('stores migrated events above the quota and does not count them', async () => {
  await service.runCommand('project', 'quota', '3')
  const countBefore = await service.queryStored('select count(*) from events where not historical')
  const event = (name: string) => ({ event: name, distinct_id: 'billed', timestamp: isoTimeAt(1) })
  // More migrated events than the quota; they do not count.
  await service.batch(
    Array.from({ length: 50 }, () => event('then')),
    HISTORICAL,
  )
  const quotaResponse = { status: 200, body: { status: 1, quota_limited: ['events'] } }
  // Events are accepted until the first count.
  let acceptedCount = 0
  await expect
    .poll(
      async () => {
        const response = await service.capture(event('now'))
        if (response.body.quota_limited === undefined) acceptedCount++
        return response
      },
      { timeout: 40_000, interval: 200 },
    )
    .toMatchObject(quotaResponse)
  expect(await service.batch([event('now')])).toMatchObject(quotaResponse)
  expect(await service.batch([event('then')], HISTORICAL)).toMatchObject({ status: 200, body: { status: 1 } })
  const rows = await service.queryStored(
    "select event, count(*) from events where distinct_id = 'billed' group by 1 order by 1",
  )
  expect(rows).toEqual([
    ['now', acceptedCount],
    ['then', 51],
  ])
  expect(Number(countBefore[0]![0]) + acceptedCount).toBeGreaterThanOrEqual(3)
  expect(service.output().match(/Project 1 has used up its quota of 3 events a month/g)).toHaveLength(1)

  expect(await service.runCommand('project', 'list')).toContain('(quota: 3 events a month)')
  await service.runCommand('project', 'quota', 'none')
  await expect
    .poll(async () => (await service.capture(event('again'))).body, { timeout: 40_000 })
    .toEqual({ status: 1 })
})

// API: "Every migrated event needs a timestamp in ISO 8601 format, a correct event name (for example $pageview for page views)
// and a distinct_id."
test('rejects a migration with an event that has no ISO 8601 timestamp', async () => {
  const good = { event: '$pageview', timestamp: isoTimeAt(0), properties: { distinct_id: 'rule 1' } }
  const withoutTime = { event: '$pageview', properties: { distinct_id: 'rule 1' } }
  for (const timestamp of [undefined, null, '', 'yesterday', 1_600_000_000_000, '2023-02-30T00:00:00Z']) {
    expect(await service.batch([good, { ...withoutTime, timestamp }, good], HISTORICAL)).toMatchObject({
      status: 400,
      body: { type: 'validation_error', code: 'invalid_timestamp', attr: 'batch[1].timestamp' },
    })
  }
  const goodEvents = Array.from({ length: 9999 }, () => good)
  expect(await service.batch([...goodEvents, withoutTime, ...goodEvents], HISTORICAL)).toMatchObject({
    status: 400,
    body: { attr: 'batch[9999].timestamp' },
  })
  const singleEvent = { ...HISTORICAL, event: '$pageview', distinct_id: 'rule 1' }
  expect(await service.capture(singleEvent)).toMatchObject({ status: 400, body: { attr: 'timestamp' } })
  // Events without name or id are still dropped silently, with or without a time.
  const invalidEvents = [
    { timestamp: isoTimeAt(0), properties: { distinct_id: 'rule 1' } },
    { event: 'e' },
    { event: '' },
  ]
  expect((await service.batch([...invalidEvents, good], HISTORICAL)).status).toBe(200)
  const rows = await service.queryStored("select event, timestamp from events where distinct_id = 'rule 1'")
  expect(rows).toEqual([['$pageview', isoTimeAt(0)]])
})

test('stores migrated times to the millisecond, without correction by sent_at', async () => {
  const times = ['1999-12-31T23:59:59.999Z', '2020-06-01T12:00:00.123+05:30', '2020-06-01T12:00:00-0800', '2020-06-01']
  const batch = times.map((timestamp) => ({ event: 'past', distinct_id: 'kept', timestamp }))
  await service.batch(batch, { ...HISTORICAL, sent_at: '2001-01-01T00:00:00Z' })
  const rows = await service.queryStored("select timestamp from events where event = 'past' order by 1")
  expect(rows.flat()).toEqual([
    '1999-12-31T23:59:59.999Z',
    '2020-06-01T00:00:00.000Z',
    '2020-06-01T06:30:00.123Z',
    '2020-06-01T20:00:00.000Z',
  ])
})

// API: "Event data cannot be selectively deleted after import."
test('offers no request that deletes stored events', async () => {
  await service.batch([{ event: 'imported', distinct_id: 'stays', timestamp: isoTimeAt(0) }], HISTORICAL)
  expect(await service.queryStored("select count(*) from events where event = 'imported'")).toEqual([[1]])
  const headers = { authorization: `Bearer ${service.personalApiKey}` }
  for (const query of ["delete from events where event = 'imported'", 'drop table events', 'truncate events']) {
    expect((await service.post('/api/environments/1/query/', { query }, headers)).status).toBe(400)
  }
  for (const path of ['/api/environments/1/events/', '/i/v0/e/', '/batch/']) {
    const response = await fetch(`${service.url}${path}`, { method: 'DELETE', headers })
    await response.body?.cancel()
    expect([404, 405]).toContain(response.status)
  }
  expect(await service.queryStored("select count(*) from events where event = 'imported'")).toEqual([[1]])
})

// API: "To batch user updates, send $identify events in the same request form. The same applies to group updates."
test('updates persons and groups by migrated events', async () => {
  const batch = [
    { event: '$identify', timestamp: isoTimeAt(0), properties: { distinct_id: 'u3', $set: { plan: 'pro' } } },
    {
      event: '$groupidentify',
      timestamp: isoTimeAt(1),
      properties: { distinct_id: 'u3', $group_type: 'company', $group_key: 'acme', $group_set: { seats: 5 } },
    },
    {
      event: '$group_identify',
      timestamp: isoTimeAt(2),
      properties: { distinct_id: 'u3', $group_type: 'company', $group_key: 'acme', $group_set: { name: 'Acme' } },
    },
  ]
  expect((await service.batch(batch, HISTORICAL)).status).toBe(200)
  expect(await personOf('u3')).toMatchObject({ plan: 'pro' })
  const groups = await service.queryStored(
    "select properties from groups where group_type = 'company' and group_key = 'acme'",
  )
  expect(groups.map(([properties]) => parseJsonColumn(properties))).toEqual([{ seats: 5, name: 'Acme' }])
})

// API: "Migration requires a cloud project and a paid analytics plan."
test('accepts a migration with nothing more than a project API key', async () => {
  const batch = [{ event: 'keyed', distinct_id: 'u', timestamp: isoTimeAt(0) }]
  expect((await service.post('/batch/', { api_key: 'wm_unknown', batch, ...HISTORICAL })).status).toBe(401)
  expect((await service.batch(batch, HISTORICAL)).status).toBe(200)
  expect(await service.queryStored("select count(*) from events where event = 'keyed'")).toEqual([[1]])
})

test('stores each event with a uuid once when the request is repeated', async () => {
  const batch = [1, 2, 3].map((n) => ({
    uuid: `00000000-0000-4000-8000-00000000000${n}`,
    event: 'repeated',
    distinct_id: 'u',
    timestamp: isoTimeAt(n),
  }))
  for (let times = 0; times < 3; times++) expect((await service.batch(batch, HISTORICAL)).status).toBe(200)
  expect(await service.queryStored("select count(*) from events where event = 'repeated'")).toEqual([[3]])
})
