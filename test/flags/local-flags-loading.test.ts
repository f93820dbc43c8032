import { describe, expect, it } from 'vitest'
import type { FlagDefinitions } from '../../src/wire/definition.ts'
import type { Scripted } from '../support/recording-send.ts'
import { decided } from './flags-fixture.ts'
import { askedFor, byProperty, flag, later, localPage } from './local-page.ts'

const EASY: FlagDefinitions = { flags: [flag('on'), flag('off', { groups: [] })] }
const OPEN: FlagDefinitions = { flags: [flag('on'), byProperty('de', 'land', 'de')] }

/** Requests for the file alone. */
const reads = (own: { paths(): string[] }): number => own.paths().filter((path) => path === '/f').length

describe('flags with definitions from an address', () => {
  it('are evaluated when they come, and the service is asked only for what they leave open', async () => {
    const file = later()
    const own = localPage({ definitionsUrl: '/f' }, { file: file.answer, service: decided({ de: true }) })
    const heard: unknown[] = []
    own.flags.verbs.onFeatureFlags((values) => heard.push(values))
    const stop = own.flags.start()
    await own.clock.advance(999)
    expect(own.paths()).toEqual(['/f'])
    file.give([200, OPEN])
    await own.clock.advance(0)
    expect([heard[0], heard.at(-1)]).toEqual([{ on: true }, { on: true, de: true }])
    expect(own.flags.eventProperties()).toMatchObject({ '$feature/on': true, '$feature/de': true })
    expect(askedFor(own)).toEqual([['de']])
    stop()
  })

  it('need no request when they leave nothing open', async () => {
    const own = localPage({ definitionsUrl: '/f' }, { file: [200, EASY] })
    await own.flags.verbs.reloadFeatureFlags()
    expect(own.flags.verbs.getFeatureFlags()).toEqual({ on: true, off: false })
    expect(own.paths()).toEqual(['/f'])
  })

  it('hold back no longer than a second: then the service is asked for all, and what comes first is shown', async () => {
    const file = later()
    const service = later()
    const own = localPage({ definitionsUrl: '/f' }, { file: file.answer, service: service.answer })
    const heard: unknown[] = []
    own.flags.verbs.onFeatureFlags((values) => heard.push(values))
    const stop = own.flags.start()
    await own.clock.advance(1_000)
    expect(own.paths()).toEqual(['/f', '/decide/?v=3'])
    file.give([200, OPEN])
    await own.clock.advance(0)
    expect(heard).toEqual([{ on: true }])
    service.give(decided({ on: false, de: true, app: 'x' }))
    await own.clock.advance(0)
    expect(heard.at(-1)).toEqual({ on: true, de: true, app: 'x' })
    // It has told of all: nothing is asked twice.
    expect(askedFor(own)).toEqual([undefined])
    stop()
  })

  it('call an open flag missing that the service did not name when it told of all', async () => {
    const own = localPage({ definitionsUrl: '/f' }, { file: [200, OPEN], service: decided({ app: true }) })
    await own.flags.verbs.reloadFeatureFlags()
    own.flags.verbs.getFeatureFlag('de')
    expect(own.events).toMatchObject([{ properties: { $feature_flag: 'de', $feature_flag_error: 'flag_missing' } }])
  })

  it('are the service’s while the file hangs, for each user', async () => {
    const own = localPage({ definitionsUrl: '/f' }, { file: later().answer, service: decided({ on: 'told' }) })
    const stop = own.flags.start()
    await own.clock.advance(1_000)
    expect(own.flags.verbs.getFeatureFlag('on')).toBe('told')
    own.identity = { distinct_id: 'w', groups: {} }
    own.flags.reset()
    await own.clock.advance(0)
    expect(own.flags.verbs.getFeatureFlag('on')).toBe('told')
    expect(own.paths()).toEqual(['/f', '/decide/?v=3', '/decide/?v=3'])
    own.flags.wake()
    void own.flags.verbs.reloadFeatureFlags()
    await own.clock.advance(0)
    expect(reads(own)).toBe(1)
    stop()
  })

  it('ask the service for what newer definitions leave open, and for nothing that it has told', async () => {
    const answers = { file: [200, OPEN] as Scripted, service: decided({ de: true }) }
    const own = localPage({ definitions: OPEN, definitionsUrl: '/f' }, answers)
    await own.flags.verbs.reloadFeatureFlags()
    expect(askedFor(own)).toEqual([['de']])
    answers.file = [200, { flags: [...OPEN.flags, byProperty('fr', 'land', 'fr')] }]
    answers.service = decided({ de: true, fr: false })
    const heard: unknown[] = []
    own.flags.verbs.onFeatureFlags(() => heard.push(own.flags.verbs.getFeatureFlag('fr', { send: heard.length > 0 })))
    await own.flags.verbs.reloadFeatureFlags()
    expect(askedFor(own)).toEqual([['de'], ['de'], ['fr']])
    expect(heard).toEqual([undefined, undefined, false, false])
    // Named by the file, but not answered yet, it was not called missing.
    expect(own.events.map(({ properties }) => properties['$feature_flag_error'])).toEqual([undefined])
  })

  it('keep in mind what was told, and what was wrong with it, when they change', async () => {
    const file = later()
    const answers = { file: file.answer, service: decided({}, { errorsWhileComputingFlags: true }) }
    const own = localPage({ definitions: OPEN, definitionsUrl: '/f' }, answers)
    const heard: unknown[] = []
    own.flags.verbs.onFeatureFlags((_values, { errorsLoading }) => heard.push(errorsLoading))
    const stop = own.flags.start()
    await own.clock.advance(0)
    file.give([200, { flags: [...OPEN.flags, flag('new')] }])
    await own.clock.advance(0)
    expect(askedFor(own)).toEqual([['de']])
    expect(heard.at(-1)).toBe(true)
    answers.service = decided({ fr: true })
    answers.file = Promise.resolve([200, { flags: [...OPEN.flags, byProperty('fr', 'land', 'fr')] }])
    own.flags.verbs.resetPersonPropertiesForFlags(false)
    await own.flags.verbs.reloadFeatureFlags()
    expect(askedFor(own)).toEqual([['de'], ['de'], ['fr']])
    own.flags.verbs.getFeatureFlag('de')
    expect(own.events).toMatchObject([{ properties: { $feature_flag: 'de', $feature_flag_error: 'flag_missing' } }])
    stop()
  })

  it('ask again, when they change, for what the service could not be asked, or told another user', async () => {
    const file = later()
    const answers = { file: file.answer, service: 500 as Scripted }
    const own = localPage({ definitions: OPEN, definitionsUrl: '/f' }, answers, { featureFlagsRequestMaxRetries: 0 })
    const stop = own.flags.start()
    await own.clock.advance(0)
    answers.service = decided({ de: true })
    file.give([200, { flags: [...OPEN.flags, flag('new')] }])
    await own.clock.advance(0)
    expect(own.flags.verbs.getFeatureFlags()).toEqual({ on: true, new: true, de: true })
    expect(askedFor(own)).toEqual([['de'], ['de']])
    const user = own.identity
    own.identity = { distinct_id: 'w', groups: {} }
    own.flags.reset()
    own.identity = user
    own.flags.identityChanged()
    await own.clock.advance(0)
    expect(own.flags.verbs.getFeatureFlag('de')).toBe(true)
    expect(askedFor(own)).toHaveLength(3)
    stop()
  })

  it('that fail to come after the service has answered are told of once, and tried again when seen again', async () => {
    const file = later()
    const answers: { file: Scripted | Promise<Scripted> } = { file: file.answer }
    const own = localPage({ definitions: EASY, definitionsUrl: '/f' }, answers)
    const heard: unknown[] = []
    const stop = own.flags.start()
    await own.clock.advance(0)
    own.flags.verbs.onFeatureFlags((_values, { errorsLoading }) => heard.push(errorsLoading))
    file.give(500)
    await own.clock.advance(0)
    expect(heard).toEqual([false, true])
    const second = later()
    answers.file = second.answer
    own.flags.wake()
    await own.clock.advance(0)
    expect(reads(own)).toBe(2)
    second.give([200, EASY])
    await own.clock.advance(0)
    expect(heard.at(-1)).toBe(false)
    stop()
  })

  it('let the service be asked again each interval for what they leave open', async () => {
    const own = localPage({ definitions: OPEN }, { service: decided({ de: true }) }, { flagsIntervalMs: 10_000 })
    const stop = own.flags.start()
    await own.clock.advance(20_000)
    expect(askedFor(own)).toEqual([['de'], ['de'], ['de']])
    stop()
  })

  it('read it again each interval, when seen again after one, and when told so, but not for another user', async () => {
    const answers = { file: [200, EASY] as Scripted, service: decided({}) }
    const own = localPage({ definitionsUrl: '/f' }, answers, { flagsIntervalMs: 10_000 })
    const stop = own.flags.start()
    await own.clock.advance(0)
    own.identity = { distinct_id: 'v', $anon_distinct_id: 'u', groups: {} }
    own.flags.identityChanged()
    own.flags.verbs.setPersonPropertiesForFlags({ plan: 'pro' })
    await own.clock.advance(0)
    own.flags.verbs.setPersonPropertiesForFlags({ plan: 'pro' })
    await own.clock.advance(0)
    expect(reads(own)).toBe(1)
    await own.clock.advance(10_000)
    expect(reads(own)).toBe(2)
    answers.file = [200, { flags: [flag('new')] }]
    own.flags.verbs.setPersonPropertiesForFlags({ plan: 'free' }, false)
    await own.flags.verbs.reloadFeatureFlags()
    expect(own.flags.verbs.getFeatureFlags()).toEqual({ new: true })
    expect(askedFor(own)).toEqual([])
    stop()
    own.flags.wake()
    await own.clock.advance(60_000)
    expect(reads(own)).toBe(3)
  })

  it('are never older than an interval, however often properties change', async () => {
    const answers = { file: [200, EASY] as Scripted, service: decided({}) }
    const own = localPage({ definitionsUrl: '/f' }, answers, { flagsIntervalMs: 300_000 })
    const stop = own.flags.start()
    await own.clock.advance(0)
    // Each load of flags puts off the timer.
    for (let i = 1; i <= 10; i++) {
      await own.clock.advance(240_000)
      own.flags.verbs.setPersonPropertiesForFlags({ seen: i })
      await own.clock.advance(0)
    }
    expect(reads(own)).toBe(6)
    for (let i = 1; i <= 10; i++) {
      own.flags.verbs.setPersonPropertiesForFlags({ left: i }, false)
      await own.clock.advance(300_000)
    }
    expect(reads(own)).toBe(16)
    stop()
  })

  it('are those of the service where there is no file; it is tried again when seen again, not for another user', async () => {
    const answers: { file: Scripted; service: Scripted } = { file: 404, service: decided({ on: 'told' }) }
    const own = localPage({ definitionsUrl: '/f' }, answers)
    const heard: unknown[] = []
    own.flags.verbs.onFeatureFlags((_values, state) => heard.push(state))
    await own.flags.verbs.reloadFeatureFlags()
    expect(own.flags.verbs.getFeatureFlags()).toEqual({ on: 'told' })
    expect(heard.at(-1)).toEqual({ errorsLoading: true, isStale: false })
    expect(askedFor(own)).toEqual([undefined])
    own.flags.verbs.getFeatureFlag('on')
    expect(own.events).toMatchObject([{ properties: { $feature_flag_error: 'definitions_not_loaded' } }])
    answers.file = [200, EASY]
    own.identity = { distinct_id: 'v', $anon_distinct_id: 'u', groups: {} }
    own.flags.identityChanged()
    await own.clock.advance(0)
    expect(reads(own)).toBe(1)
    own.flags.wake()
    await own.clock.advance(0)
    expect(own.flags.verbs.getFeatureFlags()).toEqual({ on: true, off: false })
    expect(heard.at(-1)).toEqual({ errorsLoading: false, isStale: false })
    expect(own.warnings).toHaveLength(1)
    own.flags.wake()
    await own.clock.advance(0)
    expect(reads(own)).toBe(2)
  })

  it('are tried again at the next interval after a failure', async () => {
    const answers: { file: Scripted } = { file: 500 }
    const own = localPage({ definitions: EASY, definitionsUrl: '/f' }, answers, { flagsIntervalMs: 10_000 })
    const stop = own.flags.start()
    await own.clock.advance(9_999)
    expect(reads(own)).toBe(1)
    answers.file = [200, { flags: [flag('new')] }]
    await own.clock.advance(1)
    expect(own.flags.verbs.getFeatureFlags()).toEqual({ new: true })
    stop()
  })

  it('begin with those of the page, and call no flag missing that only the file may name', async () => {
    const file = later()
    const own = localPage({ definitions: EASY, definitionsUrl: '/f' }, { file: file.answer })
    expect(own.flags.verbs.getFeatureFlags()).toEqual({ on: true, off: false })
    const stop = own.flags.start()
    await own.clock.advance(0)
    own.flags.verbs.getFeatureFlag('newer')
    expect(own.events).toEqual([])
    file.give([200, { flags: [flag('newer')] }])
    await own.clock.advance(0)
    expect(own.flags.verbs.getFeatureFlags()).toEqual({ newer: true })
    stop()
  })

  it('reach listeners and events whoever is the user by then', async () => {
    const file = later()
    const answers = { file: file.answer, service: later().answer }
    const own = localPage({ definitions: EASY, definitionsUrl: '/f' }, answers)
    const stop = own.flags.start()
    await own.clock.advance(0)
    const heard: unknown[] = []
    own.flags.verbs.onFeatureFlags((values) => heard.push(values))
    own.identity = { distinct_id: 'v', $anon_distinct_id: 'u', groups: {} }
    own.flags.identityChanged()
    expect(own.flags.eventProperties()).toMatchObject({ '$feature/on': true })
    file.give([200, { flags: [flag('on', { groups: [] }), byProperty('de', 'land', 'de')] }])
    await own.clock.advance(0)
    expect(heard.at(-1)).toEqual({ on: false })
    expect(own.flags.eventProperties()).toEqual({ '$feature/on': false, $active_feature_flags: [] })
    stop()
  })

  it('reach events also when they came while opted out, and nobody after the end', async () => {
    const files = [later(), later()]
    const answers = { file: files[0]!.answer }
    const own = localPage({ definitions: EASY, definitionsUrl: '/f' }, answers)
    const stop = own.flags.start()
    await own.clock.advance(0)
    const heard: unknown[] = []
    own.flags.eventProperties()
    own.optedOut = true
    files[0]!.give([200, { flags: [flag('new')] }])
    await own.clock.advance(0)
    own.optedOut = false
    expect(own.flags.eventProperties()).toEqual({ '$feature/new': true, $active_feature_flags: ['new'] })
    answers.file = files[1]!.answer
    void own.flags.verbs.reloadFeatureFlags()
    await own.clock.advance(0)
    own.flags.verbs.onFeatureFlags((values) => heard.push(values))
    stop()
    files[1]!.give([200, EASY])
    await own.clock.advance(0)
    expect(heard).toEqual([{ new: true }])
    expect(askedFor(own)).toEqual([])
  })

  it('tell reloadFeatureFlags to wait for the file and for what is asked because of it', async () => {
    const file = later()
    const own = localPage(
      { definitions: EASY, definitionsUrl: '/f' },
      { file: file.answer, service: decided({ de: 1 }) },
    )
    let isDone = false
    const done = own.flags.verbs.reloadFeatureFlags().then(() => (isDone = true))
    await own.clock.advance(0)
    expect(isDone).toBe(false)
    file.give([200, OPEN])
    await done
    expect(own.flags.verbs.getFeatureFlags()).toEqual({ on: true, de: true })
  })
})
