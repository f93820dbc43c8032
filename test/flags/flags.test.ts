import { describe, expect, it } from 'vitest'
import type { FlagVerbs } from '../../src/flags/flag-verbs.ts'
import { createMemoryKeyValue } from '../../src/platform/memory/memory-key-value.ts'
import type { ScriptedResponse } from '../support/recording-send.ts'
import { createDecideResponse, createFixture } from './flags-fixture.ts'

/** A response that the test resolves. */
const createDeferredResponse = (): {
  promise: Promise<ScriptedResponse>
  resolve: (response: ScriptedResponse) => void
} => {
  let resolve: (response: ScriptedResponse) => void = () => {}
  const promise = new Promise<ScriptedResponse>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

describe('loading flags', () => {
  it('sends key, ids, groups and properties to /decide as text/plain', async () => {
    const identity = {
      distinct_id: 'user-1',
      $anon_distinct_id: 'anon',
      $device_id: 'd',
      groups: { company: 'acme' },
    }
    const page = createFixture({}, { identity })
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

  it('loads flags at start and after each interval, until stopped', async () => {
    const page = createFixture({ flagsIntervalMs: 1_000 })
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

  it('loads only on demand if preload is off and the interval is 0', async () => {
    const page = createFixture({ preloadFeatureFlags: false, flagsIntervalMs: 0 })
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

  it('loads on wake only after the interval or when the clock went back', async () => {
    const page = createFixture({ flagsIntervalMs: 60_000 })
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

  it('loads on wake when the last load failed', async () => {
    const page = createFixture({ featureFlagsRequestMaxRetries: 0 })
    page.respond = (index) => (index === 0 ? 0 : createDecideResponse({ a: true }))
    page.flags.start()
    await page.clock.advance(1_000)
    page.flags.wake()
    await page.clock.advance(0)
    expect(page.flags.verbs.getFeatureFlags()).toEqual({ a: true })
    page.flags.wake()
    await page.clock.advance(0)
    expect(page.requests).toHaveLength(2)
  })

  it('sends one request per turn, and one more for calls during a request', async () => {
    const page = createFixture()
    const firstResponse = createDeferredResponse()
    page.respond = (index) => (index === 0 ? firstResponse.promise : createDecideResponse({ a: 'second' }))
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
    firstResponse.resolve(createDecideResponse({ a: 'first' }))
    await Promise.all(reloads)
    expect(page.requests).toHaveLength(2)
    expect(page.bodies()[1]).toHaveProperty('person_properties', {})
    expect(page.flags.verbs.getFeatureFlag('a')).toBe('second')
  })

  it('discards a late response for an old identity', async () => {
    const page = createFixture()
    const firstResponse = createDeferredResponse()
    page.respond = (index) => (index === 0 ? firstResponse.promise : createDecideResponse({ mine: true }))
    page.flags.start()
    await page.clock.advance(0)
    page.identity = { distinct_id: 'other', groups: {} }
    page.flags.identityChanged()
    firstResponse.resolve(createDecideResponse({ old: true }))
    await page.flags.verbs.reloadFeatureFlags()
    expect(page.flags.verbs.getFeatureFlags()).toEqual({ mine: true })
    expect(page.bodies().map((body) => body['distinct_id'])).toEqual(['u', 'other'])
  })

  it('keeps the flags on failure, does not reject and notifies listeners', async () => {
    const page = createFixture({ featureFlagsRequestMaxRetries: 0 })
    const received: unknown[] = []
    page.respond = (index) =>
      index === 0
        ? createDecideResponse({ a: true })
        : ([0, 500, 403, [200, '<html>'], [200, 'null']] as const)[index - 1]!
    await page.flags.verbs.reloadFeatureFlags()
    page.flags.verbs.onFeatureFlags((flags, context) => received.push([flags, context]))
    for (let load = 0; load < 5; load++) {
      await page.flags.verbs.reloadFeatureFlags()
      // More loads in a row would wait.
      await page.clock.advance(1_000)
    }
    expect(page.flags.verbs.getFeatureFlags()).toEqual({ a: true })
    expect(received).toEqual([
      [{ a: true }, { errorsLoading: false, isStale: false }],
      ...Array.from({ length: 5 }, () => [{ a: true }, { errorsLoading: true, isStale: false }]),
    ])
  })

  it('changes no flag when the response contains none', async () => {
    const page = createFixture()
    page.respond = (index) =>
      index === 0 ? createDecideResponse({ a: true }) : [200, { supportedCompression: ['gzip', 'lz64'] }]
    await page.flags.verbs.reloadFeatureFlags()
    expect(page.flags.supportedCompression()).toBeUndefined()
    await page.flags.verbs.reloadFeatureFlags()
    expect(page.flags.verbs.getFeatureFlags()).toEqual({ a: true })
    expect(page.flags.supportedCompression()).toEqual(['gzip', 'lz64'])
  })

  it('replaces flags by a complete response and merges a partial one', async () => {
    const page = createFixture()
    page.respond = (index) =>
      [
        createDecideResponse({ a: true, b: 'x', c: true }, { featureFlagPayloads: { a: '1', b: '{"n":1}' } }),
        createDecideResponse({ b: 'y', d: false }, { errorsWhileComputingFlags: true }),
        createDecideResponse({ z: true }),
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

  it('keeps the flags when the quota is used up', async () => {
    const page = createFixture()
    page.respond = (index) =>
      index === 0 ? createDecideResponse({ a: true }) : createDecideResponse({}, { quotaLimited: ['feature_flags'] })
    await page.flags.verbs.reloadFeatureFlags()
    await page.flags.verbs.reloadFeatureFlags()
    expect(page.flags.verbs.getFeatureFlags()).toEqual({ a: true })
    page.flags.verbs.getFeatureFlag('a')
    expect(page.events[0]?.properties).toMatchObject({ $feature_flag_error: 'quota_limited' })
  })

  it('falls back to /flags/?v=2 when /decide is missing, also on later pages', async () => {
    const storage = createMemoryKeyValue()
    const page = createFixture({}, { storage })
    const flagsResponse: ScriptedResponse = [
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
    page.respond = (index) => (index === 0 ? 404 : flagsResponse)
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

    const nextPage = createFixture({}, { storage })
    nextPage.respond = () => flagsResponse
    await nextPage.flags.verbs.reloadFeatureFlags()
    expect(nextPage.paths()).toEqual(['/array/key/config', '/flags/?v=2'])
  })

  it('tries both endpoints once per load when both are missing', async () => {
    const page = createFixture({ flagsApi: 'flags' })
    page.respond = () => 405
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
  it.each([0, 502, 504])('send the same body after 300 ms, then after 600 ms, for status %s', async (status) => {
    const page = createFixture({ featureFlagsRequestMaxRetries: 2 })
    page.respond = () => status
    const reload = page.flags.verbs.reloadFeatureFlags()
    await page.clock.advance(299)
    expect(page.requests).toHaveLength(1)
    await page.clock.advance(1)
    expect(page.requests).toHaveLength(2)
    await page.clock.advance(599)
    expect(page.requests).toHaveLength(2)
    await page.clock.advance(1)
    await reload
    expect(page.requests).toHaveLength(3)
    expect(new Set(page.requests.map(({ body }) => body)).size).toBe(1)
  })

  it.each([
    ['while the request is in flight', 0],
    ['while a retry is pending', 1],
  ])('end when the user opts out %s', async (_when, ms) => {
    for (const status of [0, 404]) {
      const page = createFixture({ featureFlagsRequestMaxRetries: 2 })
      let respond = (_scripted: number): void => {}
      page.respond = () => new Promise((resolve) => (respond = resolve))
      const reload = page.flags.verbs.reloadFeatureFlags()
      await page.clock.advance(0)
      if (!ms) page.optedOut = true
      respond(status)
      if (ms && !status) await page.clock.advance(ms)
      page.optedOut = true
      await page.clock.advance(10_000)
      await reload
      expect(page.requests).toHaveLength(1)
    }
  })

  it('end at once when flags are stopped or the user changes', async () => {
    const page = createFixture({ featureFlagsRequestMaxRetries: 10 })
    page.respond = (index) => (index ? createDecideResponse({ mine: true }) : 0)
    const stop = page.flags.start()
    await page.clock.advance(100)
    page.identity = { distinct_id: 'other', groups: {} }
    page.flags.identityChanged()
    await page.clock.advance(0)
    expect(page.bodies().map((body) => body['distinct_id'])).toEqual(['u', 'other'])
    page.respond = () => 0
    const reload = page.flags.verbs.reloadFeatureFlags()
    await page.clock.advance(100)
    stop()
    await reload
    expect(page.clock.pending()).toBe(0)
    expect(page.requests).toHaveLength(3)
  })

  it.each([400, 401, 403, 408, 429, 500, 503])('are not sent for status %s', async (status) => {
    const page = createFixture({ featureFlagsRequestMaxRetries: 3 })
    page.respond = () => status
    await page.flags.verbs.reloadFeatureFlags()
    expect(page.requests).toHaveLength(1)
  })
})

describe('reading flags', () => {
  it('marks stored flags as stale until the first response', async () => {
    const storage = createMemoryKeyValue()
    const firstPage = createFixture({}, { storage })
    firstPage.respond = () => createDecideResponse({ a: true })
    await firstPage.flags.verbs.reloadFeatureFlags()
    await firstPage.clock.advance(0)
    const page = createFixture({}, { storage })
    page.respond = () => createDecideResponse({ a: false })
    const received: unknown[] = []
    page.flags.verbs.onFeatureFlags((flags, { isStale }) => received.push([flags, isStale]))
    await page.flags.verbs.reloadFeatureFlags()
    expect(received).toEqual([
      [{ a: true }, true],
      [{ a: false }, false],
    ])
  })

  it('adds all flag values and the active flags to events, as one cached object', async () => {
    const page = createFixture()
    expect(page.flags.eventProperties()).toEqual({})
    page.respond = () => createDecideResponse({ on: true, off: false, blue: 'blue' })
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

  it('calls a listener at once and after each load until unsubscribed', async () => {
    const page = createFixture()
    page.respond = () => createDecideResponse({ a: true })
    const received: unknown[] = []
    const unsubscribe = page.flags.verbs.onFeatureFlags((flags) => received.push(flags))
    expect(received).toEqual([])
    await page.flags.verbs.reloadFeatureFlags()
    page.flags.verbs.onFeatureFlags((flags) => received.push(['late', flags]))
    expect(received).toEqual([{ a: true }, ['late', { a: true }]])
    unsubscribe()
    await page.flags.verbs.reloadFeatureFlags()
    expect(received).toHaveLength(3)
  })

  it('calls all listeners even if one throws', async () => {
    const page = createFixture()
    let received = 0
    page.flags.verbs.onFeatureFlags(() => {
      throw new Error('listener')
    })
    page.flags.verbs.onFeatureFlags(() => received++)
    await page.flags.verbs.reloadFeatureFlags()
    expect(received).toBe(1)
    expect(page.warnings).toHaveLength(1)
  })
})

describe('reloading', () => {
  it('calls the listener once after a response or a failure', async () => {
    const page = createFixture({ featureFlagsRequestMaxRetries: 0 })
    page.respond = (index) => (index ? 500 : createDecideResponse({ a: true }))
    const received: unknown[] = []
    const listener = (flags: object, { errorsLoading }: { errorsLoading: boolean }) =>
      received.push([flags, errorsLoading])
    await page.flags.verbs.reloadFeatureFlags(listener)
    await page.flags.verbs.reloadFeatureFlags(listener)
    await page.flags.verbs.reloadFeatureFlags()
    expect(received).toEqual([
      [{ a: true }, false],
      [{ a: true }, true],
    ])
  })

  it('waits for the response for a user who changes during the request', async () => {
    const page = createFixture()
    const firstResponse = createDeferredResponse()
    page.respond = (index) => (index === 0 ? firstResponse.promise : createDecideResponse({ mine: true }))
    const received: unknown[] = []
    const reload = page.flags.verbs.reloadFeatureFlags((flags, { errorsLoading }) =>
      received.push([flags, errorsLoading]),
    )
    await page.clock.advance(0)
    page.identity = { distinct_id: 'other', groups: {} }
    page.flags.identityChanged()
    firstResponse.resolve(createDecideResponse({ old: true }))
    await reload
    expect(received).toEqual([[{ mine: true }, false]])
    expect(page.requests).toHaveLength(2)
  })

  it('reports errorsLoading while opted out or stopped', async () => {
    const page = createFixture()
    page.optedOut = true
    const received: unknown[] = []
    await page.flags.verbs.reloadFeatureFlags((_flags, { errorsLoading }) => received.push(errorsLoading))
    page.flags.start()()
    page.optedOut = false
    await page.flags.verbs.reloadFeatureFlags((_flags, { errorsLoading }) => received.push(errorsLoading))
    expect(received).toEqual([true, true])
    expect(page.requests).toEqual([])
  })

  it('resolves and warns when its listener throws', async () => {
    const page = createFixture()
    await page.flags.verbs.reloadFeatureFlags(() => {
      throw new Error('listener')
    })
    expect(page.warnings).toHaveLength(1)
  })

  it('accepts the old response shape from /flags/?v=2', async () => {
    const page = createFixture({ flagsApi: 'flags' })
    page.respond = (index) => (index ? createDecideResponse({ b: 'x' }, { featureFlagPayloads: { b: '1' } }) : 404)
    await page.flags.verbs.reloadFeatureFlags()
    expect(page.requests[1]!.url).toBe('https://waymark.test/flags/?v=2')
    expect(page.flags.verbs.getFeatureFlagsAndPayloads()).toEqual({ flags: { b: 'x' }, payloads: { b: 1 } })
  })
})

describe('properties for flags', () => {
  it('trigger a request at once unless reload is false', async () => {
    const page = createFixture()
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

  it('can be removed for one group type', async () => {
    const page = createFixture()
    page.flags.verbs.setGroupPropertiesForFlags({ company: { seats: 5 }, team: { size: 2 } }, false)
    page.flags.verbs.resetGroupPropertiesForFlags('company')
    await page.clock.advance(0)
    expect(page.bodies()[0]).toHaveProperty('group_properties', { team: { size: 2 } })
  })

  it('change nothing when JSON cannot represent them', async () => {
    const page = createFixture()
    const cyclic: Record<string, unknown> = {}
    cyclic['self'] = cyclic
    expect(() => page.flags.verbs.setPersonPropertiesForFlags(cyclic)).toThrow(TypeError)
    await page.flags.verbs.reloadFeatureFlags()
    expect(page.bodies()[0]).toHaveProperty('person_properties', {})
  })
})

describe('stored flags', () => {
  it('are read before any request; a corrupt snapshot is treated as empty', async () => {
    const storage = createMemoryKeyValue()
    const firstPage = createFixture({}, { storage })
    firstPage.respond = () => createDecideResponse({ a: 'x' }, { featureFlagPayloads: { a: '[1]' } })
    firstPage.flags.verbs.setPersonPropertiesForFlags({ plan: 'pro' }, false)
    await firstPage.flags.verbs.reloadFeatureFlags()
    await firstPage.clock.advance(0)
    const secondPage = createFixture({}, { storage })
    expect(secondPage.flags.verbs.getFeatureFlagResult('a')).toMatchObject({ variant: 'x', payload: [1] })
    await secondPage.flags.verbs.reloadFeatureFlags()
    expect(secondPage.bodies()[0]).toMatchObject({ person_properties: { plan: 'pro' } })

    for (const stored of ['{', 'null', '[]', '7', '{"flags":3,"called":{},"payloads":"x"}']) {
      storage.set('flags', stored)
      const thirdPage = createFixture({}, { storage })
      expect(thirdPage.flags.verbs.getFeatureFlag('a')).toBeUndefined()
      expect(thirdPage.flags.verbs.getFeatureFlags()).toEqual({})
    }
  })

  it('are cleared by reset, which loads for the new identity', async () => {
    const page = createFixture({ bootstrap: { featureFlags: { boot: true } } })
    page.respond = (index) => (index === 0 ? createDecideResponse({ a: true }) : createDecideResponse({ b: true }))
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

  it('are neither requested nor written while opted out', async () => {
    const page = createFixture()
    page.optedOut = true
    page.respond = () => createDecideResponse({ a: true })
    await page.flags.verbs.reloadFeatureFlags()
    await page.clock.advance(0)
    expect(page.requests).toEqual([])
    expect(page.storage.get('flags')).toBeNull()
    page.optedOut = false
    await page.flags.verbs.reloadFeatureFlags()
    expect(page.flags.verbs.getFeatureFlag('a')).toBe(true)
  })

  it('ignore an invalid supportedCompression from service or storage', async () => {
    const storage = createMemoryKeyValue()
    storage.set('flags', JSON.stringify({ owner: 'u', flags: {}, config: { supportedCompression: 5 } }))
    const page = createFixture({}, { storage })
    expect(page.flags.supportedCompression()).toBeUndefined()
    page.respond = () => [200, { featureFlags: {}, supportedCompression: 'gzip' }]
    await page.flags.verbs.reloadFeatureFlags()
    expect(page.flags.supportedCompression()).toBeUndefined()
  })
})

describe('a listener that changes what it listens to', () => {
  it.each<[string, (verbs: FlagVerbs) => void]>([
    ['setPersonPropertiesForFlags', (verbs) => verbs.setPersonPropertiesForFlags({ plan: 'pro', list: [1] })],
    ['setGroupPropertiesForFlags', (verbs) => verbs.setGroupPropertiesForFlags({ company: { seats: 5 } })],
    ['resetPersonPropertiesForFlags', (verbs) => verbs.resetPersonPropertiesForFlags()],
    ['resetGroupPropertiesForFlags', (verbs) => verbs.resetGroupPropertiesForFlags('company')],
  ])('%s with equal values does not load again', async (_name, change) => {
    const page = createFixture()
    page.flags.verbs.onFeatureFlags(() => change(page.flags.verbs))
    page.flags.start()
    await page.clock.advance(60_000)
    expect(page.requests.length).toBeLessThan(3)
  })

  it('loads for values that were set without a load', async () => {
    const page = createFixture()
    page.flags.start()
    await page.clock.advance(0)
    page.flags.verbs.setPersonPropertiesForFlags({ plan: 'pro' }, false)
    page.flags.verbs.setPersonPropertiesForFlags({ plan: 'pro' })
    await page.clock.advance(0)
    expect(page.bodies().at(-1)).toMatchObject({ person_properties: { plan: 'pro' } })
  })

  it.each<[string, (page: ReturnType<typeof createFixture>, id: string) => void]>([
    [
      'identifies',
      (page, id) => {
        page.identity = { distinct_id: id, $anon_distinct_id: 'u', groups: {} }
        page.flags.identityChanged()
      },
    ],
    ['resets', (page) => page.flags.reset()],
    ['reloads', (page) => void page.flags.verbs.reloadFeatureFlags()],
  ])('may load without an end, which the page that %s does not wait for', async (_name, act) => {
    const page = createFixture()
    let count = 0
    page.flags.verbs.onFeatureFlags(() => act(page, `u${count++}`))
    page.flags.start()
    await page.clock.advance(20_000)
    const loads = page.requests.length
    expect(loads).toBeLessThan(12)
    await page.clock.advance(1_000)
    // New properties of the same user wait.
    page.flags.identityChanged()
    await page.clock.advance(0)
    expect(page.requests).toHaveLength(loads)
    act(page, 'next')
    await page.clock.advance(0)
    expect(page.requests.length).toBeGreaterThan(loads)
    expect(page.requests.length).toBeLessThan(loads + 12)
  })

  it('is not called for its own reset, and other listeners are', async () => {
    const page = createFixture()
    const calls: string[] = []
    for (const name of ['x', 'y'])
      page.flags.verbs.onFeatureFlags(() => {
        calls.push(name)
        if (calls.length < 1_000) page.flags.reset()
      })
    page.flags.start()
    await page.clock.advance(0)
    expect(calls.slice(0, 4)).toEqual(['x', 'y', 'y', 'x'])
    expect(calls.length).toBeLessThan(50)
  })
})
