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

describe('a provider that returns false from shouldFetchFlagDefinitions()', () => {
  it.each([
    ['at once', () => CACHED],
    ['as a promise', () => Promise.resolve(CACHED)],
    ["in the service's own form", () => FULL],
  ])('makes the loader read all members of a value returned %s', async (_title, getFlagDefinitions) => {
    const provider = memoryProvider({ shouldFetchFlagDefinitions: () => false, getFlagDefinitions })
    const fixture = loaderFixture([], { flagDefinitionCacheProvider: provider })
    fixture.loader.start()
    await fixture.clock.advance(0)
    expect(provider.calls).toEqual(['shouldFetch', 'read'])
    expect(fixture.requests).toEqual([])
    expect(fixture.loader.current()!.definitions).toEqual(FULL)
    expect(fixture.warnings).toEqual([])
  })

  it('is read at the polling interval; equal definitions are not compiled again', async () => {
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

  it('does not prevent a request if cache and loader have no definitions', async () => {
    const provider = memoryProvider({ shouldFetchFlagDefinitions: () => false })
    const fixture = loaderFixture([okResponse(definitionsOf('a'))], { flagDefinitionCacheProvider: provider })
    fixture.loader.start()
    await fixture.clock.advance(30_000)
    expect(provider.calls).toEqual(['shouldFetch', 'read', 'shouldFetch', 'read'])
    expect(fixture.requests).toHaveLength(1)
    expect(fixture.keys()).toEqual(['a'])
    expect(fixture.warnings).toEqual(['flag definitions not loaded: the cache is empty'])
  })

  it.each([undefined, ' ', 7])('is the only source of definitions with the personal API key %j', async (key) => {
    const provider = memoryProvider()
    const options = { personalApiKey: key as string | undefined, flagDefinitionCacheProvider: provider }
    const fixture = loaderFixture([], options)
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

describe('a provider that returns true from shouldFetchFlagDefinitions()', () => {
  it('receives definitions as plain JSON, including the optional members', async () => {
    const provider = memoryProvider({ shouldFetchFlagDefinitions: () => Promise.resolve(true) })
    const fixture = loaderFixture([okResponse(FULL)], { flagDefinitionCacheProvider: provider })
    fixture.loader.start()
    await fixture.clock.advance(0)
    expect(provider.calls).toEqual(['shouldFetch', 'store'])
    expect(provider.stored).toEqual(CACHED)
    expect(JSON.parse(JSON.stringify(provider.stored))).toEqual(CACHED)
  })

  it('receives definitions after they are in use, so that it delays no flag', async () => {
    const slow = deferred<void>()
    const provider = memoryProvider({ onFlagDefinitionsReceived: () => slow.promise })
    const fixture = loaderFixture([okResponse(definitionsOf('a'))], { flagDefinitionCacheProvider: provider })
    fixture.loader.start()
    await fixture.loader.waitForFirstLoad(1_000)
    expect(fixture.keys()).toEqual(['a'])
  })

  it('receives nothing after a 304, a refusal or a failure', async () => {
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

  it('prevents the tag of older definitions from being sent', async () => {
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

describe('minimal_flag_called_events', () => {
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

  it('is missing if the service did not send it', () => {
    expect(toCachedDefinitions(definitionsOf('a'))).toEqual({
      flags: definitionsOf('a').flags,
      groupTypeMapping: {},
      cohorts: {},
    })
    expect(fromCachedDefinitions(toCachedDefinitions(FULL))).toEqual(FULL)
  })
})

describe('a method of a provider', () => {
  it.each(['shouldFetchFlagDefinitions', 'getFlagDefinitions', 'onFlagDefinitionsReceived', 'shutdown'] as const)(
    'is limited by requestTimeout if %s() never resolves',
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
  // Specification: "read failure keeps old definitions and warns"
  it('keeps current definitions in use after failed reads, with one warning', async () => {
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

  it('causes a request after a failed read if no definitions are loaded', async () => {
    const provider = memoryProvider({ shouldFetchFlagDefinitions: () => false, getFlagDefinitions: fail })
    const fixture = loaderFixture([okResponse(definitionsOf('a'))], { flagDefinitionCacheProvider: provider })
    fixture.loader.start()
    await fixture.clock.advance(0)
    expect(fixture.keys()).toEqual(['a'])
    expect(fixture.warnings).toEqual(['flag definitions not loaded: the cache cannot be read: Error: redis is down'])
  })

  // Specification: "decision failure fetches directly and warns"
  it('causes requests if shouldFetchFlagDefinitions() fails, with one warning', async () => {
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

  it('causes only a warning if onFlagDefinitionsReceived() fails', async () => {
    const provider = memoryProvider({ onFlagDefinitionsReceived: fail })
    const fixture = loaderFixture([okResponse(definitionsOf('a'))], { flagDefinitionCacheProvider: provider })
    fixture.loader.start()
    await fixture.clock.advance(0)
    expect(fixture.keys()).toEqual(['a'])
    expect(fixture.warnings).toEqual([
      'the flag definition cache failed in onFlagDefinitionsReceived(): Error: redis is down',
    ])
  })

  // Specification: "shutdown failure contained"
  it('causes only a warning if shutdown() fails', async () => {
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

describe('a cache with invalid data', () => {
  it.each([['<html>'], [{}], [{ flags: {} }]])('leaves the current definitions in use: %j', async (invalid) => {
    let cached: unknown = toCachedDefinitions(definitionsOf('a'))
    const provider = memoryProvider({
      shouldFetchFlagDefinitions: () => false,
      getFlagDefinitions: () => cached as never,
    })
    const fixture = loaderFixture([], { flagDefinitionCacheProvider: provider })
    fixture.loader.start()
    await fixture.clock.advance(0)
    cached = invalid
    await fixture.clock.advance(30_000)
    expect(fixture.keys()).toEqual(['a'])
    expect(fixture.warnings).toEqual(['flag definitions not loaded: the cache has no flag definitions'])
  })
})

describe('shutdown', () => {
  it.each(['shouldFetch', 'read'])('during %s prevents requests and later definitions', async (call) => {
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
