import { expect, test } from 'vitest'
import { parseJsonColumn, shareService } from '../support/shared-service.ts'
import { queryEvents, queryPerson, startAgent } from './node-agent.ts'

/** All methods of `waymark/node` that create events, and what the service stores. */

const service = shareService()

test('capture: stores the event with all its fields once', async () => {
  const { waymark, requestCount } = startAgent(service)
  const uuid = '01940000-0000-7000-8000-00000000c0de'
  waymark.capture({
    distinctId: 'captured',
    event: 'invoice paid',
    properties: { amount: 12, currency: 'EUR', items: ['a', 'b'] },
    groups: { company: 'acme' },
    timestamp: '2026-01-02T03:04:05+02:00',
    uuid,
  })
  waymark.capture({ distinctId: 'captured', event: 'visited' })
  await waymark.flush()
  const [paid, visited] = await queryEvents(service, 'captured')
  expect(paid).toMatchObject({
    event: 'invoice paid',
    uuid,
    timestamp: expect.stringContaining('2026-01-02') as string,
    properties: {
      amount: 12,
      currency: 'EUR',
      items: ['a', 'b'],
      $groups: { company: 'acme' },
      $lib: 'waymark-node',
      $is_server: true,
    },
  })
  expect(visited).toMatchObject({ event: 'visited' })
  expect(requestCount()).toBe(1)
})

test('capture without a distinct id: stores a random id and no person', async () => {
  const { waymark } = startAgent(service)
  waymark.capture({ event: 'anonymous' })
  await waymark.flush()
  const [[id, properties] = []] = await service.queryStored(
    "select distinct_id, properties from events where event = 'anonymous'",
  )
  expect(parseJsonColumn(properties)).toMatchObject({ $process_person_profile: false })
  expect(await queryPerson(service, String(id))).toBeUndefined()
})

test('captureImmediate: stores the event in its own request before it resolves', async () => {
  const { waymark, requestCount } = startAgent(service, { flushInterval: 60_000 })
  waymark.capture({ distinctId: 'at once', event: 'waits' })
  await waymark.captureImmediate({ distinctId: 'at once', event: 'now' })
  expect((await queryEvents(service, 'at once')).map(({ event }) => event)).toEqual(['now'])
  expect(requestCount()).toBe(1)
  await waymark.flush()
  expect((await queryEvents(service, 'at once')).map(({ event }) => event)).toEqual(['now', 'waits'])
})

test('identify: sets properties of the person, and `setOnce` properties only once', async () => {
  const { waymark } = startAgent(service)
  waymark.identify({ distinctId: 'ada', properties: { plan: 'free' }, setOnce: { source: 'ad' } })
  waymark.identify({ distinctId: 'ada', properties: { $set: { plan: 'pro' }, $set_once: { source: 'mail' } } })
  await waymark.flush()
  expect(await queryPerson(service, 'ada')).toMatchObject({
    properties: { plan: 'pro', source: 'ad' },
    isIdentified: true,
  })
  const events = await queryEvents(service, 'ada')
  expect(events.map(({ event }) => event)).toEqual(['$identify', '$identify'])
  expect(events[0]!.properties).not.toHaveProperty('$anon_distinct_id')
})

test('alias: merges two ids into one person', async () => {
  const { waymark } = startAgent(service)
  // A distinct id that was identified before would remain a separate person.
  waymark.capture({ distinctId: 'visitor', event: 'came', properties: { $set: { seen: 'first' } } })
  waymark.identify({ distinctId: 'member', properties: { name: 'Ada' } })
  await waymark.flush()
  const { id } = (await queryPerson(service, 'member'))!
  waymark.alias({ distinctId: 'visitor', alias: 'member' })
  await waymark.flush()
  expect(await queryPerson(service, 'visitor')).toMatchObject({ id, properties: { seen: 'first', name: 'Ada' } })
})

test('groupIdentify: stores the properties of a group and no person', async () => {
  const { waymark } = startAgent(service)
  waymark.groupIdentify({ groupType: 'company', groupKey: 'acme', properties: { seats: 5 } })
  waymark.groupIdentify({ groupType: 'company', groupKey: 7, properties: { seats: 1 } })
  await waymark.flush()
  const rows = await service.queryStored(
    "select group_key, properties from groups where group_type = 'company' order by 1",
  )
  expect(rows.map(([key, properties]) => [key, parseJsonColumn(properties)])).toEqual([
    ['7', { seats: 1 }],
    ['acme', { seats: 5 }],
  ])
  expect(await queryEvents(service, '$company_acme')).toMatchObject([{ event: '$groupidentify' }])
})

test('withContext: applies to all captures inside, also after an await', async () => {
  const { waymark } = startAgent(service)
  await waymark.withContext(
    { distinctId: 'in context', sessionId: 's-1', properties: { $ip: '192.0.2.7' } },
    async () => {
      await new Promise((resolve) => setImmediate(resolve))
      waymark.capture({ event: 'inside' })
      waymark.withContext({ properties: { step: 2 } }, () => waymark.capture({ event: 'layered' }))
      waymark.withContext({ distinctId: 'other' }, () => waymark.capture({ event: 'fresh' }), { fresh: true })
    },
  )
  await waymark.flush()
  expect(await queryEvents(service, 'in context')).toMatchObject([
    { event: 'inside', properties: { $session_id: 's-1' } },
    { event: 'layered', properties: { $session_id: 's-1', step: 2 } },
  ])
  const [fresh] = await queryEvents(service, 'other')
  expect(fresh!.properties).not.toHaveProperty('$session_id')
})

test('register: adds properties to later events until unregister removes them', async () => {
  const { waymark } = startAgent(service)
  waymark.register({ region: 'eu', version: 3 })
  waymark.capture({ distinctId: 'registered', event: '1' })
  waymark.unregister('region')
  waymark.capture({ distinctId: 'registered', event: '2', properties: { version: 4 } })
  await waymark.flush()
  const [first, second] = await queryEvents(service, 'registered')
  expect(first!.properties).toMatchObject({ region: 'eu', version: 3 })
  expect(second!.properties).toMatchObject({ version: 4 })
  expect(second!.properties).not.toHaveProperty('region')
})

test('optOut: drops new events until optIn, and keeps earlier ones', async () => {
  const { waymark, drops, requestCount } = startAgent(service)
  waymark.capture({ distinctId: 'objects', event: 'before' })
  waymark.optOut()
  waymark.capture({ distinctId: 'objects', event: 'between' })
  await waymark.captureImmediate({ distinctId: 'objects', event: 'between at once' })
  await waymark.flush()
  expect([waymark.isOptedOut(), requestCount()]).toEqual([true, 0])
  waymark.optIn()
  waymark.capture({ distinctId: 'objects', event: 'later' })
  await waymark.flush()
  expect((await queryEvents(service, 'objects')).map(({ event }) => event)).toEqual(['before', 'later'])
  expect(drops).toEqual([
    ['between', 'opted_out'],
    ['between at once', 'opted_out'],
  ])
})

test('shutdown: delivers queued events and drops later ones', async () => {
  const { waymark, drops } = startAgent(service, { flushInterval: 60_000 })
  for (let n = 0; n < 250; n++) waymark.capture({ distinctId: 'drained', event: 'e', properties: { n } })
  await waymark.shutdown()
  waymark.capture({ distinctId: 'drained', event: 'late' })
  await waymark.captureImmediate({ distinctId: 'drained', event: 'late at once' })
  await waymark.shutdown()
  expect(await queryEvents(service, 'drained')).toHaveLength(250)
  expect(drops).toEqual([
    ['late', 'shut_down'],
    ['late at once', 'shut_down'],
  ])
})

test('historicalMigration: the service stores the events of a migration', async () => {
  const { waymark } = startAgent(service, { historicalMigration: true })
  waymark.capture({ distinctId: 'history', event: 'long ago', timestamp: new Date('2020-05-06T07:08:09Z') })
  await waymark.flush()
  expect(await queryEvents(service, 'history')).toMatchObject([{ event: 'long ago' }])
})

test('init with an unknown API key: reports each event as rejected', async () => {
  const { waymark, drops } = startAgent({ ...service, url: service.url, apiKey: 'wm_unknown' })
  waymark.capture({ distinctId: 'x', event: 'rejected' })
  await waymark.captureImmediate({ distinctId: 'x', event: 'rejected at once' })
  await waymark.flush()
  expect(drops).toEqual([
    ['rejected at once', 'rejected_by_service'],
    ['rejected', 'rejected_by_service'],
  ])
})
