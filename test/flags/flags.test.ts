import { describe, expect, it } from 'vitest'
import { memoryKeyValue } from '../../src/platform/memory/memory-key-value.ts'
import type { Scripted } from '../support/recording-send.ts'
import { decided, fixture } from './flags-fixture.ts'

/** A promise that the test settles. */
const deferred = (): { promise: Promise<Scripted>; resolve: (answer: Scripted) => void } => {
  let resolve: (answer: Scripted) => void = () => {}
  const promise = new Promise<Scripted>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

describe('loading flags', () => {
  it('asks /decide with key, ids, groups and properties as text that needs no preflight', async () => {
    const identity = {
      distinct_id: 'user-1',
      $anon_distinct_id: 'anon',
      $device_id: 'd',
      groups: { company: 'acme' },
    }
    const page = fixture({}, { identity })
    page.flags.verbs.setPersonPropertiesForFlags({ plan: 'free', email: 'a@b' }, false)
    page.flags.verbs.setPersonPropertiesForFlags({ plan: 'pro' }, false)
    page.flags.verbs.setGroupPropertiesForFlags({ company: { seats: 5 } }, false)
    page.flags.verbs.setGroupPropertiesForFlags({ company: { paid: true } }, false)
    await page.flags.verbs.reloadFeatureFlags()
    expect(page.requests[0]).toMatchObject({
      url: 'https://waymark.test/decide/?v=3',
      contentType: 'text/plain',
      timeoutMs: 10_000,
    })
    expect(page.bodies()[0]).toEqual({
      api_key: 'key',
      distinct_id: 'user-1',
      $anon_distinct_id: 'anon',
      $device_id: 'd',
      groups: { company: 'acme' },
      person_properties: { plan: 'pro', email: 'a@b' },
      group_properties: { company: { seats: 5, paid: true } },
    })
  })

  it('loads at start and again each interval, until it is stopped', async () => {
    const page = fixture({ flagsIntervalMs: 1_000 })
    const stop = page.flags.start()
    await page.clock.advance(0)
    expect(page.requests).toHaveLength(1)
    await page.clock.advance(2_000)
    expect(page.requests).toHaveLength(3)
    stop()
    await page.clock.advance(5_000)
    await page.flags.verbs.reloadFeatureFlags()
    expect(page.requests).toHaveLength(3)
    expect(page.clock.pending()).toBe(0)
  })

  it('loads nothing at start when told so, and never by itself with interval 0', async () => {
    const page = fixture({ preloadFeatureFlags: false, flagsIntervalMs: 0 })
    page.flags.start()
    await page.clock.advance(1_000_000)
    page.flags.wake()
    expect(page.requests).toHaveLength(0)
    await page.flags.verbs.reloadFeatureFlags()
    await page.clock.advance(1_000_000)
    page.flags.wake()
    await page.clock.advance(0)
    expect(page.requests).toHaveLength(1)
  })

  it('loads when the page wakes only after the interval has passed, also when the clock went back', async () => {
    const page = fixture({ flagsIntervalMs: 60_000 })
    page.flags.start()
    await page.clock.advance(1_000)
    page.flags.wake()
    await page.clock.advance(0)
    expect(page.requests).toHaveLength(1)
    page.clock.set(0)
    page.flags.wake()
    await page.clock.advance(0)
    expect(page.requests).toHaveLength(2)
  })

  it('loads as soon as the page wakes when the last load failed', async () => {
    const page = fixture({ featureFlagsRequestMaxRetries: 0 })
    page.answer = (index) => (index === 0 ? 0 : decided({ a: true }))
    page.flags.start()
    await page.clock.advance(1_000)
    page.flags.wake()
    await page.clock.advance(0)
    expect(page.flags.verbs.getFeatureFlags()).toEqual({ a: true })
    page.flags.wake()
    await page.clock.advance(0)
    expect(page.requests).toHaveLength(2)
  })

  it('shares one request among the changes of a turn, and one follow-up among those during a request', async () => {
    const page = fixture()
    const first = deferred()
    page.answer = (index) => (index === 0 ? first.promise : decided({ a: 'second' }))
    page.flags.start()
    page.flags.verbs.setPersonPropertiesForFlags({ a: 1 })
    page.flags.verbs.setPersonPropertiesForFlags({ b: 2 })
    await page.clock.advance(0)
    expect(page.requests).toHaveLength(1)
    expect(page.bodies()[0]).toMatchObject({ person_properties: { a: 1, b: 2 } })
    const reloads = [page.flags.verbs.reloadFeatureFlags(), page.flags.verbs.reloadFeatureFlags()]
    page.flags.verbs.resetPersonPropertiesForFlags()
    await page.clock.advance(0)
    expect(page.requests).toHaveLength(1)
    first.resolve(decided({ a: 'first' }))
    await Promise.all(reloads)
    expect(page.requests).toHaveLength(2)
    expect(page.bodies()[1]).toHaveProperty('person_properties', {})
    expect(page.flags.verbs.getFeatureFlag('a')).toBe('second')
  })

  it('throws away the late answer of an old identity', async () => {
    const page = fixture()
    const first = deferred()
    page.answer = (index) => (index === 0 ? first.promise : decided({ mine: true }))
    page.flags.start()
    await page.clock.advance(0)
    page.identity = { distinct_id: 'other', groups: {} }
    page.flags.identityChanged()
    first.resolve(decided({ old: true }))
    await page.flags.verbs.reloadFeatureFlags()
    expect(page.flags.verbs.getFeatureFlags()).toEqual({ mine: true })
    expect(page.bodies().map((body) => body['distinct_id'])).toEqual(['u', 'other'])
  })

  it('keeps what it knows on any failure, without rejecting, and tells the listeners', async () => {
    const page = fixture({ featureFlagsRequestMaxRetries: 0 })
    const heard: unknown[] = []
    page.answer = (index) =>
      index === 0 ? decided({ a: true }) : ([0, 500, 403, [200, '<html>'], [200, 'null']] as const)[index - 1]!
    await page.flags.verbs.reloadFeatureFlags()
    page.flags.verbs.onFeatureFlags((flags, context) => heard.push([flags, context]))
    for (let round = 0; round < 5; round++) await page.flags.verbs.reloadFeatureFlags()
    expect(page.flags.verbs.getFeatureFlags()).toEqual({ a: true })
    expect(heard).toEqual([
      [{ a: true }, { errorsLoading: false, isStale: false }],
      ...Array.from({ length: 5 }, () => [{ a: true }, { errorsLoading: true, isStale: false }]),
    ])
  })

  it('changes nothing when the answer speaks of no flags', async () => {
    const page = fixture()
    page.answer = (index) => (index === 0 ? decided({ a: true }) : [200, { supportedCompression: ['gzip', 'lz64'] }])
    await page.flags.verbs.reloadFeatureFlags()
    expect(page.flags.supportedCompression()).toBeUndefined()
    await page.flags.verbs.reloadFeatureFlags()
    expect(page.flags.verbs.getFeatureFlags()).toEqual({ a: true })
    expect(page.flags.supportedCompression()).toEqual(['gzip', 'lz64'])
  })

  it('replaces all flags by a complete answer, and merges a partial one with its payloads', async () => {
    const page = fixture()
    page.answer = (index) =>
      [
        decided({ a: true, b: 'x', c: true }, { featureFlagPayloads: { a: '1', b: '{"n":1}' } }),
        decided({ b: 'y', d: false }, { errorsWhileComputingFlags: true }),
        decided({ z: true }),
      ][index]!
    await page.flags.verbs.reloadFeatureFlags()
    await page.flags.verbs.reloadFeatureFlags()
    expect(page.flags.verbs.getFeatureFlagsAndPayloads()).toEqual({
      flags: { a: true, b: 'y', c: true, d: false },
      payloads: { a: 1 },
    })
    await page.flags.verbs.reloadFeatureFlags()
    expect(page.flags.verbs.getFeatureFlagsAndPayloads()).toEqual({ flags: { z: true }, payloads: {} })
  })

  it('keeps its flags when the quota is used up', async () => {
    const page = fixture()
    page.answer = (index) => (index === 0 ? decided({ a: true }) : decided({}, { quotaLimited: ['feature_flags'] }))
    await page.flags.verbs.reloadFeatureFlags()
    await page.flags.verbs.reloadFeatureFlags()
    expect(page.flags.verbs.getFeatureFlags()).toEqual({ a: true })
    page.flags.verbs.getFeatureFlag('a')
    expect(page.events[0]?.properties).toMatchObject({ $feature_flag_error: 'quota_limited' })
  })

  it('asks /flags/?v=2 where /decide is not there, reads its records and remembers it', async () => {
    const storage = memoryKeyValue()
    const page = fixture({}, { storage })
    const v2: Scripted = [
      200,
      {
        flags: {
          b: { key: 'b', enabled: true, variant: 'blue', metadata: { payload: '{"x":1}' } },
          on: { key: 'on', enabled: true, variant: null },
          broken: { key: 'broken', enabled: false, failed: true },
        },
        errorsWhileComputingFlags: true,
        requestId: 'r2',
      },
    ]
    page.answer = (index) => (index === 0 ? 404 : v2)
    await page.flags.verbs.reloadFeatureFlags()
    expect(page.requests.map(({ url }) => url)).toEqual([
      'https://waymark.test/decide/?v=3',
      'https://waymark.test/flags/?v=2',
    ])
    expect(page.bodies()[1]).toMatchObject({ token: 'key', distinct_id: 'u' })
    expect(page.flags.verbs.getFeatureFlagsAndPayloads()).toEqual({
      flags: { b: 'blue', on: true },
      payloads: { b: { x: 1 } },
    })
    await page.clock.advance(0)

    const next = fixture({}, { storage })
    next.answer = () => v2
    await next.flags.verbs.reloadFeatureFlags()
    expect(next.paths()).toEqual(['/array/key/config', '/flags/?v=2'])
  })

  it('remembers no endpoint that did not answer, and asks each once', async () => {
    const page = fixture({ flagsApi: 'flags' })
    page.answer = () => 405
    await page.flags.verbs.reloadFeatureFlags()
    await page.flags.verbs.reloadFeatureFlags()
    expect(page.paths().filter((path) => path !== '/array/key/config')).toEqual([
      '/flags/?v=2',
      '/decide/?v=3',
      '/flags/?v=2',
      '/decide/?v=3',
    ])
  })
})

describe('retries of flag requests', () => {
  it.each([0, 502, 504])('repeats the same body after 300 ms, then 600 ms, on %s', async (status) => {
    const page = fixture({ featureFlagsRequestMaxRetries: 2 })
    page.answer = () => status
    const done = page.flags.verbs.reloadFeatureFlags()
    await page.clock.advance(299)
    expect(page.requests).toHaveLength(1)
    await page.clock.advance(1)
    expect(page.requests).toHaveLength(2)
    await page.clock.advance(599)
    expect(page.requests).toHaveLength(2)
    await page.clock.advance(1)
    await done
    expect(page.requests).toHaveLength(3)
    expect(new Set(page.requests.map(({ body }) => body)).size).toBe(1)
  })

  it.each([
    ['while the request was on its way', 0],
    ['while a retry was due', 1],
  ])('and requests of the other generation end when the user opts out %s', async (_when, ms) => {
    for (const status of [0, 404]) {
      const page = fixture({ featureFlagsRequestMaxRetries: 2 })
      let answer = (_scripted: number): void => {}
      page.answer = () => new Promise((resolve) => (answer = resolve))
      const done = page.flags.verbs.reloadFeatureFlags()
      await page.clock.advance(0)
      if (!ms) page.optedOut = true
      answer(status)
      if (ms && !status) await page.clock.advance(ms)
      page.optedOut = true
      await page.clock.advance(10_000)
      await done
      expect(page.requests).toHaveLength(1)
    }
  })

  it('end at once when the flags are stopped, and are not made for a user who has changed', async () => {
    const page = fixture({ featureFlagsRequestMaxRetries: 10 })
    page.answer = (index) => (index ? decided({ mine: true }) : 0)
    const stop = page.flags.start()
    await page.clock.advance(100)
    page.identity = { distinct_id: 'other', groups: {} }
    page.flags.identityChanged()
    await page.clock.advance(0)
    expect(page.bodies().map((body) => body['distinct_id'])).toEqual(['u', 'other'])
    page.answer = () => 0
    const reloaded = page.flags.verbs.reloadFeatureFlags()
    await page.clock.advance(100)
    stop()
    await reloaded
    expect(page.clock.pending()).toBe(0)
    expect(page.requests).toHaveLength(3)
  })

  it.each([400, 401, 403, 408, 429, 500, 503])('does not repeat on %s', async (status) => {
    const page = fixture({ featureFlagsRequestMaxRetries: 3 })
    page.answer = () => status
    await page.flags.verbs.reloadFeatureFlags()
    expect(page.requests).toHaveLength(1)
  })
})

describe('reading flags', () => {
  it('gives all values and payloads in copies', async () => {
    const page = fixture()
    page.answer = () => decided({ a: 'x', off: false }, { featureFlagPayloads: { a: '{"n":1}' } })
    await page.flags.verbs.reloadFeatureFlags()
    const { flags, payloads } = page.flags.verbs.getFeatureFlagsAndPayloads()
    Object.assign(flags, { a: 'mine' })
    Object.assign(payloads['a'] as object, { n: 2 })
    page.flags.verbs.getFeatureFlags()['a'] = 'mine'
    expect(page.flags.verbs.getFeatureFlagsAndPayloads()).toEqual({
      flags: { a: 'x', off: false },
      payloads: { a: { n: 1 } },
    })
  })

  it('tells listeners that stored flags are stale, until the service has answered', async () => {
    const storage = memoryKeyValue()
    const first = fixture({}, { storage })
    first.answer = () => decided({ a: true })
    await first.flags.verbs.reloadFeatureFlags()
    await first.clock.advance(0)
    const page = fixture({}, { storage })
    page.answer = () => decided({ a: false })
    const heard: unknown[] = []
    page.flags.verbs.onFeatureFlags((flags, { isStale }) => heard.push([flags, isStale]))
    await page.flags.verbs.reloadFeatureFlags()
    expect(heard).toEqual([
      [{ a: true }, true],
      [{ a: false }, false],
    ])
  })

  it('knows variants, off flags, missing flags and names that every object has', async () => {
    const page = fixture()
    page.answer = () =>
      decided({ on: true, off: false, blue: 'blue' }, { featureFlagPayloads: { blue: '{"x":1}', on: 'plain' } })
    expect(page.flags.verbs.getFeatureFlag('on')).toBeUndefined()
    await page.flags.verbs.reloadFeatureFlags()
    expect(page.flags.verbs.getFeatureFlag('on')).toBe(true)
    expect(page.flags.verbs.getFeatureFlag('constructor')).toBeUndefined()
    expect(page.flags.verbs.isFeatureEnabled('blue')).toBe(true)
    expect(page.flags.verbs.isFeatureEnabled('off', { defaultValue: true })).toBe(false)
    expect(page.flags.verbs.isFeatureEnabled('none', { defaultValue: true })).toBe(true)
    expect(page.flags.verbs.isFeatureEnabled('none')).toBeUndefined()
    expect(page.flags.verbs.getFeatureFlagPayload('blue')).toEqual({ x: 1 })
    expect(page.flags.verbs.getFeatureFlagPayload('on')).toBe('plain')
    expect(page.flags.verbs.getFeatureFlagPayload('off')).toBeUndefined()
    expect(page.flags.verbs.getFeatureFlagResult('blue')).toEqual({
      key: 'blue',
      enabled: true,
      variant: 'blue',
      payload: { x: 1 },
    })
    expect(page.flags.verbs.getFeatureFlagResult('none')).toBeUndefined()
  })

  it('puts all flags, off ones too, and the list of active ones on events, in one object until they change', async () => {
    const page = fixture()
    expect(page.flags.eventProperties()).toEqual({})
    page.answer = () => decided({ on: true, off: false, blue: 'blue' })
    await page.flags.verbs.reloadFeatureFlags()
    const properties = page.flags.eventProperties()
    expect(properties).toEqual({
      '$feature/on': true,
      '$feature/off': false,
      '$feature/blue': 'blue',
      $active_feature_flags: ['on', 'blue'],
    })
    expect(page.flags.eventProperties()).toBe(properties)
  })

  it('calls a listener at once when flags are there, after each load, and not after it left', async () => {
    const page = fixture()
    page.answer = () => decided({ a: true })
    const heard: unknown[] = []
    const leave = page.flags.verbs.onFeatureFlags((flags) => heard.push(flags))
    expect(heard).toEqual([])
    await page.flags.verbs.reloadFeatureFlags()
    page.flags.verbs.onFeatureFlags((flags) => heard.push(['late', flags]))
    expect(heard).toEqual([{ a: true }, ['late', { a: true }]])
    leave()
    await page.flags.verbs.reloadFeatureFlags()
    expect(heard).toHaveLength(3)
  })

  it('keeps a throwing listener from the page and from the other listeners', async () => {
    const page = fixture()
    let heard = 0
    page.flags.verbs.onFeatureFlags(() => {
      throw new Error('mine')
    })
    page.flags.verbs.onFeatureFlags(() => heard++)
    await page.flags.verbs.reloadFeatureFlags()
    expect(heard).toBe(1)
    expect(page.warnings).toHaveLength(1)
  })
})

describe('reloading', () => {
  it('calls back once, when the answer is applied, also when there was none', async () => {
    const page = fixture({ featureFlagsRequestMaxRetries: 0 })
    page.answer = (index) => (index ? 500 : decided({ a: true }))
    const heard: unknown[] = []
    const listener = (flags: object, { errorsLoading }: { errorsLoading: boolean }) =>
      heard.push([flags, errorsLoading])
    await page.flags.verbs.reloadFeatureFlags(listener)
    await page.flags.verbs.reloadFeatureFlags(listener)
    await page.flags.verbs.reloadFeatureFlags()
    expect(heard).toEqual([
      [{ a: true }, false],
      [{ a: true }, true],
    ])
  })

  it('waits for the answer about the user of that moment, when it is another one during the request', async () => {
    const page = fixture()
    const first = deferred()
    page.answer = (index) => (index === 0 ? first.promise : decided({ mine: true }))
    const heard: unknown[] = []
    const reloaded = page.flags.verbs.reloadFeatureFlags((flags, { errorsLoading }) =>
      heard.push([flags, errorsLoading]),
    )
    await page.clock.advance(0)
    page.identity = { distinct_id: 'other', groups: {} }
    page.flags.identityChanged()
    first.resolve(decided({ old: true }))
    await reloaded
    expect(heard).toEqual([[{ mine: true }, false]])
    expect(page.requests).toHaveLength(2)
  })

  it('tells that nothing was loaded while opted out', async () => {
    const page = fixture()
    page.optedOut = true
    const heard: unknown[] = []
    await page.flags.verbs.reloadFeatureFlags((_flags, { errorsLoading }) => heard.push(errorsLoading))
    page.flags.start()()
    page.optedOut = false
    await page.flags.verbs.reloadFeatureFlags((_flags, { errorsLoading }) => heard.push(errorsLoading))
    expect(heard).toEqual([true, true])
    expect(page.requests).toEqual([])
  })

  it('stands a callback that throws', async () => {
    const page = fixture()
    await page.flags.verbs.reloadFeatureFlags(() => {
      throw new Error('mine')
    })
    expect(page.warnings).toHaveLength(1)
  })

  it('takes the old shape of an answer from /flags/?v=2, too', async () => {
    const page = fixture({ flagsApi: 'flags' })
    page.answer = (index) => (index ? decided({ b: 'x' }, { featureFlagPayloads: { b: '1' } }) : 404)
    await page.flags.verbs.reloadFeatureFlags()
    expect(page.requests[1]!.url).toBe('https://waymark.test/flags/?v=2')
    expect(page.flags.verbs.getFeatureFlagsAndPayloads()).toEqual({ flags: { b: 'x' }, payloads: { b: 1 } })
  })
})

describe('properties for flags', () => {
  it('are asked with at once, unless told not to', async () => {
    const page = fixture()
    const { verbs } = page.flags
    const calls = [
      () => verbs.setPersonPropertiesForFlags({ plan: 'pro' }),
      () => verbs.setGroupPropertiesForFlags({ company: { seats: 5 } }),
      () => verbs.resetPersonPropertiesForFlags(),
      () => verbs.resetGroupPropertiesForFlags(),
    ]
    for (const call of calls) {
      call()
      await page.clock.advance(0)
    }
    verbs.setPersonPropertiesForFlags({ plan: 'pro' }, false)
    verbs.setGroupPropertiesForFlags({ company: {} }, false)
    verbs.resetPersonPropertiesForFlags(false)
    verbs.resetGroupPropertiesForFlags('company', false)
    await page.clock.advance(0)
    expect(page.bodies().map((body) => [body['person_properties'], body['group_properties']])).toEqual([
      [{ plan: 'pro' }, {}],
      [{ plan: 'pro' }, { company: { seats: 5 } }],
      [{}, { company: { seats: 5 } }],
      [{}, {}],
    ])
  })

  it('of one group type can be forgotten alone', async () => {
    const page = fixture()
    page.flags.verbs.setGroupPropertiesForFlags({ company: { seats: 5 }, team: { size: 2 } }, false)
    page.flags.verbs.resetGroupPropertiesForFlags('company')
    await page.clock.advance(0)
    expect(page.bodies()[0]).toHaveProperty('group_properties', { team: { size: 2 } })
  })

  it('change nothing when JSON cannot carry them', async () => {
    const page = fixture()
    const cyclic: Record<string, unknown> = {}
    cyclic['self'] = cyclic
    expect(() => page.flags.verbs.setPersonPropertiesForFlags(cyclic)).toThrow(TypeError)
    await page.flags.verbs.reloadFeatureFlags()
    expect(page.bodies()[0]).toHaveProperty('person_properties', {})
  })
})

describe('what stays', () => {
  it('serves stored flags before any request, and starts empty from corrupt storage', async () => {
    const storage = memoryKeyValue()
    const first = fixture({}, { storage })
    first.answer = () => decided({ a: 'x' }, { featureFlagPayloads: { a: '[1]' } })
    first.flags.verbs.setPersonPropertiesForFlags({ plan: 'pro' }, false)
    await first.flags.verbs.reloadFeatureFlags()
    await first.clock.advance(0)
    const second = fixture({}, { storage })
    expect(second.flags.verbs.getFeatureFlagResult('a')).toMatchObject({ variant: 'x', payload: [1] })
    await second.flags.verbs.reloadFeatureFlags()
    expect(second.bodies()[0]).toMatchObject({ person_properties: { plan: 'pro' } })

    for (const text of ['{', 'null', '[]', '7', '{"flags":3,"called":{},"payloads":"x"}']) {
      storage.set('flags', text)
      const third = fixture({}, { storage })
      expect(third.flags.verbs.getFeatureFlag('a')).toBeUndefined()
      expect(third.flags.verbs.getFeatureFlags()).toEqual({})
    }
  })

  it('is emptied by reset, which asks for the new identity', async () => {
    const page = fixture({ bootstrap: { featureFlags: { boot: true } } })
    page.answer = (index) => (index === 0 ? decided({ a: true }) : decided({ b: true }))
    page.flags.verbs.setPersonPropertiesForFlags({ plan: 'pro' }, false)
    await page.flags.verbs.reloadFeatureFlags()
    page.flags.verbs.getFeatureFlag('a')
    page.identity = { distinct_id: 'next', groups: {} }
    page.flags.reset()
    expect(page.flags.verbs.getFeatureFlags()).toEqual({})
    expect(page.flags.eventProperties()).toEqual({})
    await page.clock.advance(0)
    expect(page.bodies()[1]).toHaveProperty('person_properties', {})
    expect(page.flags.verbs.getFeatureFlags()).toEqual({ b: true })
  })

  it('asks and writes nothing while opted out', async () => {
    const page = fixture()
    page.optedOut = true
    page.answer = () => decided({ a: true })
    await page.flags.verbs.reloadFeatureFlags()
    await page.clock.advance(0)
    expect(page.requests).toEqual([])
    expect(page.storage.get('flags')).toBeNull()
    page.optedOut = false
    await page.flags.verbs.reloadFeatureFlags()
    expect(page.flags.verbs.getFeatureFlag('a')).toBe(true)
  })

  it('takes no list of compressions that is none, from the service or from storage', async () => {
    const storage = memoryKeyValue()
    storage.set('flags', JSON.stringify({ owner: 'u', flags: {}, config: { supportedCompression: 5 } }))
    const page = fixture({}, { storage })
    expect(page.flags.supportedCompression()).toBeUndefined()
    page.answer = () => [200, { featureFlags: {}, supportedCompression: 'gzip' }]
    await page.flags.verbs.reloadFeatureFlags()
    expect(page.flags.supportedCompression()).toBeUndefined()
  })
})
