import { describe, expect, it } from 'vitest'
import { cachedForm, feedForm } from '../../../../src/flags/node/definitions/cached-form.ts'
import type { FlagDefinitions } from '../../../../src/wire/definition.ts'
import { deferred, feedOf, found, loaderBed, memoryProvider, status } from './loader-bed.ts'

const FULL: FlagDefinitions = {
  ...feedOf('a'),
  group_type_mapping: { '0': 'company' },
  cohorts: { '1': { type: 'AND', values: [] } },
  property_matching_version: 2,
  minimal_flag_called_events: true,
}

const KEPT = {
  flags: FULL.flags,
  groupTypeMapping: { '0': 'company' },
  cohorts: FULL.cohorts,
  propertyMatchingVersion: 2,
  minimalFlagCalledEvents: true,
}

describe('behaviour.md 17: "decision false means read the cache and make no request"', () => {
  it.each([
    ['at once', () => KEPT],
    ['by a promise', () => Promise.resolve(KEPT)],
    ['in the form of the feed', () => FULL],
  ])('given %s, with all that belongs to them', async (_how, getFlagDefinitions) => {
    const provider = memoryProvider({ shouldFetchFlagDefinitions: () => false, getFlagDefinitions })
    const bed = loaderBed([], { flagDefinitionCacheProvider: provider })
    bed.loader.start()
    await bed.clock.advance(0)
    expect(provider.calls).toEqual(['decide', 'read'])
    expect(bed.requests).toEqual([])
    expect(bed.loader.current()!.definitions).toEqual(FULL)
    expect(bed.warnings).toEqual([])
  })

  it('reads again at the pace of polling, and compiles nothing that is the same', async () => {
    let kept: unknown = KEPT
    const provider = memoryProvider({
      shouldFetchFlagDefinitions: () => false,
      getFlagDefinitions: () => kept as never,
    })
    const bed = loaderBed([], { flagDefinitionCacheProvider: provider })
    bed.loader.start()
    await bed.clock.advance(0)
    const first = bed.loader.current()
    kept = structuredClone(KEPT)
    await bed.clock.advance(30_000)
    expect(bed.loader.current()).toBe(first)
    kept = cachedForm(feedOf('b'))
    await bed.clock.advance(30_000)
    expect(bed.keys()).toEqual(['b'])
    expect(provider.calls).toHaveLength(6)
  })

  it('an empty cache: asks when nothing is known, and leaves filling it to whoever may', async () => {
    const provider = memoryProvider({ shouldFetchFlagDefinitions: () => false })
    const bed = loaderBed([found(feedOf('a'))], { flagDefinitionCacheProvider: provider })
    bed.loader.start()
    await bed.clock.advance(30_000)
    expect(provider.calls).toEqual(['decide', 'read', 'decide', 'read'])
    expect(bed.requests).toHaveLength(1)
    expect(bed.keys()).toEqual(['a'])
    expect(bed.warnings).toEqual(['flag definitions not loaded: the cache is empty'])
  })

  it('without a personal key every load is a read of the cache, and never a request', async () => {
    const provider = memoryProvider()
    const bed = loaderBed([], { personalApiKey: ' ', flagDefinitionCacheProvider: provider })
    bed.loader.start()
    await bed.clock.advance(0)
    expect(bed.warnings).toEqual(['flag definitions not loaded: the cache is empty'])
    provider.kept = KEPT
    await bed.clock.advance(30_000)
    expect(bed.keys()).toEqual(['a'])
    expect(provider.calls).toEqual(['read', 'read'])
    expect(bed.requests).toEqual([])
  })
})

describe('"true means fetch then hand over flags + group type mapping + cohorts"', () => {
  it('as plain JSON, what is optional among them', async () => {
    const provider = memoryProvider({ shouldFetchFlagDefinitions: () => Promise.resolve(true) })
    const bed = loaderBed([found(FULL)], { flagDefinitionCacheProvider: provider })
    bed.loader.start()
    await bed.clock.advance(0)
    expect(provider.calls).toEqual(['decide', 'keep'])
    expect(provider.kept).toEqual(KEPT)
    expect(JSON.parse(JSON.stringify(provider.kept))).toEqual(KEPT)
  })

  it('when they are in use: a slow cache delays no flag', async () => {
    const slow = deferred<void>()
    const provider = memoryProvider({ onFlagDefinitionsReceived: () => slow.promise })
    const bed = loaderBed([found(feedOf('a'))], { flagDefinitionCacheProvider: provider })
    bed.loader.start()
    await bed.loader.firstLoad(1_000)
    expect(bed.keys()).toEqual(['a'])
  })

  it('nothing after a 304, a refusal or a failure', async () => {
    const provider = memoryProvider()
    const answers = [found(feedOf('a'), '"1"'), status(304), status(503), status(402)]
    const bed = loaderBed(answers, { flagDefinitionCacheProvider: provider })
    bed.loader.start()
    await bed.clock.advance(90_000)
    expect(bed.requests).toHaveLength(4)
    expect(provider.calls.filter((call) => call === 'keep')).toHaveLength(1)
  })

  it('better than the field: asks without the tag of older ones once others came from the cache', async () => {
    let isFirst = true
    const provider = memoryProvider({
      shouldFetchFlagDefinitions: () => isFirst,
      getFlagDefinitions: () => cachedForm(feedOf('b')),
    })
    const bed = loaderBed([found(feedOf('a'), '"a"')], { flagDefinitionCacheProvider: provider })
    bed.loader.start()
    await bed.clock.advance(0)
    isFirst = false
    await bed.clock.advance(30_000)
    expect(bed.keys()).toEqual(['b'])
    // Somebody has taken the change back: a 304 for the old tag would leave what the cache gave.
    isFirst = true
    await bed.clock.advance(30_000)
    expect(bed.headers(1)).toEqual({})
    expect(bed.keys()).toEqual(['a'])
  })
})

describe('the minimal gate', () => {
  it('survives a 304 and the way through a cache', async () => {
    const provider = memoryProvider()
    const first = loaderBed([found(FULL, '"1"'), status(304)], { flagDefinitionCacheProvider: provider })
    first.loader.start()
    await first.clock.advance(30_000)
    expect(first.loader.current()!.definitions.minimal_flag_called_events).toBe(true)
    const second = loaderBed([], { personalApiKey: undefined, flagDefinitionCacheProvider: provider })
    second.loader.start()
    await second.clock.advance(0)
    expect(second.loader.current()!.definitions).toMatchObject({
      minimal_flag_called_events: true,
      property_matching_version: 2,
    })
  })

  it('is absent where the service told none', () => {
    expect(cachedForm(feedOf('a'))).toEqual({ flags: feedOf('a').flags, groupTypeMapping: {}, cohorts: {} })
    expect(feedForm(cachedForm(FULL))).toEqual(FULL)
  })
})

describe('"async results awaited with a bound"', () => {
  it.each(['shouldFetchFlagDefinitions', 'getFlagDefinitions', 'onFlagDefinitionsReceived', 'shutdown'] as const)(
    '%s that never answers',
    async (hanging) => {
      const provider = memoryProvider({
        shouldFetchFlagDefinitions: () => hanging !== 'getFlagDefinitions',
        [hanging]: () => new Promise<never>(() => {}),
      })
      const bed = loaderBed([found(feedOf('a'))], { requestTimeout: 2_000, flagDefinitionCacheProvider: provider })
      bed.loader.start()
      await bed.clock.advance(2_000)
      expect(bed.keys()).toEqual(['a'])
      let hasEnded = false
      void bed.loader.shutdown().then(() => (hasEnded = true))
      await bed.clock.advance(1_999)
      expect(hasEnded).toBe(hanging !== 'shutdown')
      await bed.clock.advance(1)
      expect([hasEnded, bed.clock.pending()]).toEqual([true, 0])
      expect(bed.warnings).toHaveLength(1)
      expect(bed.warnings[0]).toContain('no answer within 2000 ms')
    },
  )
})

const failures: readonly [string, () => never | Promise<never>][] = [
  [
    'throws',
    () => {
      throw new Error('redis is away')
    },
  ],
  ['rejects', () => Promise.reject(new Error('redis is away'))],
]

describe.each(failures)('a provider that %s', (_how, fail) => {
  it('"read failure keeps old definitions and warns", once for a run of failures', async () => {
    let isAway = false
    const provider = memoryProvider({
      shouldFetchFlagDefinitions: () => false,
      getFlagDefinitions: () => (isAway ? fail() : cachedForm(feedOf('a'))),
    })
    const bed = loaderBed([], { flagDefinitionCacheProvider: provider })
    bed.loader.start()
    await bed.clock.advance(0)
    isAway = true
    await bed.clock.advance(90_000)
    expect(bed.keys()).toEqual(['a'])
    expect(bed.requests).toEqual([])
    expect(bed.warnings).toEqual(['flag definitions not loaded: the cache cannot be read: Error: redis is away'])
  })

  it('a read failure when nothing is known asks the service, and warns', async () => {
    const provider = memoryProvider({ shouldFetchFlagDefinitions: () => false, getFlagDefinitions: fail })
    const bed = loaderBed([found(feedOf('a'))], { flagDefinitionCacheProvider: provider })
    bed.loader.start()
    await bed.clock.advance(0)
    expect(bed.keys()).toEqual(['a'])
    expect(bed.warnings).toEqual(['flag definitions not loaded: the cache cannot be read: Error: redis is away'])
  })

  it('"decision failure fetches directly and warns", once for a run of failures', async () => {
    const provider = memoryProvider({ shouldFetchFlagDefinitions: fail })
    const bed = loaderBed([found(feedOf('a'))], { flagDefinitionCacheProvider: provider })
    bed.loader.start()
    await bed.clock.advance(30_000)
    expect(bed.requests).toHaveLength(2)
    expect(bed.keys()).toEqual(['a'])
    expect(bed.warnings).toEqual(['the flag definition cache does not tell who asks the service: Error: redis is away'])
  })

  it('when given definitions: they are in use all the same', async () => {
    const provider = memoryProvider({ onFlagDefinitionsReceived: fail })
    const bed = loaderBed([found(feedOf('a'))], { flagDefinitionCacheProvider: provider })
    bed.loader.start()
    await bed.clock.advance(0)
    expect(bed.keys()).toEqual(['a'])
    expect(bed.warnings).toEqual(['the flag definition cache does not keep them: Error: redis is away'])
  })

  it('"shutdown failure contained"', async () => {
    const provider = memoryProvider({ shutdown: fail })
    const bed = loaderBed([found(feedOf('a'))], { flagDefinitionCacheProvider: provider })
    bed.loader.start()
    await bed.clock.advance(0)
    await bed.loader.shutdown()
    await bed.loader.shutdown()
    expect(provider.calls).toEqual(['decide', 'keep', 'shutdown'])
    expect(bed.warnings).toEqual(['the flag definition cache does not shut down: Error: redis is away'])
  })
})

describe('a cache that holds something else', () => {
  it.each([['<html>'], [{}], [{ flags: {} }]])('%j: what is known stays', async (other) => {
    let kept: unknown = cachedForm(feedOf('a'))
    const provider = memoryProvider({
      shouldFetchFlagDefinitions: () => false,
      getFlagDefinitions: () => kept as never,
    })
    const bed = loaderBed([], { flagDefinitionCacheProvider: provider })
    bed.loader.start()
    await bed.clock.advance(0)
    kept = other
    await bed.clock.advance(30_000)
    expect(bed.keys()).toEqual(['a'])
    expect(bed.warnings).toEqual(['flag definitions not loaded: the cache holds something else'])
  })
})

describe('shutdown', () => {
  it.each(['decide', 'read'])('while the provider is to %s: no request follows, and nothing is taken', async (call) => {
    const slow = deferred<never>()
    const provider = memoryProvider({
      shouldFetchFlagDefinitions: () => (call === 'decide' ? slow.promise : false),
      getFlagDefinitions: () => slow.promise,
    })
    const bed = loaderBed([found(feedOf('a'))], { flagDefinitionCacheProvider: provider })
    bed.loader.start()
    await bed.clock.advance(0)
    await bed.loader.shutdown()
    slow.resolve((call === 'decide' ? true : KEPT) as never)
    await bed.clock.advance(60_000)
    expect(bed.requests).toEqual([])
    expect(bed.keys()).toBeUndefined()
    expect(bed.clock.pending()).toBe(0)
  })
})
