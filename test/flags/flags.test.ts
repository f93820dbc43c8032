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
    const page = fixture()
    page.identity = {
      distinctId: 'user-1',
      anonDistinctId: 'anon',
      deviceId: 'd',
      groups: { company: 'acme' },
      personProperties: { plan: 'free', email: 'a@b' },
    }
    page.flags.setPersonPropertiesForFlags({ plan: 'pro' }, { reload: false })
    page.flags.setGroupPropertiesForFlags({ company: { seats: 5 } }, { reload: false })
    page.flags.setGroupPropertiesForFlags({ company: { paid: true } }, { reload: false })
    await page.flags.reload()
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
    const page = fixture({ intervalMs: 1_000 })
    const stop = page.flags.start()
    await page.clock.advance(0)
    expect(page.requests).toHaveLength(1)
    await page.clock.advance(2_000)
    expect(page.requests).toHaveLength(3)
    stop()
    await page.clock.advance(5_000)
    await page.flags.reload()
    expect(page.requests).toHaveLength(3)
    expect(page.clock.pending()).toBe(0)
  })

  it('loads nothing at start when told so, and never by itself with interval 0', async () => {
    const page = fixture({ preload: false, intervalMs: 0 })
    page.flags.start()
    await page.clock.advance(1_000_000)
    page.flags.wake()
    expect(page.requests).toHaveLength(0)
    await page.flags.reload()
    await page.clock.advance(1_000_000)
    page.flags.wake()
    await page.clock.advance(0)
    expect(page.requests).toHaveLength(1)
  })

  it('loads when the page wakes only after the interval has passed, also when the clock went back', async () => {
    const page = fixture({ intervalMs: 60_000 })
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
    const page = fixture({ maxRetries: 0 })
    page.answer = (index) => (index === 0 ? 0 : decided({ a: true }))
    page.flags.start()
    await page.clock.advance(1_000)
    page.flags.wake()
    await page.clock.advance(0)
    expect(page.flags.all()).toEqual({ a: true })
    page.flags.wake()
    await page.clock.advance(0)
    expect(page.requests).toHaveLength(2)
  })

  it('shares one request among the changes of a turn, and one follow-up among those during a request', async () => {
    const page = fixture()
    const first = deferred()
    page.answer = (index) => (index === 0 ? first.promise : decided({ a: 'second' }))
    page.flags.start()
    page.flags.setPersonPropertiesForFlags({ a: 1 })
    page.flags.setPersonPropertiesForFlags({ b: 2 })
    await page.clock.advance(0)
    expect(page.requests).toHaveLength(1)
    expect(page.bodies()[0]).toMatchObject({ person_properties: { a: 1, b: 2 } })
    const reloads = [page.flags.reload(), page.flags.reload()]
    page.flags.resetPersonPropertiesForFlags()
    await page.clock.advance(0)
    expect(page.requests).toHaveLength(1)
    first.resolve(decided({ a: 'first' }))
    await Promise.all(reloads)
    expect(page.requests).toHaveLength(2)
    expect(page.bodies()[1]).toMatchObject({ person_properties: {} })
    expect(page.flags.getFlag('a')).toBe('second')
  })

  it('throws away the late answer of an old identity', async () => {
    const page = fixture()
    const first = deferred()
    page.answer = (index) => (index === 0 ? first.promise : decided({ mine: true }))
    page.flags.start()
    await page.clock.advance(0)
    page.identity = { distinctId: 'other', groups: {} }
    page.flags.identityChanged()
    first.resolve(decided({ old: true }))
    await page.flags.reload()
    expect(page.flags.all()).toEqual({ mine: true })
    expect(page.bodies().map((body) => body['distinct_id'])).toEqual(['u', 'other'])
  })

  it('keeps what it knows on any failure, without rejecting, and tells the listeners', async () => {
    const page = fixture({ maxRetries: 0 })
    const heard: unknown[] = []
    page.answer = (index) =>
      index === 0 ? decided({ a: true }) : ([0, 500, 403, [200, '<html>'], [200, 'null']] as const)[index - 1]!
    await page.flags.reload()
    page.flags.onFlags((flags, context) => heard.push([flags, context]))
    for (let round = 0; round < 5; round++) await page.flags.reload()
    expect(page.flags.all()).toEqual({ a: true })
    expect(heard).toEqual([
      [{ a: true }, { errorsLoading: false }],
      ...Array.from({ length: 5 }, () => [{ a: true }, { errorsLoading: true }]),
    ])
  })

  it('changes nothing when the answer speaks of no flags', async () => {
    const page = fixture()
    page.answer = (index) => (index === 0 ? decided({ a: true }) : [200, { supportedCompression: ['gzip', 'lz64'] }])
    await page.flags.reload()
    expect(page.flags.supportedCompression()).toBeUndefined()
    await page.flags.reload()
    expect(page.flags.all()).toEqual({ a: true })
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
    await page.flags.reload()
    await page.flags.reload()
    expect(page.flags.allWithPayloads()).toEqual({ flags: { a: true, b: 'y', c: true, d: false }, payloads: { a: 1 } })
    await page.flags.reload()
    expect(page.flags.allWithPayloads()).toEqual({ flags: { z: true }, payloads: {} })
  })

  it('keeps its flags when the quota is used up', async () => {
    const page = fixture()
    page.answer = (index) => (index === 0 ? decided({ a: true }) : decided({}, { quotaLimited: ['feature_flags'] }))
    await page.flags.reload()
    await page.flags.reload()
    expect(page.flags.all()).toEqual({ a: true })
    page.flags.getFlag('a')
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
    await page.flags.reload()
    expect(page.requests.map(({ url }) => url)).toEqual([
      'https://waymark.test/decide/?v=3',
      'https://waymark.test/flags/?v=2',
    ])
    expect(page.bodies()[1]).toMatchObject({ token: 'key', distinct_id: 'u' })
    expect(page.flags.allWithPayloads()).toEqual({ flags: { b: 'blue', on: true }, payloads: { b: { x: 1 } } })
    await page.clock.advance(0)

    const next = fixture({}, { storage })
    next.answer = () => v2
    await next.flags.reload()
    expect(next.requests.map(({ url }) => url)).toEqual(['https://waymark.test/flags/?v=2'])
  })

  it('remembers no endpoint that did not answer, and asks each once', async () => {
    const page = fixture({ flagsApi: 'flags' })
    page.answer = () => 405
    await page.flags.reload()
    await page.flags.reload()
    expect(page.requests.map(({ url }) => new URL(url).pathname)).toEqual([
      '/flags/',
      '/decide/',
      '/flags/',
      '/decide/',
    ])
  })
})

describe('retries of flag requests', () => {
  it.each([0, 502, 504])('repeats the same body after 300 ms, then 600 ms, on %s', async (status) => {
    const page = fixture({ maxRetries: 2 })
    page.answer = () => status
    const done = page.flags.reload()
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

  it.each([400, 401, 403, 408, 429, 500, 503])('does not repeat on %s', async (status) => {
    const page = fixture({ maxRetries: 3 })
    page.answer = () => status
    await page.flags.reload()
    expect(page.requests).toHaveLength(1)
  })
})

describe('reading flags', () => {
  it('knows variants, off flags, missing flags and names that every object has', async () => {
    const page = fixture()
    page.answer = () =>
      decided({ on: true, off: false, blue: 'blue' }, { featureFlagPayloads: { blue: '{"x":1}', on: 'plain' } })
    expect(page.flags.getFlag('on')).toBeUndefined()
    await page.flags.reload()
    expect(page.flags.getFlag('on')).toBe(true)
    expect(page.flags.getFlag('constructor')).toBeUndefined()
    expect(page.flags.isEnabled('blue')).toBe(true)
    expect(page.flags.isEnabled('off', { defaultValue: true })).toBe(false)
    expect(page.flags.isEnabled('none', { defaultValue: true })).toBe(true)
    expect(page.flags.isEnabled('none')).toBeUndefined()
    expect(page.flags.getPayload('blue')).toEqual({ x: 1 })
    expect(page.flags.getPayload('on')).toBe('plain')
    expect(page.flags.getPayload('off')).toBeUndefined()
    expect(page.flags.getResult('blue')).toEqual({ key: 'blue', enabled: true, variant: 'blue', payload: { x: 1 } })
    expect(page.flags.getResult('none')).toBeUndefined()
  })

  it('puts all flags, off ones too, and the list of active ones on events, in one object until they change', async () => {
    const page = fixture()
    expect(page.flags.eventProperties()).toEqual({})
    page.answer = () => decided({ on: true, off: false, blue: 'blue' })
    await page.flags.reload()
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
    const leave = page.flags.onFlags((flags) => heard.push(flags))
    expect(heard).toEqual([])
    await page.flags.reload()
    page.flags.onFlags((flags) => heard.push(['late', flags]))
    expect(heard).toEqual([{ a: true }, ['late', { a: true }]])
    leave()
    await page.flags.reload()
    expect(heard).toHaveLength(3)
  })

  it('keeps a throwing listener from the page and from the other listeners', async () => {
    const page = fixture()
    let heard = 0
    page.flags.onFlags(() => {
      throw new Error('mine')
    })
    page.flags.onFlags(() => heard++)
    await page.flags.reload()
    expect(heard).toBe(1)
    expect(page.warnings).toHaveLength(1)
  })
})

describe('what stays', () => {
  it('serves stored flags before any request, and starts empty from corrupt storage', async () => {
    const storage = memoryKeyValue()
    const first = fixture({}, { storage })
    first.answer = () => decided({ a: 'x' }, { featureFlagPayloads: { a: '[1]' } })
    first.flags.setPersonPropertiesForFlags({ plan: 'pro' }, { reload: false })
    await first.flags.reload()
    await first.clock.advance(0)
    const second = fixture({}, { storage })
    expect(second.flags.getResult('a')).toMatchObject({ variant: 'x', payload: [1] })
    await second.flags.reload()
    expect(second.bodies()[0]).toMatchObject({ person_properties: { plan: 'pro' } })

    for (const text of ['{', 'null', '[]', '7', '{"flags":3,"called":{},"payloads":"x"}']) {
      storage.set('waymark:1:key:flags', text)
      const third = fixture({}, { storage })
      expect(third.flags.getFlag('a')).toBeUndefined()
      expect(third.flags.all()).toEqual({})
    }
  })

  it('is emptied by reset, which asks for the new identity', async () => {
    const page = fixture({ bootstrap: { featureFlags: { boot: true } } })
    page.answer = (index) => (index === 0 ? decided({ a: true }) : decided({ b: true }))
    page.flags.setPersonPropertiesForFlags({ plan: 'pro' }, { reload: false })
    await page.flags.reload()
    page.flags.getFlag('a')
    page.flags.reset()
    expect(page.flags.all()).toEqual({})
    expect(page.flags.eventProperties()).toEqual({})
    await page.clock.advance(0)
    expect(page.bodies()[1]).toMatchObject({ person_properties: {} })
    expect(page.flags.all()).toEqual({ b: true })
  })

  it('asks and writes nothing while opted out', async () => {
    const page = fixture()
    page.optedOut = true
    page.answer = () => decided({ a: true })
    await page.flags.reload()
    await page.clock.advance(0)
    expect(page.requests).toEqual([])
    expect(page.storage.get('waymark:1:key:flags')).toBeNull()
    page.optedOut = false
    await page.flags.reload()
    expect(page.flags.getFlag('a')).toBe(true)
  })

  it('takes no list of compressions that is none, from the service or from storage', async () => {
    const storage = memoryKeyValue()
    storage.set('waymark:1:key:flags', JSON.stringify({ flags: { a: true }, compression: 5 }))
    const page = fixture({}, { storage })
    expect(page.flags.supportedCompression()).toBeUndefined()
    page.answer = () => [200, { featureFlags: {}, supportedCompression: 'gzip' }]
    await page.flags.reload()
    expect(page.flags.supportedCompression()).toBeUndefined()
  })
})

describe('bootstrapped flags', () => {
  it('are there at once, over stored ones, without the off ones and their payloads', () => {
    const storage = memoryKeyValue()
    storage.set(
      'waymark:1:key:flags',
      JSON.stringify({ flags: { a: 'stored', off: true, kept: true }, payloads: { off: '1' } }),
    )
    const page = fixture(
      {
        bootstrap: {
          featureFlags: { a: 'boot', off: false },
          featureFlagPayloads: { a: { x: 1 }, off: '2', alone: '"p"' },
        },
      },
      { storage },
    )
    let heard: unknown
    page.flags.onFlags((flags) => {
      heard = flags
    })
    expect(heard).toEqual({ a: 'boot', kept: true, alone: true })
    expect(page.flags.getPayload('off')).toBeUndefined()
    expect(page.flags.getPayload('a')).toEqual({ x: 1 })
    expect(page.flags.getPayload('alone')).toBe('p')
  })

  it('are replaced by a complete answer, and named in $feature_flag_called', async () => {
    const page = fixture({ bootstrap: { featureFlags: { a: 'boot', gone: true } } })
    page.answer = () => decided({ a: 'new' })
    page.flags.getFlag('a')
    await page.flags.reload()
    page.flags.getFlag('a')
    expect(page.flags.all()).toEqual({ a: 'new' })
    expect(page.events.map(({ properties }) => properties)).toMatchObject([
      { $feature_flag_response: 'boot', $feature_flag_bootstrapped_response: 'boot', $used_bootstrap_value: true },
      { $feature_flag_response: 'new', $feature_flag_bootstrapped_response: 'boot', $used_bootstrap_value: false },
    ])
  })
})

describe('$feature_flag_called', () => {
  it('goes out once per flag and value, across reloads and pages', async () => {
    const storage = memoryKeyValue()
    const page = fixture({}, { storage })
    page.answer = (index) => decided({ a: index < 2 ? 'x' : 'y' }, { featureFlagPayloads: { a: '{"n":1}' } })
    await page.flags.reload()
    page.flags.getFlag('a')
    page.flags.isEnabled('a')
    await page.flags.reload()
    page.flags.getResult('a')
    expect(page.events).toEqual([
      {
        event: '$feature_flag_called',
        properties: {
          $feature_flag: 'a',
          $feature_flag_response: 'x',
          $feature_flag_payload: { n: 1 },
          $feature_flag_request_id: 'r1',
        },
      },
    ])
    await page.flags.reload()
    page.flags.getFlag('a')
    expect(page.events).toHaveLength(2)
    await page.clock.advance(0)
    const nextPage = fixture({}, { storage })
    nextPage.flags.getFlag('a')
    expect(nextPage.events).toHaveLength(0)
  })

  it('stays silent for payloads, bulk reads, send: false, and before any flag is known', async () => {
    const page = fixture()
    page.flags.getFlag('a')
    page.answer = () => decided({ a: true })
    await page.flags.reload()
    page.flags.getPayload('a')
    page.flags.all()
    page.flags.allWithPayloads()
    page.flags.getFlag('a', { send: false })
    expect(page.events).toHaveLength(0)
  })

  it('names a missing flag once, with the errors of the last load', async () => {
    const page = fixture()
    page.answer = () => decided({ a: true }, { errorsWhileComputingFlags: true })
    await page.flags.reload()
    page.flags.getFlag('none')
    page.flags.getFlag('none')
    expect(page.events.map(({ properties }) => properties)).toEqual([
      {
        $feature_flag: 'none',
        $feature_flag_request_id: 'r1',
        $feature_flag_error: 'errors_while_computing_flags,flag_missing',
      },
    ])
  })

  it('goes out anew for another identity, not for another group of the same person', async () => {
    const page = fixture()
    page.answer = () => decided({ a: true })
    await page.flags.reload()
    page.flags.getFlag('a')
    page.flags.identityChanged({ keepCalled: true })
    page.flags.getFlag('a')
    expect(page.events).toHaveLength(1)
    page.flags.identityChanged()
    page.flags.getFlag('a')
    expect(page.events).toHaveLength(2)
    await page.clock.advance(0)
  })

  it('is neither sent nor marked while opted out or when the event was dropped', async () => {
    const page = fixture()
    page.answer = () => decided({ a: true })
    await page.flags.reload()
    page.optedOut = true
    page.flags.getFlag('a')
    page.optedOut = false
    page.accepts = false
    page.flags.getFlag('a')
    expect(page.events).toHaveLength(0)
    page.accepts = true
    page.flags.getFlag('a')
    expect(page.events).toHaveLength(1)
  })
})
