import { describe, expect, it } from 'vitest'
import type { FlagDefinitions } from '../../src/wire/definition.ts'
import type { ScriptedResponse } from '../support/recording-send.ts'
import { createDecideResponse } from './flags-fixture.ts'
import { getRequestedKeys, byProperty, flag, createDeferredResponse, createLocalPage } from './local-page.ts'

const LOCAL_ONLY: FlagDefinitions = { flags: [flag('on'), flag('off', { groups: [] })] }
const WITH_UNRESOLVED: FlagDefinitions = { flags: [flag('on'), byProperty('de', 'land', 'de')] }

/** Counts the requests for the definitions file. */
const countFileRequests = (page: { paths(): string[] }): number => page.paths().filter((path) => path === '/f').length

describe('flags with definitions from a URL', () => {
  it('are evaluated when loaded, and only unresolved keys are requested', async () => {
    const file = createDeferredResponse()
    const page = createLocalPage(
      { definitionsUrl: '/f' },
      { file: file.response, service: createDecideResponse({ de: true }) },
    )
    const received: unknown[] = []
    page.flags.verbs.onFeatureFlags((values) => received.push(values))
    const stop = page.flags.start()
    await page.clock.advance(999)
    expect(page.paths()).toEqual(['/f'])
    file.resolve([200, WITH_UNRESOLVED])
    await page.clock.advance(0)
    expect([received[0], received.at(-1)]).toEqual([{ on: true }, { on: true, de: true }])
    expect(page.flags.eventProperties()).toMatchObject({ '$feature/on': true, '$feature/de': true })
    expect(getRequestedKeys(page)).toEqual([['de']])
    stop()
  })

  it('send no flag request when all flags can be evaluated', async () => {
    const page = createLocalPage({ definitionsUrl: '/f' }, { file: [200, LOCAL_ONLY] })
    await page.flags.verbs.reloadFeatureFlags()
    expect(page.flags.verbs.getFeatureFlags()).toEqual({ on: true, off: false })
    expect(page.paths()).toEqual(['/f'])
  })

  it('delay the flag request by at most one second', async () => {
    const file = createDeferredResponse()
    const service = createDeferredResponse()
    const page = createLocalPage({ definitionsUrl: '/f' }, { file: file.response, service: service.response })
    const received: unknown[] = []
    page.flags.verbs.onFeatureFlags((values) => received.push(values))
    const stop = page.flags.start()
    await page.clock.advance(1_000)
    expect(page.paths()).toEqual(['/f', '/decide/?v=3'])
    file.resolve([200, WITH_UNRESOLVED])
    await page.clock.advance(0)
    expect(received).toEqual([{ on: true }])
    service.resolve(createDecideResponse({ on: false, de: true, app: 'x' }))
    await page.clock.advance(0)
    expect(received.at(-1)).toEqual({ on: true, de: true, app: 'x' })
    // The response contained all flags, so nothing is requested twice.
    expect(getRequestedKeys(page)).toEqual([undefined])
    stop()
  })

  it('report an unresolved flag as missing after a response without it', async () => {
    const page = createLocalPage(
      { definitionsUrl: '/f' },
      { file: [200, WITH_UNRESOLVED], service: createDecideResponse({ app: true }) },
    )
    await page.flags.verbs.reloadFeatureFlags()
    page.flags.verbs.getFeatureFlag('de')
    expect(page.events).toMatchObject([{ properties: { $feature_flag: 'de', $feature_flag_error: 'flag_missing' } }])
  })

  it('are requested from the service for each user while the file is pending', async () => {
    const page = createLocalPage(
      { definitionsUrl: '/f' },
      { file: createDeferredResponse().response, service: createDecideResponse({ on: 'remote' }) },
    )
    const stop = page.flags.start()
    await page.clock.advance(1_000)
    expect(page.flags.verbs.getFeatureFlag('on')).toBe('remote')
    page.identity = { distinct_id: 'w', groups: {} }
    page.flags.reset()
    await page.clock.advance(0)
    expect(page.flags.verbs.getFeatureFlag('on')).toBe('remote')
    expect(page.paths()).toEqual(['/f', '/decide/?v=3', '/decide/?v=3'])
    page.flags.wake()
    void page.flags.verbs.reloadFeatureFlags()
    await page.clock.advance(0)
    expect(countFileRequests(page)).toBe(1)
    stop()
  })

  it('request only keys that newer definitions leave unresolved', async () => {
    const responses = { file: [200, WITH_UNRESOLVED] as ScriptedResponse, service: createDecideResponse({ de: true }) }
    const page = createLocalPage({ definitions: WITH_UNRESOLVED, definitionsUrl: '/f' }, responses)
    await page.flags.verbs.reloadFeatureFlags()
    expect(getRequestedKeys(page)).toEqual([['de']])
    responses.file = [200, { flags: [...WITH_UNRESOLVED.flags, byProperty('fr', 'land', 'fr')] }]
    responses.service = createDecideResponse({ de: true, fr: false })
    const received: unknown[] = []
    page.flags.verbs.onFeatureFlags(() =>
      received.push(page.flags.verbs.getFeatureFlag('fr', { send: received.length > 0 })),
    )
    await page.flags.verbs.reloadFeatureFlags()
    expect(getRequestedKeys(page)).toEqual([['de'], ['de'], ['fr']])
    expect(received).toEqual([undefined, undefined, false, false])
    // The file contains the flag and the response is pending, so it was not reported as missing.
    expect(page.events.map(({ properties }) => properties['$feature_flag_error'])).toEqual([undefined])
  })

  it('keep the response and its errors when definitions change', async () => {
    const file = createDeferredResponse()
    const responses = { file: file.response, service: createDecideResponse({}, { errorsWhileComputingFlags: true }) }
    const page = createLocalPage({ definitions: WITH_UNRESOLVED, definitionsUrl: '/f' }, responses)
    const received: unknown[] = []
    page.flags.verbs.onFeatureFlags((_values, { errorsLoading }) => received.push(errorsLoading))
    const stop = page.flags.start()
    await page.clock.advance(0)
    file.resolve([200, { flags: [...WITH_UNRESOLVED.flags, flag('new')] }])
    await page.clock.advance(0)
    expect(getRequestedKeys(page)).toEqual([['de']])
    expect(received.at(-1)).toBe(true)
    responses.service = createDecideResponse({ fr: true })
    responses.file = Promise.resolve([200, { flags: [...WITH_UNRESOLVED.flags, byProperty('fr', 'land', 'fr')] }])
    page.flags.verbs.resetPersonPropertiesForFlags(false)
    await page.flags.verbs.reloadFeatureFlags()
    expect(getRequestedKeys(page)).toEqual([['de'], ['de'], ['fr']])
    page.flags.verbs.getFeatureFlag('de')
    expect(page.events).toMatchObject([{ properties: { $feature_flag: 'de', $feature_flag_error: 'flag_missing' } }])
    stop()
  })

  it('request keys again after a failure or for another user', async () => {
    const file = createDeferredResponse()
    const responses = { file: file.response, service: 500 as ScriptedResponse }
    const page = createLocalPage({ definitions: WITH_UNRESOLVED, definitionsUrl: '/f' }, responses, {
      featureFlagsRequestMaxRetries: 0,
    })
    const stop = page.flags.start()
    await page.clock.advance(0)
    responses.service = createDecideResponse({ de: true })
    file.resolve([200, { flags: [...WITH_UNRESOLVED.flags, flag('new')] }])
    await page.clock.advance(0)
    expect(page.flags.verbs.getFeatureFlags()).toEqual({ on: true, new: true, de: true })
    expect(getRequestedKeys(page)).toEqual([['de'], ['de']])
    const user = page.identity
    page.identity = { distinct_id: 'w', groups: {} }
    page.flags.reset()
    page.identity = user
    page.flags.identityChanged()
    await page.clock.advance(0)
    expect(page.flags.verbs.getFeatureFlag('de')).toBe(true)
    expect(getRequestedKeys(page)).toHaveLength(3)
    stop()
  })

  it('notify listeners once of a late failure, and load again on wake()', async () => {
    const file = createDeferredResponse()
    const responses: { file: ScriptedResponse | Promise<ScriptedResponse> } = { file: file.response }
    const page = createLocalPage({ definitions: LOCAL_ONLY, definitionsUrl: '/f' }, responses)
    const received: unknown[] = []
    const stop = page.flags.start()
    await page.clock.advance(0)
    page.flags.verbs.onFeatureFlags((_values, { errorsLoading }) => received.push(errorsLoading))
    file.resolve(500)
    await page.clock.advance(0)
    expect(received).toEqual([false, true])
    const secondFile = createDeferredResponse()
    responses.file = secondFile.response
    page.flags.wake()
    await page.clock.advance(0)
    expect(countFileRequests(page)).toBe(2)
    secondFile.resolve([200, LOCAL_ONLY])
    await page.clock.advance(0)
    expect(received.at(-1)).toBe(false)
    stop()
  })

  it('request unresolved keys each interval', async () => {
    const page = createLocalPage(
      { definitions: WITH_UNRESOLVED },
      { service: createDecideResponse({ de: true }) },
      { flagsIntervalMs: 10_000 },
    )
    const stop = page.flags.start()
    await page.clock.advance(20_000)
    expect(getRequestedKeys(page)).toEqual([['de'], ['de'], ['de']])
    stop()
  })

  it('load the file each interval and on reload, but not for a new user', async () => {
    const responses = { file: [200, LOCAL_ONLY] as ScriptedResponse, service: createDecideResponse({}) }
    const page = createLocalPage({ definitionsUrl: '/f' }, responses, { flagsIntervalMs: 10_000 })
    const stop = page.flags.start()
    await page.clock.advance(0)
    page.identity = { distinct_id: 'v', $anon_distinct_id: 'u', groups: {} }
    page.flags.identityChanged()
    page.flags.verbs.setPersonPropertiesForFlags({ plan: 'pro' })
    await page.clock.advance(0)
    page.flags.verbs.setPersonPropertiesForFlags({ plan: 'pro' })
    await page.clock.advance(0)
    expect(countFileRequests(page)).toBe(1)
    await page.clock.advance(10_000)
    expect(countFileRequests(page)).toBe(2)
    responses.file = [200, { flags: [flag('new')] }]
    page.flags.verbs.setPersonPropertiesForFlags({ plan: 'free' }, false)
    await page.flags.verbs.reloadFeatureFlags()
    expect(page.flags.verbs.getFeatureFlags()).toEqual({ new: true })
    expect(getRequestedKeys(page)).toEqual([])
    stop()
    page.flags.wake()
    await page.clock.advance(60_000)
    expect(countFileRequests(page)).toBe(3)
  })

  it('are loaded each interval even if properties change often', async () => {
    const responses = { file: [200, LOCAL_ONLY] as ScriptedResponse, service: createDecideResponse({}) }
    const page = createLocalPage({ definitionsUrl: '/f' }, responses, { flagsIntervalMs: 300_000 })
    const stop = page.flags.start()
    await page.clock.advance(0)
    // Each load of flags restarts the timer.
    for (let i = 1; i <= 10; i++) {
      await page.clock.advance(240_000)
      page.flags.verbs.setPersonPropertiesForFlags({ seen: i })
      await page.clock.advance(0)
    }
    expect(countFileRequests(page)).toBe(6)
    for (let i = 1; i <= 10; i++) {
      page.flags.verbs.setPersonPropertiesForFlags({ left: i }, false)
      await page.clock.advance(300_000)
    }
    expect(countFileRequests(page)).toBe(16)
    stop()
  })

  it('are requested from the service without a file, which wake() requests again', async () => {
    const responses: { file: ScriptedResponse; service: ScriptedResponse } = {
      file: 404,
      service: createDecideResponse({ on: 'remote' }),
    }
    const page = createLocalPage({ definitionsUrl: '/f' }, responses)
    const received: unknown[] = []
    page.flags.verbs.onFeatureFlags((_values, state) => received.push(state))
    await page.flags.verbs.reloadFeatureFlags()
    expect(page.flags.verbs.getFeatureFlags()).toEqual({ on: 'remote' })
    expect(received.at(-1)).toEqual({ errorsLoading: true, isStale: false })
    expect(getRequestedKeys(page)).toEqual([undefined])
    page.flags.verbs.getFeatureFlag('on')
    expect(page.events).toMatchObject([{ properties: { $feature_flag_error: 'definitions_not_loaded' } }])
    responses.file = [200, LOCAL_ONLY]
    page.identity = { distinct_id: 'v', $anon_distinct_id: 'u', groups: {} }
    page.flags.identityChanged()
    await page.clock.advance(0)
    expect(countFileRequests(page)).toBe(1)
    page.flags.wake()
    await page.clock.advance(0)
    expect(page.flags.verbs.getFeatureFlags()).toEqual({ on: true, off: false })
    expect(received.at(-1)).toEqual({ errorsLoading: false, isStale: false })
    expect(page.warnings).toHaveLength(1)
    page.flags.wake()
    await page.clock.advance(0)
    expect(countFileRequests(page)).toBe(2)
  })

  it('are retried at the next interval after a failure', async () => {
    const responses: { file: ScriptedResponse } = { file: 500 }
    const page = createLocalPage({ definitions: LOCAL_ONLY, definitionsUrl: '/f' }, responses, {
      flagsIntervalMs: 10_000,
    })
    const stop = page.flags.start()
    await page.clock.advance(9_999)
    expect(countFileRequests(page)).toBe(1)
    responses.file = [200, { flags: [flag('new')] }]
    await page.clock.advance(1)
    expect(page.flags.verbs.getFeatureFlags()).toEqual({ new: true })
    stop()
  })

  it('use the definitions of the page until the file has loaded', async () => {
    const file = createDeferredResponse()
    const page = createLocalPage({ definitions: LOCAL_ONLY, definitionsUrl: '/f' }, { file: file.response })
    expect(page.flags.verbs.getFeatureFlags()).toEqual({ on: true, off: false })
    const stop = page.flags.start()
    await page.clock.advance(0)
    page.flags.verbs.getFeatureFlag('newer')
    expect(page.events).toEqual([])
    file.resolve([200, { flags: [flag('newer')] }])
    await page.clock.advance(0)
    expect(page.flags.verbs.getFeatureFlags()).toEqual({ newer: true })
    stop()
  })

  it('are passed to listeners and events after the user has changed', async () => {
    const file = createDeferredResponse()
    const responses = { file: file.response, service: createDeferredResponse().response }
    const page = createLocalPage({ definitions: LOCAL_ONLY, definitionsUrl: '/f' }, responses)
    const stop = page.flags.start()
    await page.clock.advance(0)
    const received: unknown[] = []
    page.flags.verbs.onFeatureFlags((values) => received.push(values))
    page.identity = { distinct_id: 'v', $anon_distinct_id: 'u', groups: {} }
    page.flags.identityChanged()
    expect(page.flags.eventProperties()).toMatchObject({ '$feature/on': true })
    file.resolve([200, { flags: [flag('on', { groups: [] }), byProperty('de', 'land', 'de')] }])
    await page.clock.advance(0)
    expect(received.at(-1)).toEqual({ on: false })
    expect(page.flags.eventProperties()).toEqual({ '$feature/on': false, $active_feature_flags: [] })
    stop()
  })

  it('are added to events after an opt-out, but call no listener after stop', async () => {
    const files = [createDeferredResponse(), createDeferredResponse()]
    const responses = { file: files[0]!.response }
    const page = createLocalPage({ definitions: LOCAL_ONLY, definitionsUrl: '/f' }, responses)
    const stop = page.flags.start()
    await page.clock.advance(0)
    const received: unknown[] = []
    page.flags.eventProperties()
    page.optedOut = true
    files[0]!.resolve([200, { flags: [flag('new')] }])
    await page.clock.advance(0)
    page.optedOut = false
    expect(page.flags.eventProperties()).toEqual({ '$feature/new': true, $active_feature_flags: ['new'] })
    responses.file = files[1]!.response
    void page.flags.verbs.reloadFeatureFlags()
    await page.clock.advance(0)
    page.flags.verbs.onFeatureFlags((values) => received.push(values))
    stop()
    files[1]!.resolve([200, LOCAL_ONLY])
    await page.clock.advance(0)
    expect(received).toEqual([{ new: true }])
    expect(getRequestedKeys(page)).toEqual([])
  })

  it('make reloadFeatureFlags wait for the file and the flag request after it', async () => {
    const file = createDeferredResponse()
    const page = createLocalPage(
      { definitions: LOCAL_ONLY, definitionsUrl: '/f' },
      { file: file.response, service: createDecideResponse({ de: 1 }) },
    )
    let hasReloaded = false
    const reload = page.flags.verbs.reloadFeatureFlags().then(() => (hasReloaded = true))
    await page.clock.advance(0)
    expect(hasReloaded).toBe(false)
    file.resolve([200, WITH_UNRESOLVED])
    await reload
    expect(page.flags.verbs.getFeatureFlags()).toEqual({ on: true, de: true })
  })
})
