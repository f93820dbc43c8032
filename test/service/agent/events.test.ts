import { expect, test } from 'vitest'
import { json, shareService } from '../support/shared-service.ts'
import { eventsOf, personOf, startAgent } from './node-agent.ts'

/** Every verb of `waymark/node` that makes events, and what the service has of them. */

const service = shareService()

test('capture: the event with all that it was given, once', async () => {
  const { waymark, requests } = startAgent(service)
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
  const [paid, visited] = await eventsOf(service, 'captured')
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
  expect(requests()).toBe(1)
})

test('capture without anybody: stored under a random id, without a person', async () => {
  const { waymark } = startAgent(service)
  waymark.capture({ event: 'nobody' })
  await waymark.flush()
  const [[id, properties] = []] = await service.stored(
    "select distinct_id, properties from events where event = 'nobody'",
  )
  expect(json(properties)).toMatchObject({ $process_person_profile: false })
  expect(await personOf(service, String(id))).toBeUndefined()
})

test('captureImmediate: stored when its promise resolves, by a request of its own', async () => {
  const { waymark, requests } = startAgent(service, { flushInterval: 60_000 })
  waymark.capture({ distinctId: 'at once', event: 'waits' })
  await waymark.captureImmediate({ distinctId: 'at once', event: 'now' })
  expect((await eventsOf(service, 'at once')).map(({ event }) => event)).toEqual(['now'])
  expect(requests()).toBe(1)
  await waymark.flush()
  expect((await eventsOf(service, 'at once')).map(({ event }) => event)).toEqual(['now', 'waits'])
})

test('identify: a person with these properties, the first value of some kept', async () => {
  const { waymark } = startAgent(service)
  waymark.identify({ distinctId: 'ada', properties: { plan: 'free' }, setOnce: { source: 'ad' } })
  waymark.identify({ distinctId: 'ada', properties: { $set: { plan: 'pro' }, $set_once: { source: 'mail' } } })
  await waymark.flush()
  expect(await personOf(service, 'ada')).toMatchObject({
    properties: { plan: 'pro', source: 'ad' },
    isIdentified: true,
  })
  const events = await eventsOf(service, 'ada')
  expect(events.map(({ event }) => event)).toEqual(['$identify', '$identify'])
  expect(events[0]!.properties).not.toHaveProperty('$anon_distinct_id')
})

test('alias: two ids become one person, the alias its main id', async () => {
  const { waymark } = startAgent(service)
  // One who was identified before would stay a person apart.
  waymark.capture({ distinctId: 'visitor', event: 'came', properties: { $set: { seen: 'first' } } })
  waymark.identify({ distinctId: 'member', properties: { name: 'Ada' } })
  await waymark.flush()
  const { id } = (await personOf(service, 'member'))!
  waymark.alias({ distinctId: 'visitor', alias: 'member' })
  await waymark.flush()
  expect(await personOf(service, 'visitor')).toMatchObject({ id, properties: { seen: 'first', name: 'Ada' } })
})

test('groupIdentify: a group with these properties, and no person', async () => {
  const { waymark } = startAgent(service)
  waymark.groupIdentify({ groupType: 'company', groupKey: 'acme', properties: { seats: 5 } })
  waymark.groupIdentify({ groupType: 'company', groupKey: 7, properties: { seats: 1 } })
  await waymark.flush()
  const rows = await service.stored("select group_key, properties from groups where group_type = 'company' order by 1")
  expect(rows.map(([key, properties]) => [key, json(properties)])).toEqual([
    ['7', { seats: 1 }],
    ['acme', { seats: 5 }],
  ])
  expect(await eventsOf(service, '$company_acme')).toMatchObject([{ event: '$groupidentify' }])
})

test('withContext: what is captured within belongs to that user, whatever is awaited', async () => {
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
  expect(await eventsOf(service, 'in context')).toMatchObject([
    { event: 'inside', properties: { $session_id: 's-1' } },
    { event: 'layered', properties: { $session_id: 's-1', step: 2 } },
  ])
  const [fresh] = await eventsOf(service, 'other')
  expect(fresh!.properties).not.toHaveProperty('$session_id')
})

test('register, unregister: on all later events, until taken away', async () => {
  const { waymark } = startAgent(service)
  waymark.register({ region: 'eu', version: 3 })
  waymark.capture({ distinctId: 'registered', event: '1' })
  waymark.unregister('region')
  waymark.capture({ distinctId: 'registered', event: '2', properties: { version: 4 } })
  await waymark.flush()
  const [first, second] = await eventsOf(service, 'registered')
  expect(first!.properties).toMatchObject({ region: 'eu', version: 3 })
  expect(second!.properties).toMatchObject({ version: 4 })
  expect(second!.properties).not.toHaveProperty('region')
})

test('optOut, optIn: nothing between them is captured; what waited before goes on afterwards', async () => {
  const { waymark, drops, requests } = startAgent(service)
  waymark.capture({ distinctId: 'objects', event: 'before' })
  waymark.optOut()
  waymark.capture({ distinctId: 'objects', event: 'between' })
  await waymark.captureImmediate({ distinctId: 'objects', event: 'between at once' })
  await waymark.flush()
  expect([waymark.isOptedOut(), requests()]).toEqual([true, 0])
  waymark.optIn()
  waymark.capture({ distinctId: 'objects', event: 'later' })
  await waymark.flush()
  expect((await eventsOf(service, 'objects')).map(({ event }) => event)).toEqual(['before', 'later'])
  expect(drops).toEqual([
    ['between', 'opted_out'],
    ['between at once', 'opted_out'],
  ])
})

test('shutdown: delivers what waits, and refuses what comes later', async () => {
  const { waymark, drops } = startAgent(service, { flushInterval: 60_000 })
  for (let n = 0; n < 250; n++) waymark.capture({ distinctId: 'drained', event: 'e', properties: { n } })
  await waymark.shutdown()
  waymark.capture({ distinctId: 'drained', event: 'late' })
  await waymark.captureImmediate({ distinctId: 'drained', event: 'late at once' })
  await waymark.shutdown()
  expect(await eventsOf(service, 'drained')).toHaveLength(250)
  expect(drops).toEqual([
    ['late', 'shut_down'],
    ['late at once', 'shut_down'],
  ])
})

test('historicalMigration: the batch says so, and its events are stored', async () => {
  const { waymark } = startAgent(service, { historicalMigration: true })
  waymark.capture({ distinctId: 'history', event: 'long ago', timestamp: new Date('2020-05-06T07:08:09Z') })
  await waymark.flush()
  expect(await eventsOf(service, 'history')).toMatchObject([{ event: 'long ago' }])
})

test('a key that the service does not know: each event is reported as refused', async () => {
  const { waymark, drops } = startAgent({ ...service, url: service.url, apiKey: 'wm_unknown' })
  waymark.capture({ distinctId: 'x', event: 'refused' })
  await waymark.captureImmediate({ distinctId: 'x', event: 'refused at once' })
  await waymark.flush()
  expect(drops).toEqual([
    ['refused at once', 'rejected_by_service'],
    ['refused', 'rejected_by_service'],
  ])
})
