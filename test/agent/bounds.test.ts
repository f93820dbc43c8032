import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CaptureWaymark } from '../../src/agent/waymark.ts'
import type { Waymark } from '../../src/agent/node/waymark.ts'
import { MAX_EVENT_BYTES, MAX_GROUP_KEY_CHARACTERS, MAX_ID_CHARACTERS } from '../../src/wire/bounds.ts'
import { checkEvent } from '../../src/wire/check-event.ts'
import type { Json } from '../../src/wire/json.ts'
import { createAgentHarness } from '../support/agent-harness.ts'
import { createNodeAgentHarness } from '../support/node-agent-harness.ts'

const LENGTHS = [1, 199, 200, 201, 399, 400, 401, 511, 512, 513, 5_000]

/** Strings of any characters, and of lengths near the bounds. */
const anyString = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', ' ', '\0', ' \0', '\ud800', 'null', '$create_alias', '$groupidentify', '$set', '$identify'),
  fc
    .tuple(fc.constantFrom('a', ' ', '\0', '"', '\\', 'é', '\ud800', '😀'), fc.constantFrom(...LENGTHS))
    .map(([part, count]) => part.repeat(count)),
)

const nest = (levels: number): unknown => JSON.parse('[{"a":'.repeat(levels) + 1 + '}]'.repeat(levels))

/** Values of any kind: those that JSON cannot represent, long and deep ones, and objects with any `toJSON`. */
const anyValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.anything({ key: anyString, values: [anyString, fc.bigInt(), fc.double()], maxDepth: 3, withDate: true }),
  fc.constantFrom(90, 99, 100, 101, 300, 5_000).map(nest),
  fc.anything({ key: anyString, maxDepth: 2 }).map((value) => ({ toJSON: () => value })),
)

const NAMES = ['$device_id', '$anon_distinct_id', 'alias', '$group_type', '$group_key', '$groups', '$set', '$set_once']
const anyProperties: fc.Arbitrary<object> = fc.dictionary(
  fc.oneof(fc.constantFrom(...NAMES, '$group_set', '$unset', 'distinct_id', 'toJSON', 'price'), anyString),
  fc.oneof(anyValue, fc.dictionary(anyString, anyValue, { maxKeys: 3 })),
  { maxKeys: 6 },
)
/** Seldom, as it takes long. */
const largeProperties = fc
  .constantFrom('a', 'é', '\0')
  .map((part) => ({ text: part.repeat(MAX_EVENT_BYTES / 2 / new TextEncoder().encode(part).length) }))
const properties = fc.oneof({ weight: 40, arbitrary: anyProperties }, { weight: 1, arbitrary: largeProperties })

/** A call of a verb, with the types that the test does not keep to. */
type Call<Agent> = (agent: Agent) => unknown

const pageCall: fc.Arbitrary<Call<CaptureWaymark>> = fc.oneof(
  fc.tuple(anyString, properties, fc.option(anyString, { nil: undefined })).map(
    ([event, own, id]): Call<CaptureWaymark> =>
      (agent) =>
        agent.capture(event, own, id === undefined ? {} : { distinct_id: id }),
  ),
  fc.tuple(anyString, properties, anyProperties).map(
    ([id, set, setOnce]): Call<CaptureWaymark> =>
      (agent) =>
        agent.identify(id, set, setOnce),
  ),
  anyString.map(
    (id): Call<CaptureWaymark> =>
      (agent) =>
        agent.alias(id),
  ),
  fc.tuple(anyString, anyString, properties).map(
    ([type, key, own]): Call<CaptureWaymark> =>
      (agent) =>
        agent.group(type, key, own),
  ),
  fc.tuple(anyString, anyString, properties).map(
    ([type, key, own]): Call<CaptureWaymark> =>
      (agent) =>
        agent.groupIdentify(type, key, own),
  ),
  properties.map(
    (set): Call<CaptureWaymark> =>
      (agent) =>
        agent.setPersonProperties(set),
  ),
  anyProperties.map(
    (own): Call<CaptureWaymark> =>
      (agent) =>
        // A registered id would be that of all later events.
        agent.register({ ...own, $anon_distinct_id: undefined }),
  ),
  fc.tuple(anyString, properties).map(
    ([name, own]): Call<CaptureWaymark> =>
      (agent) =>
        agent.screen(name, own),
  ),
  anyString.map(
    (distinctId): Call<CaptureWaymark> =>
      (agent) =>
        agent.reset({ bootstrap: { distinctId } }),
  ),
)

const serverCall: fc.Arbitrary<Call<Waymark>> = fc.oneof(
  fc.tuple(anyString, anyString, properties, fc.dictionary(anyString, anyString, { maxKeys: 3 })).map(
    ([event, distinctId, own, groups]): Call<Waymark> =>
      (agent) =>
        agent.capture({ event, distinctId, properties: own, groups }),
  ),
  fc.tuple(anyString, properties, anyProperties).map(
    ([distinctId, set, setOnce]): Call<Waymark> =>
      (agent) =>
        agent.identify({ distinctId, properties: set, setOnce }),
  ),
  fc.tuple(anyString, anyString).map(
    ([distinctId, alias]): Call<Waymark> =>
      (agent) =>
        agent.alias({ distinctId, alias }),
  ),
  fc.tuple(anyString, anyString, properties).map(
    ([groupType, groupKey, own]): Call<Waymark> =>
      (agent) =>
        agent.groupIdentify({ groupType, groupKey, properties: own }),
  ),
  anyProperties.map(
    (own): Call<Waymark> =>
      (agent) =>
        agent.register(own),
  ),
  fc.tuple(anyString, anyString).map(
    ([distinctId, event]): Call<Waymark> =>
      (agent) =>
        agent.withContext({ distinctId }, () => agent.capture({ event })),
  ),
)

/** The service stores the event, and all of it. */
const expectStored = (event: unknown): void => {
  expect(checkEvent(event as Json)).toMatchObject({ kind: 'event', event: { cuts: null } })
  expect(Buffer.byteLength(JSON.stringify(event))).toBeLessThanOrEqual(MAX_EVENT_BYTES)
}

describe('the service stores what an agent sends, unchanged, whatever its verbs are called with', () => {
  it('in a page', async () => {
    const property = fc.asyncProperty(fc.array(pageCall, { maxLength: 8 }), async (calls) => {
      const harness = createAgentHarness()
      const page = harness.open()
      for (const call of calls) call(page.agent)
      page.agent.capture('last')
      const events = await harness.deliver(page)
      // None is lost, or the user would have an id with which nothing is stored.
      expect(events.at(-1)?.event).toBe('last')
      events.forEach(expectStored)
    })
    await fc.assert(property, { numRuns: 150 })
  })

  it('in Node', async () => {
    const property = fc.asyncProperty(fc.array(serverCall, { maxLength: 8 }), async (calls) => {
      const { agent, flushAndTakeEvents } = createNodeAgentHarness()
      for (const call of calls) call(agent)
      const events = await flushAndTakeEvents()
      events.forEach(expectStored)
    })
    await fc.assert(property, { numRuns: 150 })
  })
})

describe('each captured event is stored by the service, or reported with a reason', () => {
  const captures = fc.array(
    fc.tuple(fc.oneof({ weight: 3, arbitrary: fc.constant('seen') }, anyString), anyProperties),
    {
      maxLength: 8,
    },
  )

  it('in a page', async () => {
    const property = fc.asyncProperty(captures, async (calls) => {
      const harness = createAgentHarness()
      const drops: string[] = []
      const page = harness.open({ onDrop: (_, reason) => drops.push(reason) })
      for (const [event, own] of calls) page.agent.capture(event, own)
      const stored = await harness.deliver(page)
      stored.forEach(expectStored)
      expect(stored.length + drops.length).toBe(calls.length)
    })
    await fc.assert(property, { numRuns: 100 })
  })

  it('in Node', async () => {
    const property = fc.asyncProperty(captures, async (calls) => {
      const { agent, drops, flushAndTakeEvents } = createNodeAgentHarness()
      for (const [event, properties] of calls) agent.capture({ event, distinctId: 'ada', properties })
      const stored = await flushAndTakeEvents()
      stored.forEach(expectStored)
      expect(stored.length + drops.length).toBe(calls.length)
    })
    await fc.assert(property, { numRuns: 100 })
  })

  it.each<[string, object, string | undefined]>([
    ['198 levels of objects', { tree: nest(99) }, undefined],
    ['300 levels of objects', { tree: nest(150) }, undefined],
    ['a toJSON method that throws', { toJSON: () => JSON.parse('{') }, 'invalid_event'],
    ['a toJSON method that gives a string', { toJSON: () => 'text' }, 'invalid_event'],
  ])('with %s', async (_, properties, reason) => {
    const drops: string[] = []
    const harness = createAgentHarness()
    const page = harness.open({ onDrop: (_event, why) => drops.push(why) })
    page.agent.capture('seen', { kept: 1, ...properties })
    const server = createNodeAgentHarness()
    server.agent.capture({ event: 'seen', distinctId: 'ada', properties: { kept: 1, ...properties } })
    const stored = [...(await harness.deliver(page)), ...(await server.flushAndTakeEvents())]
    stored.forEach(expectStored)
    expect(stored.map((event) => event.properties['kept'])).toEqual(reason ? [] : [1, 1])
    expect([drops, server.drops.map(([, why]) => why)]).toEqual(reason ? [[reason], [reason]] : [[], []])
  })
})

describe('an id that is too long', () => {
  const longId = 'i'.repeat(MAX_ID_CHARACTERS + 1)
  const longKey = 'k'.repeat(MAX_GROUP_KEY_CHARACTERS + 1)

  it.each<[string, Call<CaptureWaymark>]>([
    ['identify', (agent) => agent.identify(longId)],
    ['alias', (agent) => agent.alias(longId)],
    ['group', (agent) => agent.group('company', longKey)],
    ['group', (agent) => agent.group(longKey, 'acme')],
    ['groupIdentify', (agent) => agent.groupIdentify('company', longKey)],
  ])('is refused by %s() of a page', async (verb, call) => {
    const harness = createAgentHarness()
    const page = harness.open()
    const id = page.agent.getDistinctId()
    call(page.agent)
    expect(page.warnings).toEqual([[`${verb}() refused: id_too_long`]])
    expect(page.agent.getDistinctId()).toBe(id)
    expect(await harness.deliver(page)).toEqual([])
  })

  it('is not taken from the bootstrap of a page', () => {
    const { agent } = createAgentHarness().open({ bootstrap: { distinctId: longId } })
    expect(agent.getDistinctId()).not.toBe(longId)
    agent.reset({ bootstrap: { distinctId: longId, isIdentifiedId: true } })
    expect(agent.getDistinctId()).not.toBe(longId)
  })

  it.each<[string, string, Call<Waymark>]>([
    ['identify', 'distinctId', (agent) => agent.identify({ distinctId: longId })],
    ['setPersonProperties', 'distinctId', (agent) => agent.setPersonProperties({ distinctId: longId })],
    ['alias', 'distinctId', (agent) => agent.alias({ distinctId: longId, alias: 'ada' })],
    ['alias', 'alias', (agent) => agent.alias({ distinctId: 'ada', alias: longId })],
    ['groupIdentify', 'groupType', (agent) => agent.groupIdentify({ groupType: longKey, groupKey: 'acme' })],
    ['groupIdentify', 'groupKey', (agent) => agent.groupIdentify({ groupType: 'company', groupKey: longKey })],
  ])('is refused by %s() of Node as its %s', async (verb, field, call) => {
    const { agent, warnings, flushAndTakeEvents } = createNodeAgentHarness()
    call(agent)
    expect(warnings).toEqual([[`${verb}() refused: "${field}" has 401 characters, but may have 400`]])
    expect(await flushAndTakeEvents()).toEqual([])
  })

  it('drops a captured event of Node, and tells onDrop', async () => {
    const { agent, drops, flushAndTakeEvents } = createNodeAgentHarness()
    agent.capture({ distinctId: longId, event: 'paid' })
    expect([drops, await flushAndTakeEvents()]).toEqual([[['paid', 'id_too_long']], []])
  })
})

it('a group of Node with a long type and key gets an event with a random id', async () => {
  const { agent, flushAndTakeEvents } = createNodeAgentHarness()
  const groupType = 't'.repeat(MAX_GROUP_KEY_CHARACTERS)
  agent.groupIdentify({ groupType, groupKey: 'acme', properties: { size: 7 } })
  const [event] = await flushAndTakeEvents()
  expect(event).toMatchObject({
    distinct_id: expect.stringMatching(/^id-/),
    properties: { $group_type: groupType, $group_key: 'acme', $process_person_profile: false },
  })
})
