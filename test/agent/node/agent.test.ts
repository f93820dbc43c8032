import { describe, expect, it } from 'vitest'
import { MAX_BODY_BYTES } from '../../../src/wire/limits.ts'
import { eventsIn, openServerWorld } from '../../support/node-world.ts'

describe('captured events', () => {
  it('arrive in one request, in order, each with its uuid and the moment of its capture', async () => {
    const { agent, arrived, clock, requests } = openServerWorld()
    agent.capture({ distinctId: 'a', event: 'first' })
    await clock.advance(500)
    agent.capture({ distinctId: 'b', event: 'second' })
    const events = await arrived()
    expect(requests).toHaveLength(1)
    expect(events).toMatchObject([
      { event: 'first', distinct_id: 'a', uuid: 'id-1', timestamp: '2026-01-01T00:00:00.000Z' },
      { event: 'second', distinct_id: 'b', uuid: 'id-2', timestamp: '2026-01-01T00:00:00.500Z' },
    ])
  })

  it('keep their uuid and timestamp when they are sent again', async () => {
    const world = openServerWorld()
    world.answer = () => ({ status: world.requests.length < 3 ? 503 : 200 })
    world.agent.capture({ distinctId: 'a', event: 'e' })
    await world.clock.advance(60_000)
    const sent = world.requests.map((request) => eventsIn(request)[0])
    expect(sent).toHaveLength(3)
    expect(new Set(sent.map((event) => JSON.stringify(event))).size).toBe(1)
  })

  it('carry the flags of a snapshot, without a request', async () => {
    const { agent, arrived, requests } = openServerWorld()
    agent.overrideFeatureFlags({ beta: 'blue', off: false })
    const flags = await agent.evaluateFlags(undefined, { flagKeys: ['beta', 'off'] })
    agent.capture({ distinctId: 'a', event: 'e', flags })
    const [event] = await arrived()
    expect(event!.properties).toMatchObject({
      '$feature/beta': 'blue',
      '$feature/off': false,
      $active_feature_flags: ['beta'],
    })
    expect(requests).toHaveLength(1)
  })

  it('"No flag request as a side effect of a plain capture", nor at the start', async () => {
    const { agent, arrived, clock, requests } = openServerWorld()
    await clock.advance(60_000)
    agent.capture({ distinctId: 'a', event: 'e' })
    await arrived()
    expect(requests.map(({ url }) => url)).toEqual(['https://waymark.test/batch/'])
  })

  it('go through before_send as it stands at that moment: "The hook can be swapped at run time"', async () => {
    const { agent, arrived, options, drops } = openServerWorld({ before_send: () => null })
    agent.capture({ distinctId: 'a', event: 'dropped' })
    options.before_send = (event) => ({ ...event, event: 'renamed' })
    agent.capture({ distinctId: 'a', event: 'e' })
    await agent.captureImmediate({ distinctId: 'a', event: 'now' })
    delete options.before_send
    agent.capture({ distinctId: 'a', event: 'plain' })
    expect((await arrived()).map(({ event }) => event).sort()).toEqual(['plain', 'renamed', 'renamed'])
    expect(drops).toEqual([['dropped', 'before_send']])
  })
})

describe('a drop', () => {
  it('is an event that is larger than any request may be: it makes none', async () => {
    const { agent, arrived, drops } = openServerWorld()
    agent.capture({ distinctId: 'a', event: 'big', properties: { text: 'x'.repeat(MAX_BODY_BYTES) } })
    agent.capture({ distinctId: 'a', event: 'small' })
    expect((await arrived()).map(({ event }) => event)).toEqual(['small'])
    expect(drops).toEqual([['big', 'too_large']])
  })

  it('is a warning the first time of its reason, also when nobody listens', () => {
    const { agent, warnings, drops } = openServerWorld({ defaultOptIn: false })
    agent.capture({ distinctId: 'a', event: 'one' })
    agent.capture({ distinctId: 'a', event: 'two' })
    expect(drops).toEqual([
      ['one', 'opted_out'],
      ['two', 'opted_out'],
    ])
    expect(warnings).toEqual([['event dropped (opted_out):', 'one']])
  })

  it('"No call throws": an async onDrop that rejects is a warning, too', async () => {
    const { agent, warnings } = openServerWorld({ onDrop: (): unknown => Promise.reject(new Error('later')) })
    agent.capture({ distinctId: 'a', event: '' })
    await Promise.resolve()
    expect(warnings.map(([text]) => text)).toEqual(['event dropped (invalid_event):', 'onDrop failed:'])
  })

  it("is nobody's exception: one of onDrop is a warning, and a capture inside of it does not come back", () => {
    const { agent, warnings } = openServerWorld({
      defaultOptIn: false,
      onDrop() {
        agent.capture({ distinctId: 'a', event: 'again' })
        throw new Error('listener')
      },
    })
    agent.capture({ distinctId: 'a', event: 'one' })
    expect(warnings.map(([text]) => text)).toEqual(['event dropped (opted_out):', 'onDrop failed:'])
  })
})

describe('opting out', () => {
  it('stops events, `$feature_flag_called` and flushes; opting in goes on', async () => {
    const { agent, arrived, requests } = openServerWorld()
    agent.capture({ distinctId: 'a', event: 'before' })
    agent.optOut()
    expect(await agent.getFeatureFlag('beta', 'a')).toBeUndefined()
    expect(await arrived()).toEqual([])
    expect([agent.isOptedOut(), requests]).toEqual([true, []])
    agent.optIn()
    agent.capture({ distinctId: 'a', event: 'after' })
    expect((await arrived()).map(({ event }) => event)).toEqual(['before', 'after'])
  })
})

describe('shutdown', () => {
  it('delivers, resolves, and refuses what comes later; "repeated calls are harmless"', async () => {
    const { agent, requests, drops, clock } = openServerWorld()
    agent.capture({ distinctId: 'a', event: 'e' })
    const ends = [agent.shutdown(), agent.shutdown(5)]
    agent.capture({ distinctId: 'a', event: 'late' })
    agent.identify({ distinctId: 'a' })
    await clock.advance(0)
    await Promise.all(ends)
    await agent.shutdown()
    expect(requests.flatMap(eventsIn).map(({ event }) => event)).toEqual(['e'])
    expect(drops).toEqual([
      ['late', 'shut_down'],
      ['$identify', 'shut_down'],
    ])
  })

  it('"resolves with a critical log, never rejects" when its time is over; what is left is reported', async () => {
    const world = openServerWorld()
    world.answer = () => new Promise(() => undefined)
    world.agent.capture({ distinctId: 'a', event: 'e' })
    const ended = world.agent.shutdown(1_000)
    await world.clock.advance(1_000)
    await ended
    expect(world.drops).toEqual([['e', 'storage_unavailable']])
    expect(world.warnings.length).toBeGreaterThan(0)
  })

  it('"no interval stays armed", neither of delivery nor of definitions', async () => {
    const { agent, clock } = openServerWorld({ personalApiKey: 'phx' })
    agent.capture({ distinctId: 'a', event: 'e' })
    await clock.advance(0)
    const ended = agent.shutdown()
    await clock.advance(0)
    await ended
    expect(clock.pending()).toBe(0)
  })

  it('waits for a cache provider that does not end no longer than it was told to', async () => {
    const { agent, clock } = openServerWorld({
      requestTimeout: 60_000,
      flagDefinitionCacheProvider: {
        shouldFetchFlagDefinitions: () => false,
        getFlagDefinitions: () => null,
        onFlagDefinitionsReceived: () => undefined,
        shutdown: () => new Promise(() => undefined),
      },
    })
    const ended = agent.shutdown(2_000)
    await clock.advance(2_000)
    await expect(ended).resolves.toBeUndefined()
  })
})

describe("a request's context", () => {
  it('is laid over an outer one, or stands in its place', () => {
    const { agent } = openServerWorld()
    const outer = { distinctId: 'ada', sessionId: 's', properties: { a: 1, b: 1 } }
    agent.withContext(outer, () => {
      expect(agent.getContext()).toEqual(outer)
      agent.withContext({ properties: { b: 2 } }, () =>
        expect(agent.getContext()).toEqual({ distinctId: 'ada', sessionId: 's', properties: { a: 1, b: 2 } }),
      )
      agent.withContext({ properties: { b: 2 } }, () => expect(agent.getContext()).toEqual({ properties: { b: 2 } }), {
        fresh: true,
      })
    })
    expect(agent.getContext()).toBeUndefined()
  })
})

it('debug(on) switches the talk on the console, and emits nothing', async () => {
  const { agent, arrived, debugs } = openServerWorld()
  agent.debug()
  agent.debug(false)
  expect([debugs, await arrived()]).toEqual([[true, false], []])
})

it('sends the personal key to the feed of definitions alone', async () => {
  const { agent, arrived, clock, requests } = openServerWorld({ personalApiKey: 'phx_secret' })
  await clock.advance(0)
  agent.capture({ distinctId: 'a', event: 'e' })
  const read = agent.getFeatureFlag('beta', 'a')
  await clock.advance(3_000)
  await read
  await arrived()
  const told = requests.filter((request) =>
    JSON.stringify([request.headers, request.body, request.url]).includes('phx_secret'),
  )
  expect(new Set(told.map(({ url }) => new URL(url).pathname))).toEqual(new Set(['/flags/definitions']))
  expect(requests.length).toBeGreaterThan(told.length)
})

it('does not evaluate locally when enableLocalEvaluation is false, or the key is blank', async () => {
  for (const options of [{ personalApiKey: 'phx', enableLocalEvaluation: false }, { personalApiKey: ' ' }, {}]) {
    const { clock, requests } = openServerWorld(options)
    await clock.advance(60_000)
    expect(requests).toEqual([])
  }
})
