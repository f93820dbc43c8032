import { describe, expect, it } from 'vitest'
import { MAX_EVENT_BYTES } from '../../../src/wire/bounds.ts'
import { eventsIn, createNodeAgentHarness } from '../../support/node-agent-harness.ts'

describe('captured events', () => {
  it('are delivered in one request, in order, with uuid and time of capture', async () => {
    const { agent, flushAndTakeEvents, clock, requests } = createNodeAgentHarness()
    agent.capture({ distinctId: 'a', event: 'first' })
    await clock.advance(500)
    agent.capture({ distinctId: 'b', event: 'second' })
    const events = await flushAndTakeEvents()
    expect(requests).toHaveLength(1)
    expect(events).toMatchObject([
      { event: 'first', distinct_id: 'a', uuid: 'id-1', timestamp: '2026-01-01T00:00:00.000Z' },
      { event: 'second', distinct_id: 'b', uuid: 'id-2', timestamp: '2026-01-01T00:00:00.500Z' },
    ])
  })

  it('stay unchanged when they are sent again', async () => {
    const harness = createNodeAgentHarness()
    harness.respond = () => ({ status: harness.requests.length < 3 ? 503 : 200 })
    harness.agent.capture({ distinctId: 'a', event: 'e' })
    await harness.clock.advance(60_000)
    const sent = harness.requests.map((request) => eventsIn(request)[0])
    expect(sent).toHaveLength(3)
    expect(new Set(sent.map((event) => JSON.stringify(event))).size).toBe(1)
  })

  it('include the flags of a snapshot, without a request', async () => {
    const { agent, flushAndTakeEvents, requests } = createNodeAgentHarness()
    agent.overrideFeatureFlags({ beta: 'blue', off: false })
    const flags = await agent.evaluateFlags(undefined, { flagKeys: ['beta', 'off'] })
    agent.capture({ distinctId: 'a', event: 'e', flags })
    const [event] = await flushAndTakeEvents()
    expect(event!.properties).toMatchObject({
      '$feature/beta': 'blue',
      '$feature/off': false,
      $active_feature_flags: ['beta'],
    })
    expect(requests).toHaveLength(1)
  })

  it('cause no flag request', async () => {
    const { agent, flushAndTakeEvents, clock, requests } = createNodeAgentHarness()
    await clock.advance(60_000)
    agent.capture({ distinctId: 'a', event: 'e' })
    await flushAndTakeEvents()
    expect(requests.map(({ url }) => url)).toEqual(['https://waymark.test/batch/'])
  })

  it('pass through the before_send hook that is set at the time of capture', async () => {
    const { agent, flushAndTakeEvents, options, drops } = createNodeAgentHarness({ before_send: () => null })
    agent.capture({ distinctId: 'a', event: 'dropped' })
    options.before_send = (event) => ({ ...event, event: 'renamed' })
    agent.capture({ distinctId: 'a', event: 'e' })
    await agent.captureImmediate({ distinctId: 'a', event: 'now' })
    delete options.before_send
    agent.capture({ distinctId: 'a', event: 'plain' })
    expect((await flushAndTakeEvents()).map(({ event }) => event).sort()).toEqual(['plain', 'renamed', 'renamed'])
    expect(drops).toEqual([['dropped', 'before_send']])
  })
})

describe('a dropped event', () => {
  it('is an event larger than the service stores', async () => {
    const { agent, flushAndTakeEvents, drops } = createNodeAgentHarness()
    agent.capture({ distinctId: 'a', event: 'big', properties: { text: 'x'.repeat(MAX_EVENT_BYTES) } })
    agent.capture({ distinctId: 'a', event: 'small' })
    expect((await flushAndTakeEvents()).map(({ event }) => event)).toEqual(['small'])
    expect(drops).toEqual([['big', 'too_large']])
  })

  it('causes a warning if it is the first with its reason', () => {
    const { agent, warnings, drops } = createNodeAgentHarness({ defaultOptIn: false })
    agent.capture({ distinctId: 'a', event: 'one' })
    agent.capture({ distinctId: 'a', event: 'two' })
    expect(drops).toEqual([
      ['one', 'opted_out'],
      ['two', 'opted_out'],
    ])
    expect(warnings).toEqual([['event dropped (opted_out):', 'one']])
  })

  it('causes a warning if an async onDrop rejects', async () => {
    const { agent, warnings } = createNodeAgentHarness({ onDrop: (): unknown => Promise.reject(new Error('later')) })
    agent.capture({ distinctId: 'a', event: '' })
    await Promise.resolve()
    expect(warnings.map(([message]) => message)).toEqual(['event dropped (invalid_event):', 'onDrop failed:'])
  })

  it('causes a warning if onDrop throws, and no second call of onDrop inside it', () => {
    const { agent, warnings } = createNodeAgentHarness({
      defaultOptIn: false,
      onDrop() {
        agent.capture({ distinctId: 'a', event: 'again' })
        throw new Error('listener')
      },
    })
    agent.capture({ distinctId: 'a', event: 'one' })
    expect(warnings.map(([message]) => message)).toEqual(['event dropped (opted_out):', 'onDrop failed:'])
  })
})

describe('opting out', () => {
  it('stops events, `$feature_flag_called` and flushes until opting in', async () => {
    const { agent, flushAndTakeEvents, requests } = createNodeAgentHarness()
    agent.capture({ distinctId: 'a', event: 'before' })
    agent.optOut()
    expect(await agent.getFeatureFlag('beta', 'a')).toBeUndefined()
    expect(await flushAndTakeEvents()).toEqual([])
    expect([agent.isOptedOut(), requests]).toEqual([true, []])
    agent.optIn()
    agent.capture({ distinctId: 'a', event: 'after' })
    expect((await flushAndTakeEvents()).map(({ event }) => event)).toEqual(['before', 'after'])
  })
})

describe('shutdown', () => {
  it('delivers, resolves and refuses later events; "repeated calls are harmless"', async () => {
    const { agent, requests, drops, clock } = createNodeAgentHarness()
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

  it('resolves at its timeout with a warning, and reports dropped events', async () => {
    const harness = createNodeAgentHarness()
    harness.respond = () => new Promise(() => undefined)
    harness.agent.capture({ distinctId: 'a', event: 'e' })
    const ended = harness.agent.shutdown(1_000)
    await harness.clock.advance(1_000)
    await ended
    expect(harness.drops).toEqual([['e', 'storage_unavailable']])
    expect(harness.warnings.length).toBeGreaterThan(0)
  })

  it('leaves no timer for delivery or definitions', async () => {
    const { agent, clock } = createNodeAgentHarness({ personalApiKey: 'phx' })
    agent.capture({ distinctId: 'a', event: 'e' })
    await clock.advance(0)
    const ended = agent.shutdown()
    await clock.advance(0)
    await ended
    expect(clock.pending()).toBe(0)
  })

  it('resolves at its timeout when a cache provider does not shut down', async () => {
    const { agent, clock } = createNodeAgentHarness({
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

describe('the request context', () => {
  it('is merged over an outer one, or replaces it', () => {
    const { agent } = createNodeAgentHarness()
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

it('debug(on) turns logging on and off, and sends no event', async () => {
  const { agent, flushAndTakeEvents, setDebugCalls } = createNodeAgentHarness()
  agent.debug()
  agent.debug(false)
  expect([setDebugCalls, await flushAndTakeEvents()]).toEqual([[true, false], []])
})

it('tells debug mode each change of consent', async () => {
  const { agent, debugs } = createNodeAgentHarness()
  agent.optOut()
  agent.optIn()
  expect(debugs).toEqual([
    ['state', '{"isOptedOut":true}'],
    ['state', '{"isOptedOut":false}'],
  ])
})

it('sends the personal key only with requests for definitions', async () => {
  const { agent, flushAndTakeEvents, clock, requests } = createNodeAgentHarness({ personalApiKey: 'phx_secret' })
  await clock.advance(0)
  agent.capture({ distinctId: 'a', event: 'e' })
  const read = agent.getFeatureFlag('beta', 'a')
  await clock.advance(3_000)
  await read
  await flushAndTakeEvents()
  const requestsWithKey = requests.filter((request) =>
    JSON.stringify([request.headers, request.body, request.url]).includes('phx_secret'),
  )
  expect(new Set(requestsWithKey.map(({ url }) => new URL(url).pathname))).toEqual(new Set(['/flags/definitions']))
  expect(requests.length).toBeGreaterThan(requestsWithKey.length)
})

it('does not evaluate locally if enableLocalEvaluation is false or the key is blank', async () => {
  for (const options of [{ personalApiKey: 'phx', enableLocalEvaluation: false }, { personalApiKey: ' ' }, {}]) {
    const { clock, requests } = createNodeAgentHarness(options)
    await clock.advance(60_000)
    expect(requests).toEqual([])
  }
})
