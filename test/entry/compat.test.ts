import 'fake-indexeddb/auto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { CaptureResult, PostHog, PostHogConfig } from '../../src/entry/compat.ts'
import { createFlagStore } from '../../src/react/flag-store.ts'
import { stubPageNetwork } from '../support/page-network.ts'
import type { PageNetwork } from '../support/page-network.ts'
import { until } from '../support/until.ts'
import { visit } from '../support/visit.ts'

let network: PageNetwork
let pages: PostHog[]
let warnings: string[]
let keyCount = 0
let key: string
let posthog: PostHog

const CONFIG: PostHogConfig = {
  api_host: 'https://waymark.test',
  disable_compression: true,
  autocapture: false,
  // An automated browser is a bot.
  opt_out_useragent_filter: true,
}
/** Opens a page: another copy of the code. The agents of earlier pages end first. */
const openPage = async (): Promise<PostHog> => {
  await Promise.all(pages.map((page) => page.shutdown(1_000)))
  vi.resetModules()
  posthog = (await import('../../src/entry/compat.ts')).default
  pages.push(posthog)
  return posthog
}
const init = (config?: PostHogConfig): PostHog => posthog.init(key, { ...CONFIG, ...config })

/** Waits until this many events have arrived, and returns all. */
const waitForEvents = (count: number) => until(network.events, (events) => events.length >= count)
const waitForNames = async (count: number) => (await waitForEvents(count)).map(({ event }) => event)

/** A page view follows a microtask after the start. */
const waitForStart = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve))

/** Stores a visitor as posthog-js does. */
const storeVisitor = (stored: object): void => localStorage.setItem(`ph_${key}_posthog`, JSON.stringify(stored))

const VISITOR = { distinct_id: 'anon-1', $device_id: 'device-1', $user_state: 'anonymous', $sesid: [1, 's', 1] }

beforeEach(async () => {
  visit('https://shop.example.com/home')
  document.title = 'Shop'
  localStorage.clear()
  sessionStorage.clear()
  pages = []
  warnings = []
  key = `compat ${++keyCount}`
  network = stubPageNetwork()
  vi.spyOn(console, 'warn').mockImplementation((...message) => void warnings.push(message.join(' ')))
  await openPage()
})
afterEach(async () => {
  await Promise.all(pages.map((page) => page.shutdown(1_000)))
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

describe('posthog', () => {
  it('is the default and a named export', async () => {
    expect((await import('../../src/entry/compat.ts')).posthog).toBe(posthog)
  })

  it('captures events, with the page view after what the page does at once', async () => {
    expect(init()).toBe(posthog)
    posthog.register({ app: 'shop' })
    posthog.register_once({ app: 'other', first: 1 })
    posthog.capture('looked', { item: 'tea' }, { send_instantly: true })
    const events = await waitForEvents(2)
    expect(events.map(({ event, properties }) => [event, properties['app'], properties['first']])).toEqual([
      ['looked', 'shop', 1],
      ['$pageview', 'shop', 1],
    ])
    expect(events[1]!.properties).toMatchObject({ title: 'Shop', $pathname: '/home' })
    expect(posthog.get_property('app')).toBe('shop')
    expect(warnings).toEqual([])
  })

  it.each([
    [{}, ['/home']],
    [{ capture_pageview: true }, ['/home']],
    [{ defaults: '2025-05-24' }, ['/home', '/cart']],
    [{ capture_pageview: 'history_change' }, ['/home', '/cart']],
    [{ capture_pageview: false, defaults: '2025-05-24' }, []],
  ] as const)('captures page views as %j says', async (config, paths) => {
    init(config)
    posthog.capture('started')
    await waitForStart()
    history.pushState({}, '', '/cart')
    posthog.capture('last', {}, { send_instantly: true })
    const events = await until(network.events, (all) => all.some(({ event }) => event === 'last'))
    const views = events.filter(({ event }) => event === '$pageview')
    expect(views.map(({ properties }) => properties['$pathname'])).toEqual(paths)
  })

  it('gives a page view that the page captures itself the title', async () => {
    init({ capture_pageview: false })
    posthog.capture('$pageview', { own: 1 }, { send_instantly: true })
    const [view] = await waitForEvents(1)
    expect(view!.properties).toMatchObject({ title: 'Shop', own: 1 })
  })

  it.each([
    [{}, ['"$pageleave"']],
    [{ capture_pageview: false }, []],
  ] as const)('captures a page leave as %j says, with the last events of the page', async (config, expected) => {
    const beacons: unknown[] = []
    vi.spyOn(navigator, 'sendBeacon').mockImplementation((_, body) => beacons.push(body) > 0)
    init(config).capture('started')
    await waitForStart()
    window.dispatchEvent(new Event('pagehide'))
    const sent = await Promise.all(beacons.map((body) => (body as Blob).text()))
    expect(sent.join().match(/"\$pageleave"/g) ?? []).toEqual(expected)
  })

  it('identifies users, and sets properties of persons and groups', async () => {
    init({ capture_pageview: false })
    const anonymous = posthog.get_distinct_id()
    posthog.identify(7 as never, { plan: 'pro' }, { first: 1 })
    posthog.people.set('city', 'Berlin')
    posthog.people.set_once({ source: 'ad' })
    posthog.group('company', 5 as never, { seats: 3 })
    posthog.capture('bought', null, { $set: { bought: true }, $unset: ['trial'], send_instantly: true })
    const events = await waitForEvents(5)
    expect(events.map(({ event, distinct_id, properties }) => [event, distinct_id, properties['$set']])).toEqual([
      ['$identify', '7', { plan: 'pro' }],
      ['$set', '7', { city: 'Berlin' }],
      ['$set', '7', undefined],
      ['$groupidentify', '7', undefined],
      ['bought', '7', { bought: true }],
    ])
    expect(events[0]!.properties).toMatchObject({ $anon_distinct_id: anonymous, $set_once: { first: 1 } })
    expect(events[2]!.properties).toMatchObject({ $set_once: { source: 'ad' } })
    expect(events[4]!.properties).toMatchObject({ $groups: { company: '5' }, $unset: ['trial'] })
    expect(posthog.getGroups()).toEqual({ company: '5' })
    expect([posthog.get_property('distinct_id'), posthog.get_property('$groups')]).toEqual(['7', { company: '5' }])
    posthog.resetGroups()
    expect(posthog.getGroups()).toEqual({})
  })

  it('resets the user, with a bootstrap for the next one', () => {
    init({ capture_pageview: false })
    posthog.register({ app: 'shop' })
    const device = posthog.get_property('$device_id')
    const anonymous = [posthog.getAnonymousId(), posthog._isIdentified()]
    expect(anonymous).toEqual([posthog.get_distinct_id(), false])
    posthog.identify('ada')
    expect([posthog.getAnonymousId(), posthog._isIdentified()]).toEqual([anonymous[0], true])
    posthog.reset()
    expect([posthog.get_distinct_id() === 'ada', posthog._isIdentified()]).toEqual([false, false])
    expect([posthog.get_property('app'), posthog.get_property('$device_id')]).toEqual([undefined, device])
    posthog.reset(true)
    expect(posthog.get_property('$device_id')).not.toBe(device)
    posthog.reset({ bootstrap: { distinctID: 'bob', isIdentifiedID: true } })
    expect(posthog.get_distinct_id()).toBe('bob')
  })

  it('reads flags in the forms of posthog-js', async () => {
    init({ capture_pageview: false, bootstrap: { featureFlags: { beta: true, button: 'blue', off: false } } })
    const calls: unknown[] = []
    const unsubscribe = posthog.onFeatureFlags((...args) => calls.push(args))
    expect(calls).toEqual([
      [['beta', 'button'], { beta: true, button: 'blue' }, { errorsLoading: false, isStale: true }],
    ])
    unsubscribe()
    expect(posthog.getFeatureFlag('button', { send_event: false })).toBe('blue')
    expect(posthog.isFeatureEnabled('unknown', { send_event: false, defaultValue: true })).toBe(true)
    expect(posthog.getFeatureFlagResult('button', { send_event: false })).toMatchObject({
      key: 'button',
      enabled: true,
      variant: 'blue',
    })
    posthog.getFeatureFlag('beta')
    posthog.capture('last', {}, { send_instantly: true })
    expect(await waitForNames(2)).toEqual(['$feature_flag_called', 'last'])
  })

  it('gives flags to the hooks of React, which read them without a report', async () => {
    init({ capture_pageview: false, bootstrap: { featureFlags: { beta: true } } })
    const { current, subscribe } = createFlagStore(posthog, { featureFlags: { hero: 'calm' } })
    const calls: unknown[] = []
    const unsubscribe = subscribe(() => calls.push(current.getValue('beta')))
    // The service has not responded yet, so what the page is rendered with counts.
    expect([calls, current.getValue('hero')]).toEqual([[true], 'calm'])
    expect(current.getResult('beta')).toMatchObject({ key: 'beta', enabled: true })
    unsubscribe()
    posthog.isFeatureEnabled('beta', { send: false })
    posthog.capture('last', {}, { send_instantly: true })
    expect(await waitForNames(1)).toEqual(['last'])
  })

  it('neither requests nor reports flags that are switched off', async () => {
    init({ capture_pageview: false, advanced_disable_feature_flags: true })
    expect([posthog.getFeatureFlag('beta'), posthog.isFeatureEnabled('beta')]).toEqual([undefined, undefined])
    posthog.onFeatureFlags(() => undefined)()
    posthog.identify('ada')
    posthog.capture('last', {}, { send_instantly: true })
    expect(await waitForNames(2)).toEqual(['$identify', 'last'])
    expect(network.urls.filter((url) => !url.includes('/batch/'))).toEqual([])
    expect(warnings).toEqual([])
  })

  it('tells listeners of captured events', () => {
    init({ capture_pageview: false })
    const seen: CaptureResult[] = []
    const unsubscribe = posthog.on('eventCaptured', (event) => seen.push(event))
    posthog.capture('bought', { item: 'tea' })
    unsubscribe()
    posthog.capture('later')
    expect(seen).toMatchObject([{ event: 'bought', properties: { item: 'tea' }, timestamp: expect.any(Date) }])
  })

  it('runs before_send and denies properties', async () => {
    init({
      capture_pageview: false,
      property_denylist: ['secret'],
      before_send: (event) => (event.event === 'dropped' ? null : { ...event, event: `shop ${event.event}` }),
    })
    posthog.capture('dropped')
    posthog.capture('bought', { secret: 1, item: 'tea' }, { send_instantly: true })
    const [bought] = await waitForEvents(1)
    expect(bought).toMatchObject({ event: 'shop bought', properties: { item: 'tea' } })
    expect(bought!.properties).not.toHaveProperty('secret')
  })

  it('calls loaded with itself before init returns', () => {
    const loaded: unknown[] = []
    init({ capture_pageview: false, loaded: (instance) => loaded.push(instance, instance.get_distinct_id()) })
    expect(loaded).toEqual([posthog, posthog.get_distinct_id()])
  })

  it('starts another agent for a second project by its name', async () => {
    init({ capture_pageview: false })
    const second = posthog.init(`${key} second`, { ...CONFIG, capture_pageview: false }, 'shop2')
    pages.push(second)
    expect((posthog as unknown as Record<string, unknown>)['shop2']).toBe(second)
    second.identify('ada')
    expect([second.get_distinct_id(), posthog.get_distinct_id() === 'ada']).toEqual(['ada', false])
  })
})

describe('the members of the object', () => {
  const members = (): Record<string, unknown> => posthog as unknown as Record<string, unknown>

  it('stay the same, and are found by their names', () => {
    for (const name of ['capture', 'register', 'onFeatureFlags', 'startSessionRecording', 'people', 'init']) {
      expect([name, members()[name] === members()[name], name in posthog]).toEqual([name, true, true])
    }
    expect(['then' in posthog, '$$typeof' in posthog, Symbol.iterator in posthog]).toEqual([false, false, false])
    expect(warnings).toEqual([])
  })

  it('are missing for parts of posthog-js, which pages test for before they use them', () => {
    const parts = 'featureFlags persistence sessionManager sessionPersistence sessionRecording surveys'.split(' ')
    expect(parts.filter((name) => name in posthog || members()[name] !== undefined)).toEqual([])
    expect(posthog.sessionRecordingStarted).toBeTypeOf('function')
    expect('asymmetricMatch' in posthog).toBe(false)
    expect(warnings).toEqual([])
  })

  it('can be replaced, as tests of pages do', () => {
    init({ capture_pageview: false })
    const calls: unknown[] = []
    vi.spyOn(posthog, 'capture').mockImplementation((event) => void calls.push(event))
    vi.spyOn(posthog, 'register').mockImplementation((properties) => void calls.push(properties))
    posthog.capture('bought')
    posthog.register({ app: 'shop' })
    expect(calls).toEqual(['bought', { app: 'shop' }])
    vi.restoreAllMocks()
    posthog.register({ app: 'shop' })
    expect(posthog.get_property('app')).toBe('shop')
  })

  it('answer the same groups and properties until they change, also when another tab stores them again', () => {
    init({ capture_pageview: false, cross_subdomain_cookie: false }).group('company', 'acme')
    posthog.register({ cart: ['tea'] })
    const read = () => [posthog.getGroups(), posthog.get_property('$groups'), posthog.get_property('cart')]
    const first = read()
    const name = `waymark_1_${key}_state`
    const state = JSON.parse(localStorage.getItem(name)!) as { revision: number }
    localStorage.setItem(name, JSON.stringify({ ...state, revision: state.revision + 1 }))
    posthog.register({ app: 'shop' })
    const again = read()
    for (const index of first.keys()) expect(again[index]).toBe(first[index])
    posthog.group('company', 'other')
    posthog.register({ cart: [] })
    expect(read()).toEqual([{ company: 'other' }, { company: 'other' }, []])
  })
})

/** The agent of another entry keeps its options. Its warning comes with a chunk. */
const expectSecondInit = async (): Promise<void> => {
  expect(
    await until(
      () => warnings,
      ({ length }) => length > 0,
    ),
  ).toEqual([expect.stringContaining('called again')])
}

/** Another copy of the code on the same page, as `require` loads one beside `import`. */
const openCopy = async (): Promise<PostHog> => {
  vi.resetModules()
  const copy = (await import('../../src/entry/compat.ts')).default
  expect(copy).not.toBe(posthog)
  return copy
}

describe('a second copy of the code on a page', () => {
  it('answers as the first one, before and after its own init', async () => {
    const copy = await openCopy()
    expect(copy.__loaded).toBe(false)
    init({ capture_pageview: false })
    copy.identify('ada')
    copy.register({ app: 'shop' })
    expect([copy.__loaded, copy.get_property('app'), posthog.get_distinct_id()]).toEqual([true, 'shop', 'ada'])
    const loaded: unknown[] = []
    expect(copy.init(key, { ...CONFIG, loaded: (instance) => loaded.push(instance) })).toBe(posthog)
    expect(loaded).toEqual([posthog])
    copy.people.set('city', 'Berlin')
    copy.capture('last', {}, { send_instantly: true })
    expect(await waitForNames(3)).toEqual(['$identify', '$set', 'last'])
    expect(warnings).toEqual([])
  })

  it('answers as the first one over an agent that another entry has started', async () => {
    const { init: initAgent } = await import('../../src/entry/index.ts')
    initAgent(key, { host: 'https://waymark.test', capturePageview: false })
    init({ capture_pageview: false })
    const copy = await openCopy()
    copy.identify('ada')
    expect([copy.__loaded, posthog.get_distinct_id()]).toEqual([true, 'ada'])
    await expectSecondInit()
  })

  it('has an agent of its own for another project', async () => {
    init({ capture_pageview: false })
    const copy = await openCopy()
    expect(copy.init(`${key} other`, { ...CONFIG, capture_pageview: false })).toBe(copy)
    pages.push(copy)
    copy.identify('ada')
    expect([copy.get_distinct_id(), posthog.get_distinct_id() === 'ada']).toEqual(['ada', false])
  })

  it('does not answer as a further project of the first one', async () => {
    pages.push(posthog.init(`${key} second`, { ...CONFIG, capture_pageview: false }, 'shop2'))
    const copy = await openCopy()
    expect([posthog.__loaded, copy.__loaded]).toEqual([false, false])
    expect(copy.get_distinct_id()).toBeUndefined()
  })
})

describe('on a server', () => {
  beforeEach(async () => {
    // Node 20 has no navigator. Later versions have one, and Node 25 has a localStorage.
    for (const name of ['document', 'navigator', 'location', 'window']) vi.stubGlobal(name, undefined)
    await openPage()
    pages = [posthog]
    warnings = []
  })

  it('does nothing, and says nothing', async () => {
    const loaded: unknown[] = []
    const broken = (): never => {
      throw new Error('no window')
    }
    init({ autocapture: true, opt_out_useragent_filter: false, loaded: (instance) => loaded.push(instance) })
    posthog.init(`${key} second`, { ...CONFIG, loaded: broken }, 'shop2').capture('unseen')
    posthog.capture('unseen', {}, { send_instantly: true })
    posthog.identify('ada')
    posthog.register({ app: 'shop' })
    posthog.group('company', 'acme')
    posthog.people.set('plan', 'pro')
    posthog.onFeatureFlags(() => undefined)()
    posthog.on('eventCaptured', () => undefined)()
    posthog.opt_in_capturing()
    posthog.opt_out_capturing()
    ;(posthog as unknown as Record<string, () => void>)['startSessionRecording']!()
    posthog.init(key)
    expect([posthog.getFeatureFlag('beta'), posthog.isFeatureEnabled('beta')]).toEqual([undefined, undefined])
    expect([posthog.getGroups(), posthog.get_property('app')]).toEqual([{}, undefined])
    expect([typeof posthog.get_distinct_id(), posthog.has_opted_out_capturing()]).toEqual(['string', true])
    expect(loaded).toEqual([posthog])
    await waitForStart()
    expect(network.urls).toEqual([])
    expect([localStorage.length, sessionStorage.length]).toEqual([0, 0])
    expect(warnings).toEqual([])
  })

  it('says nothing of calls before init either', () => {
    posthog.capture('early')
    posthog.init('')
    expect([posthog.__loaded, warnings]).toEqual([false, []])
  })
})

describe('consent', () => {
  it('stops and starts capturing, and captures the missed page view', async () => {
    init({ opt_out_capturing_by_default: true })
    expect([posthog.has_opted_out_capturing(), posthog.get_explicit_consent_status()]).toEqual([true, 'pending'])
    posthog.capture('unseen')
    posthog.opt_in_capturing()
    expect([posthog.has_opted_in_capturing(), posthog.get_explicit_consent_status()]).toEqual([true, 'granted'])
    posthog.opt_in_capturing({ captureEventName: null })
    posthog.capture('seen', {}, { send_instantly: true })
    expect(await waitForNames(3)).toEqual(['$opt_in', '$pageview', 'seen'])
    posthog.opt_out_capturing()
    expect([posthog.is_capturing(), posthog.get_explicit_consent_status()]).toEqual([false, 'denied'])
  })

  it.each([
    [{}, true],
    [{ opt_out_persistence_by_default: true }, false],
    [{ cookieless_mode: 'on_reject' }, false],
  ] as const)('with %j, it is %s that an opt-out keeps the ids', (config, isKept) => {
    init({ capture_pageview: false, ...config }).opt_in_capturing({ captureEventName: null })
    const ids = new Set<unknown>([posthog.get_distinct_id(), posthog.get_property('$device_id')])
    posthog.opt_out_capturing()
    expect([posthog.get_distinct_id(), posthog.get_property('$device_id')].map((id) => ids.has(id))).toEqual([
      isKept,
      isKept,
    ])
  })

  it('is also repeated in the cookie that posthog-js may prefer, where there is one', () => {
    const name = `__ph_opt_in_out_${encodeURIComponent(key)}`
    init({ capture_pageview: false }).opt_out_capturing()
    expect(document.cookie).not.toContain(name)
    document.cookie = `${name}=1; path=/`
    posthog.opt_out_capturing()
    expect(document.cookie).toContain(`${name}=0`)
  })

  it('works when another entry has started the agent, which captures no page leave', async () => {
    const beacons: unknown[] = []
    vi.spyOn(navigator, 'sendBeacon').mockImplementation((_, body) => beacons.push(body) > 0)
    const { init: initAgent } = await import('../../src/entry/index.ts')
    initAgent(key, {
      host: 'https://waymark.test',
      capturePageview: false,
      defaultOptIn: false,
      disableCompression: true,
    })
    init({ opt_out_capturing_by_default: true })
    await waitForStart()
    expect(posthog.get_explicit_consent_status()).toBe('denied')
    posthog.opt_in_capturing()
    expect(posthog.get_explicit_consent_status()).toBe('pending')
    await expectSecondInit()
    window.dispatchEvent(new Event('pagehide'))
    const sent = await Promise.all(beacons.map((body) => (body as Blob).text()))
    expect(sent.join()).toContain('"$opt_in"')
    expect(sent.join()).not.toContain('"$pageleave"')
  })

  it('survives without storage of its own, where posthog-js keeps it', async () => {
    init({ persistence: 'memory', capture_pageview: false }).opt_out_capturing()
    expect(localStorage.getItem(`__ph_opt_in_out_${key}`)).toBe('0')
    await openPage()
    expect(init({ persistence: 'memory', capture_pageview: false }).has_opted_out_capturing()).toBe(true)
  })
})

describe('a visitor of posthog-js', () => {
  it('stays the same, with properties and groups', async () => {
    storeVisitor({ ...VISITOR, app: 'shop', $groups: { company: 'acme' } })
    const stored = localStorage.getItem(`ph_${key}_posthog`)
    init({ capture_pageview: false })
    posthog.capture('moved', {}, { send_instantly: true })
    const [moved] = await waitForEvents(1)
    expect(moved).toMatchObject({
      distinct_id: 'anon-1',
      properties: { $device_id: 'device-1', app: 'shop', $groups: { company: 'acme' }, $is_identified: false },
    })
    expect(localStorage.getItem(`ph_${key}_posthog`)).toBe(stored)
  })

  it('is read from the cookie when localStorage has none', () => {
    document.cookie = `ph_${encodeURIComponent(key)}_posthog=${encodeURIComponent(JSON.stringify(VISITOR))}; path=/`
    expect(init({ capture_pageview: false }).get_distinct_id()).toBe('anon-1')
  })

  it('is found under another name, after the project key has changed', () => {
    localStorage.setItem('ph_phc_old_posthog', JSON.stringify(VISITOR))
    localStorage.setItem('__ph_opt_in_out_phc_old', '0')
    init({ persistence_name: 'phc_old_posthog', consent_persistence_name: '__ph_opt_in_out_phc_old' })
    expect([posthog.get_distinct_id(), posthog.has_opted_out_capturing()]).toEqual(['anon-1', true])
  })

  it('stays opted out, also when nothing else is stored', async () => {
    localStorage.setItem(`__ph_opt_in_out_${key}`, '0')
    init()
    expect(posthog.get_explicit_consent_status()).toBe('denied')
    posthog.capture('unseen')
    await openPage()
    localStorage.removeItem(`__ph_opt_in_out_${key}`)
    expect(init().get_explicit_consent_status()).toBe('denied')
    expect(network.events()).toEqual([])
  })

  it('stays opted out on a host of a site that knows the visitor from another host', async () => {
    init({ capture_pageview: false }).identify('ada')
    await openPage()
    // The state is in the cookie of the site, and the decision in localStorage of this host.
    localStorage.clear()
    localStorage.setItem(`__ph_opt_in_out_${key}`, '0')
    init({ capture_pageview: false })
    expect([posthog.get_explicit_consent_status(), posthog.get_distinct_id()]).toEqual(['denied', 'ada'])
  })

  it('stays opted out after a decision on a page that still uses posthog-js', async () => {
    init({ capture_pageview: false }).opt_in_capturing()
    await openPage()
    localStorage.setItem(`__ph_opt_in_out_${key}`, '0')
    expect(init({ capture_pageview: false }).get_explicit_consent_status()).toBe('denied')
    await openPage()
    // An older opt-in of another host does not end it.
    localStorage.setItem(`__ph_opt_in_out_${key}`, '1')
    expect(init({ capture_pageview: false }).get_explicit_consent_status()).toBe('denied')
  })

  it('stays opted in where the default is opted out', () => {
    localStorage.setItem(`__ph_opt_in_out_${key}`, '1')
    storeVisitor(VISITOR)
    init({ opt_out_capturing_by_default: true, capture_pageview: false })
    expect([posthog.has_opted_in_capturing(), posthog.get_distinct_id()]).toEqual([true, 'anon-1'])
  })

  it('is not read again once the agent knows the visitor', async () => {
    storeVisitor(VISITOR)
    init({ capture_pageview: false }).identify('ada')
    storeVisitor({ ...VISITOR, distinct_id: 'other' })
    await openPage()
    expect(init({ capture_pageview: false }).get_distinct_id()).toBe('ada')
  })

  it('is identified by a bootstrap, like a visitor of our own', async () => {
    storeVisitor(VISITOR)
    init({ capture_pageview: false, bootstrap: { distinctID: 'ada', isIdentifiedID: true } })
    posthog.capture('last', {}, { send_instantly: true })
    const [identify] = await waitForEvents(2)
    expect(identify).toMatchObject({
      event: '$identify',
      distinct_id: 'ada',
      properties: { $anon_distinct_id: 'anon-1' },
    })
  })

  it.each([
    ['what is stored is not JSON', {}, '{"distinct_id":'],
    ['nothing is stored beyond the page', { persistence: 'memory' }, JSON.stringify(VISITOR)],
  ] as const)('is a new one when %s', (_, config, stored) => {
    localStorage.setItem(`ph_${key}_posthog`, stored)
    const id = init({ capture_pageview: false, ...config }).get_distinct_id()
    expect(id).toMatch(/^[\da-f-]{36}$/)
  })

  it('is left alone while the agent does nothing', () => {
    vi.stubGlobal('navigator', { doNotTrack: '1' })
    storeVisitor(VISITOR)
    init({ respect_dnt: true })
    posthog.capture('unseen')
    expect([posthog.get_property('app'), posthog.getGroups(), posthog.has_opted_out_capturing()]).toEqual([
      undefined,
      {},
      true,
    ])
    expect([posthog.get_explicit_consent_status(), posthog._isIdentified()]).toEqual(['denied', false])
    expect(Object.keys(localStorage)).toEqual([`ph_${key}_posthog`])
    expect([network.urls, warnings]).toEqual([[], []])
  })
})

describe('warnings', () => {
  it('tell once of each call before init', () => {
    posthog.capture('early')
    posthog.capture('early')
    posthog.onFeatureFlags(() => undefined)()
    posthog.on('eventCaptured', () => undefined)()
    expect(posthog.get_distinct_id()).toBeUndefined()
    expect(warnings).toEqual([
      '[waymark] capture() refused: call init() first',
      '[waymark] onFeatureFlags() refused: call init() first',
      '[waymark] get_distinct_id() refused: call init() first',
    ])
  })

  it('tell once of what the agent lacks', () => {
    init({ capture_pageview: false, capture_heatmaps: true, autocapture: true })
    const lacking = posthog as unknown as Record<string, (callback?: unknown) => unknown>
    const answers: unknown[] = []
    lacking['startSessionRecording']!()
    lacking['startSessionRecording']!()
    lacking['getSurveys']!((surveys: unknown) => answers.push(surveys))
    ;(lacking['onSessionId']!() as () => void)()
    expect(answers).toEqual([[]])
    expect(warnings).toEqual([
      '[waymark] options without effect: autocapture, capture_heatmaps',
      '[waymark] startSessionRecording() has no effect',
      '[waymark] getSurveys() has no effect',
      '[waymark] onSessionId() has no effect',
    ])
  })

  it('come with calls only, not when an engine looks the object up', () => {
    const object = posthog as unknown as Record<string | symbol, unknown>
    expect([object['then'], object['toJSON'], object['_i'], object['$$typeof'], object[Symbol.iterator]]).toEqual(
      Array.from({ length: 5 }),
    )
    expect(object['anything']).toBeTypeOf('function')
    expect(warnings).toEqual([])
  })

  it('do not come with an empty list for callbacks that do not wait for one', () => {
    init({ capture_pageview: false })
    const called: unknown[] = []
    const lacking = posthog as unknown as Record<string, (callback: unknown) => unknown>
    lacking['onSessionId']!(() => called.push('session'))
    lacking['onSurveysLoaded']!(() => called.push('surveys'))
    expect(called).toEqual(['surveys'])
  })

  it('tell of an init without a key, which a later one makes up for', () => {
    posthog.init(undefined as never)
    expect([posthog.__loaded, init({ capture_pageview: false }).__loaded]).toEqual([false, true])
    expect(warnings).toEqual(['[waymark] init() refused: called before, or no key'])
  })

  it('tell of a second init, and of a broken loaded', () => {
    init({
      capture_pageview: false,
      loaded: () => {
        throw new Error('broken')
      },
    })
    expect(posthog.init('other')).toBe(posthog)
    expect(warnings).toEqual([
      '[waymark] loaded failed: Error: broken',
      '[waymark] init() refused: called before, or no key',
    ])
  })
})

describe('an automated browser', () => {
  it('is not captured by default, and debug mode and getStatus() say so', async () => {
    const lines: string[] = []
    vi.spyOn(console, 'log').mockImplementation((...line) => void lines.push(line.join(' ')))
    init({ opt_out_useragent_filter: false })
    posthog.capture('unseen', {}, { send_instantly: true })
    expect(posthog.getStatus()).toMatchObject({ stopReason: 'bot', waitingEvents: 0 })
    await waitForStart()
    expect([lines, network.urls]).toEqual([[], []])
    posthog.debug()
    expect(
      await until(
        () => lines,
        ({ length }) => length > 0,
      ),
    ).toEqual([expect.stringMatching(/automated browser.*opt_out_useragent_filter/)])
  })

  it('has no reason while it captures', () => {
    init()
    expect(posthog.getStatus()).not.toHaveProperty('stopReason')
  })
})

it('runs a before_send that captures once for each event', async () => {
  const calls: string[] = []
  init({
    capture_pageview: false,
    before_send(event) {
      calls.push(event.event)
      posthog.capture('audit')
      return event
    },
  })
  posthog.capture('a', {}, { send_instantly: true })
  expect((await waitForNames(2)).sort()).toEqual(['a', 'audit'])
  expect(calls).toEqual(['a'])
})
