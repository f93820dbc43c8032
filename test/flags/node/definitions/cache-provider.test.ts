import { describe, expect, it } from 'vitest'
import {
  toCachedDefinitions,
  fromCachedDefinitions,
} from '../../../../src/flags/node/definitions/cached-definitions.ts'
import type { FlagDefinitions } from '../../../../src/wire/definition.ts'
import { deferred, definitionsOf, okResponse, loaderFixture, memoryProvider, statusResponse } from './loader-fixture.ts'

const FULL: FlagDefinitions = {
  ...definitionsOf('a'),
  group_type_mapping: { '0': 'company' },
  cohorts: { '1': { type: 'AND', values: [] } },
  property_matching_version: 2,
  minimal_flag_called_events: true,
}

const CACHED = {
  flags: FULL.flags,
  groupTypeMapping: { '0': 'company' },
  cohorts: FULL.cohorts,
  propertyMatchingVersion: 2,
  minimalFlagCalledEvents: true,
}

describe('behaviour.md 17: "decision false means read the cache and make no request"', () => {
  it.each([
    ['at once', () => CACHED],
    ['as a promise', () => Promise.resolve(CACHED)],
    ["in the service's own form", () => FULL],
  ])('reads all members from a value given %s', async (_title, getFlagDefinitions) => {
    const provider = memoryProvider({ shouldFetchFlagDefinitions: () => false, getFlagDefinitions })
    const fixture = loaderFixture([], { flagDefinitionCacheProvider: provider })
    fixture.loader.start()
    await fixture.clock.advance(0)
    expect(provider.calls).toEqual(['shouldFetch', 'read'])
    expect(fixture.requests).toEqual([])
    expect(fixture.loader.current()!.definitions).toEqual(FULL)
    expect(fixture.warnings).toEqual([])
  })

  it('reads again at the polling interval, and does not compile equal definitions', async () => {
    let cached: unknown = CACHED
    const provider = memoryProvider({
      shouldFetchFlagDefinitions: () => false,
      getFlagDefinitions: () => cached as never,
    })
    const fixture = loaderFixture([], { flagDefinitionCacheProvider: provider })
    fixture.loader.start()
    await fixture.clock.advance(0)
    const first = fixture.loader.current()
    cached = structuredClone(CACHED)
    await fixture.clock.advance(30_000)
    expect(fixture.loader.current()).toBe(first)
    cached = toCachedDefinitions(definitionsOf('b'))
    await fixture.clock.advance(30_000)
    expect(fixture.keys()).toEqual(['b'])
    expect(provider.calls).toHaveLength(6)
  })

  it('sends a request if the cache is empty and nothing is loaded, but does not fill it', async () => {
    const provider = memoryProvider({ shouldFetchFlagDefinitions: () => false })
    const fixture = loaderFixture([okResponse(definitionsOf('a'))], { flagDefinitionCacheProvider: provider })
    fixture.loader.start()
    await fixture.clock.advance(30_000)
    expect(provider.calls).toEqual(['shouldFetch', 'read', 'shouldFetch', 'read'])
    expect(fixture.requests).toHaveLength(1)
    expect(fixture.keys()).toEqual(['a'])
    expect(fixture.warnings).toEqual(['flag definitions not loaded: the cache is empty'])
  })

  it('only reads the cache without a personal key, and never sends a request', async () => {
    const provider = memoryProvider()
    const fixture = loaderFixture([], { personalApiKey: ' ', flagDefinitionCacheProvider: provider })
    fixture.loader.start()
    await fixture.clock.advance(0)
    expect(fixture.warnings).toEqual(['flag definitions not loaded: the cache is empty'])
    provider.stored = CACHED
    await fixture.clock.advance(30_000)
    expect(fixture.keys()).toEqual(['a'])
    expect(provider.calls).toEqual(['read', 'read'])
    expect(fixture.requests).toEqual([])
  })
})

describe('"true means fetch then hand over flags + group type mapping + cohorts"', () => {
  it('as plain JSON, including the optional members', async () => {
    const provider = memoryProvider({ shouldFetchFlagDefinitions: () => Promise.resolve(true) })
    const fixture = loaderFixture([okResponse(FULL)], { flagDefinitionCacheProvider: provider })
    fixture.loader.start()
    await fixture.clock.advance(0)
    expect(provider.calls).toEqual(['shouldFetch', 'store'])
    expect(provider.stored).toEqual(CACHED)
    expect(JSON.parse(JSON.stringify(provider.stored))).toEqual(CACHED)
  })

  it('after they are in use: a slow cache delays no flag', async () => {
    const slow = deferred<void>()
    const provider = memoryProvider({ onFlagDefinitionsReceived: () => slow.promise })
    const fixture = loaderFixture([okResponse(definitionsOf('a'))], { flagDefinitionCacheProvider: provider })
    fixture.loader.start()
    await fixture.loader.waitForFirstLoad(1_000)
    expect(fixture.keys()).toEqual(['a'])
  })

  it('nothing after a 304, a refusal or a failure', async () => {
    const provider = memoryProvider()
    const responses = [
      okResponse(definitionsOf('a'), '"1"'),
      statusResponse(304),
      statusResponse(503),
      statusResponse(402),
    ]
    const fixture = loaderFixture(responses, { flagDefinitionCacheProvider: provider })
    fixture.loader.start()
    await fixture.clock.advance(90_000)
    expect(fixture.requests).toHaveLength(4)
    expect(provider.calls.filter((call) => call === 'store')).toHaveLength(1)
  })

  it('better than the field: sends no tag after reading other definitions from the cache', async () => {
    let isFirst = true
    const provider = memoryProvider({
      shouldFetchFlagDefinitions: () => isFirst,
      getFlagDefinitions: () => toCachedDefinitions(definitionsOf('b')),
    })
    const fixture = loaderFixture([okResponse(definitionsOf('a'), '"a"')], { flagDefinitionCacheProvider: provider })
    fixture.loader.start()
    await fixture.clock.advance(0)
    isFirst = false
    await fixture.clock.advance(30_000)
    expect(fixture.keys()).toEqual(['b'])
    // The change was reverted: a 304 for the old tag would leave the cached definitions in use.
    isFirst = true
    await fixture.clock.advance(30_000)
    expect(fixture.headers(1)).toEqual({})
    expect(fixture.keys()).toEqual(['a'])
  })
})

describe('the minimal gate', () => {
  it('survives a 304 and a round trip through the cache', async () => {
    const provider = memoryProvider()
    const first = loaderFixture([okResponse(FULL, '"1"'), statusResponse(304)], {
      flagDefinitionCacheProvider: provider,
    })
    first.loader.start()
    await first.clock.advance(30_000)
    expect(first.loader.current()!.definitions.minimal_flag_called_events).toBe(true)
    const second = loaderFixture([], { personalApiKey: undefined, flagDefinitionCacheProvider: provider })
    second.loader.start()
    await second.clock.advance(0)
    expect(second.loader.current()!.definitions).toMatchObject({
      minimal_flag_called_events: true,
      property_matching_version: 2,
    })
  })

  it('is missing if the service sent none', () => {
    expect(toCachedDefinitions(definitionsOf('a'))).toEqual({
      flags: definitionsOf('a').flags,
      groupTypeMapping: {},
      cohorts: {},
    })
    expect(fromCachedDefinitions(toCachedDefinitions(FULL))).toEqual(FULL)
  })
})

describe('"async results awaited with a bound"', () => {
  it.each(['shouldFetchFlagDefinitions', 'getFlagDefinitions', 'onFlagDefinitionsReceived', 'shutdown'] as const)(
    '%s that never resolves',
    async (hanging) => {
      const provider = memoryProvider({
        shouldFetchFlagDefinitions: () => hanging !== 'getFlagDefinitions',
        [hanging]: () => new Promise<never>(() => {}),
      })
      const fixture = loaderFixture([okResponse(definitionsOf('a'))], {
        requestTimeout: 2_000,
        flagDefinitionCacheProvider: provider,
      })
      fixture.loader.start()
      await fixture.clock.advance(2_000)
      expect(fixture.keys()).toEqual(['a'])
      let hasEnded = false
      void fixture.loader.shutdown().then(() => (hasEnded = true))
      await fixture.clock.advance(1_999)
      expect(hasEnded).toBe(hanging !== 'shutdown')
      await fixture.clock.advance(1)
      expect([hasEnded, fixture.clock.pending()]).toEqual([true, 0])
      expect(fixture.warnings).toHaveLength(1)
      expect(fixture.warnings[0]).toContain('no response within 2000 ms')
    },
  )
})

const failures: readonly [string, () => never | Promise<never>][] = [
  [
    'throws',
    () => {
      throw new Error('redis is down')
    },
  ],
  ['rejects', () => Promise.reject(new Error('redis is down'))],
]

describe.each(failures)('a provider that %s', (_title, fail) => {
  it('"read failure keeps old definitions and warns", once for a run of failures', async () => {
    let isDown = false
    const provider = memoryProvider({
      shouldFetchFlagDefinitions: () => false,
      getFlagDefinitions: () => (isDown ? fail() : toCachedDefinitions(definitionsOf('a'))),
    })
    const fixture = loaderFixture([], { flagDefinitionCacheProvider: provider })
    fixture.loader.start()
    await fixture.clock.advance(0)
    isDown = true
    await fixture.clock.advance(90_000)
    expect(fixture.keys()).toEqual(['a'])
    expect(fixture.requests).toEqual([])
    expect(fixture.warnings).toEqual(['flag definitions not loaded: the cache cannot be read: Error: redis is down'])
  })

  it('sends a request after a read failure if nothing is loaded, and warns', async () => {
    const provider = memoryProvider({ shouldFetchFlagDefinitions: () => false, getFlagDefinitions: fail })
    const fixture = loaderFixture([okResponse(definitionsOf('a'))], { flagDefinitionCacheProvider: provider })
    fixture.loader.start()
    await fixture.clock.advance(0)
    expect(fixture.keys()).toEqual(['a'])
    expect(fixture.warnings).toEqual(['flag definitions not loaded: the cache cannot be read: Error: redis is down'])
  })

  it('"decision failure fetches directly and warns", once for a run of failures', async () => {
    const provider = memoryProvider({ shouldFetchFlagDefinitions: fail })
    const fixture = loaderFixture([okResponse(definitionsOf('a'))], { flagDefinitionCacheProvider: provider })
    fixture.loader.start()
    await fixture.clock.advance(30_000)
    expect(fixture.requests).toHaveLength(2)
    expect(fixture.keys()).toEqual(['a'])
    expect(fixture.warnings).toEqual([
      'the flag definition cache failed in shouldFetchFlagDefinitions(): Error: redis is down',
    ])
  })

  it('in onFlagDefinitionsReceived: the definitions are still used', async () => {
    const provider = memoryProvider({ onFlagDefinitionsReceived: fail })
    const fixture = loaderFixture([okResponse(definitionsOf('a'))], { flagDefinitionCacheProvider: provider })
    fixture.loader.start()
    await fixture.clock.advance(0)
    expect(fixture.keys()).toEqual(['a'])
    expect(fixture.warnings).toEqual([
      'the flag definition cache failed in onFlagDefinitionsReceived(): Error: redis is down',
    ])
  })

  it('"shutdown failure contained"', async () => {
    const provider = memoryProvider({ shutdown: fail })
    const fixture = loaderFixture([okResponse(definitionsOf('a'))], { flagDefinitionCacheProvider: provider })
    fixture.loader.start()
    await fixture.clock.advance(0)
    await fixture.loader.shutdown()
    await fixture.loader.shutdown()
    expect(provider.calls).toEqual(['shouldFetch', 'store', 'shutdown'])
    expect(fixture.warnings).toEqual(['the flag definition cache failed in shutdown(): Error: redis is down'])
  })
})

describe('a cache with other data', () => {
  it.each([['<html>'], [{}], [{ flags: {} }]])('%j: keeps the current definitions', async (other) => {
    let cached: unknown = toCachedDefinitions(definitionsOf('a'))
    const provider = memoryProvider({
      shouldFetchFlagDefinitions: () => false,
      getFlagDefinitions: () => cached as never,
    })
    const fixture = loaderFixture([], { flagDefinitionCacheProvider: provider })
    fixture.loader.start()
    await fixture.clock.advance(0)
    cached = other
    await fixture.clock.advance(30_000)
    expect(fixture.keys()).toEqual(['a'])
    expect(fixture.warnings).toEqual(['flag definitions not loaded: the cache holds no flag definitions'])
  })
})

describe('shutdown', () => {
  it.each(['shouldFetch', 'read'])('during %s: no request follows, and no definitions are used', async (call) => {
    const slow = deferred<never>()
    const provider = memoryProvider({
      shouldFetchFlagDefinitions: () => (call === 'shouldFetch' ? slow.promise : false),
      getFlagDefinitions: () => slow.promise,
    })
    const fixture = loaderFixture([okResponse(definitionsOf('a'))], { flagDefinitionCacheProvider: provider })
    fixture.loader.start()
    await fixture.clock.advance(0)
    await fixture.loader.shutdown()
    slow.resolve((call === 'shouldFetch' ? true : CACHED) as never)
    await fixture.clock.advance(60_000)
    expect(fixture.requests).toEqual([])
    expect(fixture.keys()).toBeUndefined()
    expect(fixture.clock.pending()).toBe(0)
  })
})
