import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createTestAgent, createTestServerAgent } from '../../src/entry/testing.ts'

beforeEach(() => {
  vi.stubGlobal('fetch', () => {
    throw new Error('A test agent sends nothing.')
  })
  vi.spyOn(console, 'warn').mockImplementation(() => undefined)
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

const namesOf = (events: readonly { readonly event: string }[]): string[] => events.map(({ event }) => event)

describe('the agent for tests of a page', () => {
  it('records calls with their arguments, at once', () => {
    const waymark = createTestAgent()
    waymark.capture('signed up', { plan: 'pro' })
    waymark.identify('user-1')
    waymark.optOut()
    expect(waymark.calls).toEqual([['capture', 'signed up', { plan: 'pro' }], ['identify', 'user-1'], ['optOut']])
  })

  it('records the events that a real agent sends, with user, super properties and groups', () => {
    const waymark = createTestAgent()
    const anonymousId = waymark.getDistinctId()
    waymark.register({ team: 'red' })
    waymark.group('company', 'acme')
    waymark.identify('user-1', { email: 'a@b.c' })
    waymark.capture('signed up', { plan: 'pro' })
    expect(namesOf(waymark.events)).toEqual(['$groupidentify', '$identify', 'signed up'])
    expect(waymark.events.slice(1)).toMatchObject([
      { distinct_id: 'user-1', properties: { $anon_distinct_id: anonymousId, $set: { email: 'a@b.c' } } },
      { distinct_id: 'user-1', properties: { plan: 'pro', team: 'red', $groups: { company: 'acme' } } },
    ])
  })

  it('drops events as a real agent does', () => {
    const waymark = createTestAgent({ before_send: (event) => (event.event === 'secret' ? null : event) })
    waymark.capture('secret')
    waymark.capture('')
    waymark.optOut()
    waymark.capture('objected')
    waymark.optIn()
    waymark.capture('welcome')
    expect(namesOf(waymark.events)).toEqual(['welcome'])
    expect(console.warn).toHaveBeenCalled()
  })

  it('serves the given flags to every user, and does not report their reads', () => {
    const waymark = createTestAgent({ flags: { beta: true, hero: 'calm' }, payloads: { hero: { title: 'Hi' } } })
    const read = (): unknown[] => [
      waymark.isFeatureEnabled('beta'),
      waymark.getFeatureFlagResult('hero'),
      waymark.getFeatureFlags(),
    ]
    const expected = [
      true,
      { key: 'hero', enabled: true, variant: 'calm', payload: { title: 'Hi' } },
      { beta: true, hero: 'calm' },
    ]
    expect(read()).toEqual(expected)
    waymark.identify('user-1')
    expect(read()).toEqual(expected)
    waymark.reset()
    expect(read()).toEqual(expected)
    expect(namesOf(waymark.events)).toEqual(['$identify'])
  })

  it('has no value for other flags', async () => {
    const waymark = createTestAgent({ flags: { beta: true } })
    await waymark.reloadFeatureFlags()
    expect(waymark.getFeatureFlag('gamma')).toBeUndefined()
    expect(waymark.isFeatureEnabled('gamma', { defaultValue: true })).toBe(true)
  })

  it('tells listeners of new flags', () => {
    const waymark = createTestAgent({ flags: { beta: true } })
    const seen: unknown[] = []
    waymark.onFeatureFlags((flags) => seen.push(flags))
    waymark.setFlags({ beta: false, hero: 'bold' })
    waymark.setFlags()
    expect(seen).toEqual([{ beta: true }, { beta: false, hero: 'bold' }, {}])
  })

  it('clears what it has recorded', () => {
    const waymark = createTestAgent()
    waymark.capture('first')
    waymark.clear()
    expect([waymark.calls, waymark.events]).toEqual([[], []])
    waymark.capture('second')
    expect(namesOf(waymark.events)).toEqual(['second'])
  })

  it('answers remote configuration with the payloads of the flags that are on', async () => {
    const waymark = createTestAgent({
      flags: { hero: 'calm', off: false },
      payloads: { hero: { title: 'Hi' }, off: 1 },
    })
    expect(await waymark.getRemoteConfigPayload('hero')).toEqual({ title: 'Hi' })
    expect(await waymark.getRemoteConfigPayload('off')).toBeUndefined()
    expect(await waymark.getRemoteConfigPayload('unknown')).toBeUndefined()
    waymark.setFlags({ hero: true }, { hero: 7 })
    expect(await waymark.getRemoteConfigPayload('hero')).toBe(7)
  })

  it('shares nothing with other agents', () => {
    const [first, second] = [createTestAgent(), createTestAgent()]
    first.register({ team: 'red' })
    second.capture('opened')
    expect(first.events).toEqual([])
    expect(second.events[0]!.properties).not.toHaveProperty('team')
    expect(first.getDistinctId()).not.toBe(second.getDistinctId())
  })

  it('starts no timer, and its promises need none', async () => {
    vi.useFakeTimers()
    const waymark = createTestAgent({ flags: { beta: true } })
    waymark.capture('opened')
    await waymark.flush()
    expect(waymark.getStatus()).toMatchObject({ waitingEvents: 0, lastError: undefined })
    await waymark.reloadFeatureFlags()
    await waymark.shutdown()
    expect(vi.getTimerCount()).toBe(0)
    vi.useRealTimers()
  })

  it('uses the time of the test', () => {
    vi.useFakeTimers({ now: Date.UTC(2030, 0, 1) })
    const waymark = createTestAgent()
    waymark.capture('opened')
    expect(waymark.events[0]!.timestamp).toBe('2030-01-01T00:00:00.000Z')
    vi.useRealTimers()
  })
})

describe('the agent for tests of a server', () => {
  it('records calls and events', async () => {
    const waymark = createTestServerAgent()
    waymark.capture({ distinctId: 'ada', event: 'paid', properties: { amount: 12 } })
    await waymark.captureImmediate({ distinctId: 'ada', event: 'refunded' })
    expect(waymark.calls).toEqual([
      ['capture', { distinctId: 'ada', event: 'paid', properties: { amount: 12 } }],
      ['captureImmediate', { distinctId: 'ada', event: 'refunded' }],
    ])
    expect(waymark.events).toMatchObject([
      { event: 'paid', distinct_id: 'ada', properties: { amount: 12, $lib: 'waymark-node' } },
      { event: 'refunded', distinct_id: 'ada' },
    ])
  })

  it('captures in the context of a request', () => {
    const waymark = createTestServerAgent()
    waymark.withContext({ distinctId: 'ada' }, () => waymark.capture({ event: 'paid' }))
    expect(waymark.events).toMatchObject([{ event: 'paid', distinct_id: 'ada' }])
  })

  it('applies before_send, and refuses what a real agent refuses', () => {
    const waymark = createTestServerAgent({ before_send: (event) => (event.event === 'secret' ? null : event) })
    waymark.capture({ distinctId: 'ada', event: 'secret' })
    waymark.capture({ distinctId: 'ada', event: '' })
    expect(waymark.events).toEqual([])
  })

  it('serves the given flags to every user, and new ones from then on', async () => {
    const waymark = createTestServerAgent({ flags: { hero: 'calm' }, payloads: { hero: { title: 'Hi' } } })
    expect(await waymark.getFeatureFlag('hero', 'ada')).toBe('calm')
    expect(await waymark.getFeatureFlagPayload('hero', 'bob')).toEqual({ title: 'Hi' })
    expect(await waymark.isFeatureEnabled('gamma', 'ada')).toBeUndefined()
    waymark.setFlags({ hero: false })
    const flags = await waymark.evaluateFlags('ada')
    expect([flags.keys, flags.getFlag('hero')]).toEqual([['hero'], false])
  })

  it('loads no definitions with the options of local evaluation', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    const waymark = createTestServerAgent({ personalApiKey: 'wmx_1', flags: { beta: true } })
    expect(await waymark.getFeatureFlag('beta', 'ada')).toBe(true)
    expect(await waymark.getFeatureFlag('gamma', 'ada')).toBeUndefined()
    expect(await waymark.waitForLocalEvaluationReady()).toBe(false)
    expect(warn).not.toHaveBeenCalled()
    warn.mockRestore()
  })

  it('starts no timer, and its promises need none', async () => {
    vi.useFakeTimers()
    const waymark = createTestServerAgent()
    waymark.capture({ distinctId: 'ada', event: 'paid' })
    await waymark.flush()
    expect(waymark.getStatus().waitingEvents).toBe(0)
    await waymark.reloadFeatureFlags()
    expect(await waymark.waitForLocalEvaluationReady()).toBe(false)
    await waymark.shutdown()
    expect(vi.getTimerCount()).toBe(0)
    vi.useRealTimers()
  })
})
