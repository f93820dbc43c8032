import { afterEach, describe, expect, it, vi } from 'vitest'
import { init, mask } from '../../src/entry/react-native.ts'
import type { ErrorUtils } from '../../src/entry/react-native.ts'
import { initReactNative } from '../../src/entry/init-react-native.ts'
import type { ReactNativeOptions } from '../../src/entry/react-native-options.ts'
import { getRunningAgents } from '../../src/entry/running-agents.ts'
import type { Route } from '../../src/port/navigation.ts'
import type { WireEvent } from '../../src/wire/event.ts'
import { createAppDisk } from '../support/app-disk.ts'
import { manualClock } from '../support/manual-clock.ts'
import { createPhone } from '../support/phone.ts'

const warn = vi.spyOn(console, 'warn').mockReturnValue()
afterEach(() => {
  getRunningAgents().clear()
  warn.mockClear()
})

/** Without the events of the app's lifecycle. */
const QUIET = { captureLifecycle: false, preloadFeatureFlags: false }

/** The default `flushInterval`. */
const FLUSH_INTERVAL_MS = 3_000

/** `ErrorUtils` of React Native, with the handler that the app starts with. */
const createErrorUtils = (handler: () => void) => {
  let globalHandler: NonNullable<ReturnType<ErrorUtils['getGlobalHandler']>> = handler
  return {
    getGlobalHandler: () => globalHandler,
    setGlobalHandler: (newHandler: typeof globalHandler) => void (globalHandler = newHandler),
    throwError: (error: unknown, isFatal: boolean) => globalHandler(error, isFatal),
  }
}

describe('the agent of an app', () => {
  it('delivers events with the user, the session and the app', async () => {
    const phone = createPhone()
    const { agent, clock } = phone.open({ platform: { OS: 'ios', Version: '18.1' } })
    agent.capture('opened cart', { items: 2 })
    agent.identify('user-1', { plan: 'pro' })
    agent.screen('Cart')
    await clock.advance(3_000)
    expect(phone.names()).toEqual([
      'Application Installed',
      'Application Opened',
      'opened cart',
      '$identify',
      '$screen',
    ])
    const [, , cart, identify, screen] = [...phone.stored.values()]
    expect(cart!.properties).toMatchObject({
      items: 2,
      $lib: 'waymark-react-native',
      $os: 'iOS',
      $os_version: '18.1',
      $session_id: agent.getSessionId(),
    })
    expect(identify!.properties).toMatchObject({ $anon_distinct_id: cart!.distinct_id, $set: { plan: 'pro' } })
    expect(screen).toMatchObject({ distinct_id: 'user-1', properties: { $screen_name: 'Cart' } })
    expect(warn.mock.calls).toEqual([])
  })

  it('takes numbers as ids, also in calls before the storage was read', async () => {
    const phone = createPhone()
    const { agent, clock } = phone.open(QUIET)
    agent.identify(9_007_199_254_740_993n)
    await agent.ready()
    agent.group('company', 7)
    agent.capture('bought', {}, { distinct_id: 42 })
    await clock.advance(FLUSH_INTERVAL_MS)
    const [identify, group, bought] = [...phone.stored.values()]
    expect([identify!.distinct_id, bought!.distinct_id]).toEqual(['9007199254740993', '42'])
    expect(group!.properties).toMatchObject({ $groups: { company: '7' } })
    expect(warn.mock.calls).toEqual([])
  })

  it('sends properties to set once only when there are some', async () => {
    const phone = createPhone()
    const { agent, clock } = phone.open(QUIET)
    agent.identify('user-1', { plan: 'pro' })
    agent.capture('bought')
    agent.setPersonProperties(undefined, { first_item: 'tea' })
    await clock.advance(FLUSH_INTERVAL_MS)
    const sent = [...phone.stored.values()].map(({ properties }) => properties['$set_once'])
    expect(sent).toEqual([undefined, undefined, { first_item: 'tea' }])
  })

  it('delivers the events of a killed app at the next start, with their uuid and time', async () => {
    const phone = createPhone()
    phone.eventStatus = 503
    const first = phone.open(QUIET)
    first.agent.capture('a')
    first.agent.capture('b')
    await first.clock.advance(FLUSH_INTERVAL_MS)
    const [attempted] = phone.requests
    first.kill()
    phone.eventStatus = 200
    const second = phone.open(QUIET)
    await second.clock.advance(0)
    expect([...phone.stored.values()]).toEqual(attempted)
    expect(phone.names()).toEqual(['a', 'b'])
    expect([...phone.disk.keys()].filter((key) => key.includes('e/'))).toEqual([])
  })

  it('delivers through a proxy that damages compressed bodies', async () => {
    const statuses: number[] = []
    const names: string[] = []
    const { agent, clock } = createPhone().open({
      ...QUIET,
      async fetch(_url, init) {
        const body = init!.body as string | Uint8Array
        if (typeof body === 'string')
          names.push(...(JSON.parse(body) as { batch: WireEvent[] }).batch.map(({ event }) => event))
        const status = typeof body === 'string' ? 200 : 400
        statuses.push(status)
        return new Response('{}', { status })
      },
    })
    agent.capture('a', { text: 'x'.repeat(300) })
    await clock.advance(FLUSH_INTERVAL_MS)
    agent.capture('b', { text: 'x'.repeat(300) })
    await clock.advance(FLUSH_INTERVAL_MS)
    expect([names, statuses]).toEqual([
      ['a', 'b'],
      [400, 200, 200],
    ])
  })

  it('sends events again whose response was lost with the app, and the service stores them once', async () => {
    const phone = createPhone()
    phone.isKilledByNextRequest = true
    const first = phone.open(QUIET)
    first.agent.capture('a')
    await first.clock.advance(FLUSH_INTERVAL_MS)
    expect(first.isKilled()).toBe(true)
    await phone.open(QUIET).clock.advance(0)
    expect(phone.requests.map(([event]) => event!.event)).toEqual(['a', 'a'])
    expect(phone.names()).toEqual(['a'])
  })

  it('knows user, super properties, groups and flags at the next start, also without a network', async () => {
    const phone = createPhone()
    phone.flags = { featureFlags: { beta: 'blue' }, featureFlagPayloads: { beta: '{"size":2}' } }
    const first = phone.open()
    first.agent.identify('user-1')
    first.agent.register({ team: 'red' })
    first.agent.group('company', 'acme')
    await first.clock.advance(3_000)
    const ids = [first.agent.getAnonymousId(), first.agent.getDeviceId(), first.agent.getSessionId()]
    first.kill()
    phone.flags = undefined as unknown as Record<string, unknown>
    const { agent, clock } = phone.open()
    await agent.ready()
    expect(agent.getDistinctId()).toBe('user-1')
    expect([agent.getAnonymousId(), agent.getDeviceId(), agent.getSessionId()]).toEqual(ids)
    expect(agent.getFeatureFlag('beta')).toBe('blue')
    expect(agent.getFeatureFlagPayload('beta')).toEqual({ size: 2 })
    agent.capture('paid')
    await clock.advance(3_000)
    expect([...phone.stored.values()].at(-1)!.properties).toMatchObject({ team: 'red', $groups: { company: 'acme' } })
  })

  it('asks for flags once per start, for the stored user', async () => {
    const phone = createPhone()
    const first = phone.open()
    first.agent.identify('user-1')
    await first.clock.advance(0)
    first.kill()
    phone.flagRequests.length = 0
    await phone.open().clock.advance(0)
    expect(phone.flagRequests.map(({ distinct_id }) => distinct_id)).toEqual(['user-1'])
  })

  it('keeps an opt-out: a later start captures and sends nothing, even right after init', async () => {
    const phone = createPhone()
    const first = phone.open(QUIET)
    first.agent.optOut()
    await first.clock.advance(0)
    first.kill()
    const dropped: unknown[] = []
    const second = phone.open({ onDrop: ({ event }, reason) => dropped.push([event, reason]) })
    second.agent.capture('early')
    await second.clock.advance(60_000)
    expect(second.agent.isOptedOut()).toBe(true)
    expect([phone.requests, phone.flagRequests]).toEqual([[], []])
    expect(dropped).toContainEqual(['early', 'opted_out'])
  })

  it.each([
    ['refuses to be read', () => Promise.reject(new Error('refused'))],
    ['does not answer', () => new Promise<never>(() => undefined)],
  ])('keeps an opt-out when the storage %s, until the user opts in', async (_name, read) => {
    const phone = createPhone()
    const first = phone.open(QUIET)
    first.agent.optOut()
    await first.clock.advance(0)
    first.kill()
    const stored = new Map(phone.disk)
    const dropped: unknown[] = []
    const { storage: emptyStorage } = createAppDisk(false, false)
    const storage = { ...emptyStorage, getAllKeys: read, getItem: read, multiGet: read }
    const { agent, clock } = phone.open({ storage, onDrop: ({ event }, reason) => dropped.push([event, reason]) })
    agent.capture('early')
    await clock.advance(60_000)
    expect(agent.isOptedOut()).toBe(true)
    expect([phone.requests, phone.flagRequests]).toEqual([[], []])
    expect(dropped).toContainEqual(['early', 'opted_out'])
    agent.optIn()
    agent.capture('later')
    await clock.advance(3_000)
    expect(phone.names()).toEqual(['later'])
    expect(phone.disk).toEqual(stored)
  })

  it('reports no installation without a storage, which would report it at each start', async () => {
    const phone = createPhone()
    const { clock } = phone.open({ storage: undefined as never, preloadFeatureFlags: false })
    await clock.advance(3_000)
    expect(phone.names()).toEqual(['Application Opened'])
  })

  it('holds calls until it has read the storage, and makes them for the stored user at their own time', async () => {
    const phone = createPhone()
    const first = phone.open(QUIET)
    first.agent.identify('user-1')
    await first.clock.advance(0)
    first.kill()
    const { agent, clock } = phone.open(QUIET)
    const calledAt = new Date(clock.now()).toISOString()
    expect(agent.getDistinctId()).toBe('')
    agent.capture('early')
    clock.set(clock.now() + 500)
    await agent.ready()
    expect(agent.getDistinctId()).toBe('user-1')
    await clock.advance(3_000)
    expect([...phone.stored.values()].find(({ event }) => event === 'early')).toMatchObject({
      distinct_id: 'user-1',
      timestamp: calledAt,
    })
  })

  it('knows the user when init returns, if the storage answers at once', async () => {
    const clock = manualClock()
    const options = { ...QUIET, host: 'https://waymark.test', storage: createAppDisk(true, false).storage }
    const entry = { optionNames: Object.keys(options) }
    const first = initReactNative('key', options, entry, clock)
    const id = first.getDistinctId()
    expect(id).not.toBe('')
    await clock.advance(0)
    // As after a kill: the next start is that of a new process.
    getRunningAgents().clear()
    expect(initReactNative('key', options, entry, manualClock()).getDistinctId()).toBe(id)
  })

  it('delivers when the app goes to the background and when it comes back', async () => {
    const phone = createPhone()
    const { agent, clock, background, foreground } = phone.open(QUIET)
    await clock.advance(0)
    agent.capture('a')
    background()
    await clock.advance(0)
    expect(phone.names()).toEqual(['a'])
    phone.eventStatus = 0
    agent.capture('b')
    await clock.advance(3_000)
    phone.eventStatus = 200
    foreground()
    await clock.advance(0)
    expect(phone.names()).toEqual(['a', 'b'])
  })

  it('delivers when the app goes to the background while it compresses', async () => {
    const phone = createPhone()
    const { agent, clock, background } = phone.open(QUIET)
    await clock.advance(0)
    agent.capture('a', { text: 'x'.repeat(50_000) })
    const flushed = agent.flush()
    // The compression has begun, and waits for the end of its first pause.
    for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve))
    expect(phone.requests).toEqual([])
    background()
    await clock.advance(0)
    await flushed
    expect(phone.names()).toEqual(['a'])
  })

  it('delivers at once when it is started in the background, where timers may stop', async () => {
    const phone = createPhone()
    const { agent, clock } = phone.open(QUIET, 'background')
    agent.capture('push received')
    await clock.advance(0)
    expect(phone.names()).toEqual(['push received'])
  })

  it('waits without a network, and sends everything when it is back', async () => {
    const phone = createPhone()
    const { agent, clock, setOnline } = phone.open(QUIET)
    await clock.advance(0)
    setOnline(false)
    agent.capture('a')
    await clock.advance(29_999)
    expect(phone.requests).toEqual([])
    setOnline(true)
    await clock.advance(0)
    expect(phone.names()).toEqual(['a'])
  })

  it('retries after an outage by itself', async () => {
    const phone = createPhone()
    const { agent, clock } = phone.open(QUIET)
    phone.eventStatus = 503
    agent.capture('a')
    await clock.advance(3_000)
    phone.eventStatus = 200
    await clock.advance(10_000)
    expect(phone.names()).toEqual(['a'])
  })

  it('keeps the events of this run when the app empties its storage', async () => {
    const phone = createPhone()
    const first = phone.open(QUIET)
    await first.clock.advance(0)
    phone.eventStatus = 503
    first.agent.capture('a')
    await first.clock.advance(0)
    phone.disk.clear()
    await first.clock.advance(10_000)
    first.kill()
    phone.eventStatus = 200
    await phone.open(QUIET).clock.advance(0)
    expect(phone.names()).toEqual(['a'])
  })

  it.each([
    ['without a storage', undefined],
    ['when the storage is full', 'setItem' as const],
  ])('reports the events that shutdown loses %s', async (_name, brokenCall) => {
    const phone = createPhone()
    phone.eventStatus = 503
    const disk = createAppDisk(false, false)
    if (brokenCall) disk.broken.add(brokenCall)
    const dropped: unknown[] = []
    const { agent, clock } = phone.open({
      ...QUIET,
      storage: brokenCall && disk.storage,
      onDrop: ({ event }, reason) => dropped.push([event, reason]),
    })
    agent.capture('a')
    await clock.advance(0)
    const ended = agent.shutdown()
    await clock.advance(60_000)
    await ended
    expect(dropped).toEqual([['a', 'storage_unavailable']])
  })

  it('keeps an opt-out when the app empties its storage and goes to the background', async () => {
    const phone = createPhone()
    const first = phone.open(QUIET)
    first.agent.optOut()
    await first.clock.advance(0)
    phone.disk.clear()
    first.background()
    await first.clock.advance(0)
    first.kill()
    const { agent } = phone.open(QUIET)
    await agent.ready()
    expect(agent.isOptedOut()).toBe(true)
  })

  it('stores and sends nothing before consent', async () => {
    const phone = createPhone()
    const first = phone.open({ defaultOptIn: false })
    first.agent.capture('a')
    first.background()
    await first.clock.advance(60_000)
    expect([phone.disk.size, phone.requests, phone.flagRequests]).toEqual([0, [], []])
    first.agent.optIn()
    first.agent.capture('b')
    await first.clock.advance(3_000)
    expect(phone.names()).toEqual(['b'])
  })

  it('drops and reports the oldest events of a full queue', async () => {
    const phone = createPhone()
    phone.eventStatus = 503
    const dropped: unknown[] = []
    const { agent, clock, foreground, background } = phone.open({
      ...QUIET,
      flushAt: 5,
      maxQueueSize: 5,
      onDrop: ({ event }, reason) => dropped.push([event, reason]),
    })
    for (const name of 'abcdefg') agent.capture(name)
    await clock.advance(60_000)
    phone.eventStatus = 200
    background()
    foreground()
    await clock.advance(0)
    expect(dropped).toEqual([
      ['a', 'queue_overflow'],
      ['b', 'queue_overflow'],
    ])
    expect(phone.names()).toEqual(['c', 'd', 'e', 'f', 'g'])
  })

  it('sends plain JSON when compression is switched off', async () => {
    const phone = createPhone()
    const encodings: string[] = []
    const { agent, clock } = phone.open({
      ...QUIET,
      disableCompression: true,
      onSend: ({ encoding }) => encodings.push(encoding),
    })
    agent.capture('a')
    await clock.advance(3_000)
    expect([phone.names(), encodings]).toEqual([['a'], ['plain']])
  })

  it('sends without cookies', async () => {
    const credentials: unknown[] = []
    const phone = createPhone()
    const { agent, clock } = phone.open({
      ...QUIET,
      fetch: async (_url, init) => {
        credentials.push(init!.credentials)
        return new Response('{}')
      },
    })
    agent.capture('a')
    await clock.advance(3_000)
    expect(credentials).toEqual(['omit'])
  })

  it('starts a new session after half an hour in the background', async () => {
    const phone = createPhone()
    const { agent, clock, background, foreground } = phone.open()
    await clock.advance(0)
    background()
    await clock.advance(60_000)
    foreground()
    await clock.advance(0)
    background()
    await clock.advance(31 * 60_000)
    foreground()
    await agent.flush()
    const sessions = [...phone.stored.values()].map(({ event, properties }) => [event, properties['$session_id']])
    const [first, last] = [sessions[0]![1], sessions.at(-1)![1]]
    expect(sessions.slice(1)).toEqual([
      ['Application Opened', first],
      ['Application Backgrounded', first],
      ['Application Opened', first],
      ['Application Backgrounded', first],
      ['Application Opened', last],
    ])
    expect(last).not.toBe(first)
    expect(agent.getSessionId()).toBe(last)
  })

  it('reports a new version of the app with the earlier one', async () => {
    const phone = createPhone()
    const application = { nativeApplicationVersion: '1.0', nativeBuildVersion: '7' }
    const first = phone.open({ application })
    await first.clock.advance(3_000)
    first.kill()
    const second = phone.open({ application: { ...application, nativeBuildVersion: '8' } })
    await second.clock.advance(3_000)
    const updated = [...phone.stored.values()].find(({ event }) => event === 'Application Updated')
    expect(updated!.properties).toMatchObject({
      version: '1.0',
      build: '8',
      previous_version: '1.0',
      previous_build: '7',
      $app_version: '1.0',
      $app_build: '8',
    })
  })

  it('captures the screens of a navigator until it is stopped', async () => {
    const phone = createPhone()
    const { agent, clock } = phone.open(QUIET)
    let notify = (): void => undefined
    let name = 'Home'
    const ref = {
      isReady: () => true,
      getCurrentRoute: () => ({ name, key: name, params: { token: 'secret' } }),
      addListener: (_type: 'state', listener: () => void) => {
        notify = listener
        return () => void (notify = () => undefined)
      },
    }
    agent.trackNavigation(ref)
    name = 'Cart'
    notify()
    agent.capture('paid')
    await clock.advance(3_000)
    const stored = [...phone.stored.values()]
    expect(stored.map(({ event, properties }) => [event, properties['$screen_name']])).toEqual([
      ['$screen', 'Home'],
      ['$screen', 'Cart'],
      ['paid', 'Cart'],
    ])
    expect(JSON.stringify(stored)).not.toContain('secret')
    await agent.shutdown()
    name = 'Home'
    notify()
    expect(warn.mock.calls).toEqual([])
  })

  it('captures a screen for each new path, with the name that the app gives it, and no parameters', async () => {
    const phone = createPhone()
    const { agent, clock } = phone.open(QUIET)
    const getScreenName = ({ params }: Route): string => `/users/[id] of ${Object.keys(params!).join()}`
    agent.trackPath('/cart')
    agent.trackPath('/cart')
    agent.trackPath('/users/7', { params: { id: 'secret' }, getScreenName })
    agent.trackPath('/admin', { getScreenName: () => undefined })
    agent.trackPath('/broken', { getScreenName: () => expect.unreachable('no name') })
    agent.trackPath(undefined as unknown as string, null as never)
    await clock.advance(3_000)
    const stored = [...phone.stored.values()]
    expect(stored.map(({ event, properties }) => [event, properties['$screen_name']])).toEqual([
      ['$screen', '/cart'],
      ['$screen', '/users/[id] of id'],
    ])
    expect(JSON.stringify(stored)).not.toContain('secret')
    expect(warn.mock.calls.map(([, message]) => message)).toEqual(['trackPath failed:'])
    await agent.shutdown()
    agent.trackPath('/late')
    expect(warn.mock.calls).toHaveLength(1)
  })

  it('captures the URLs that open it, with masks, also those before the storage was read', async () => {
    const phone = createPhone()
    let openUrl = (_event: { url: string }): void => undefined
    const { agent, clock } = phone.open({
      preloadFeatureFlags: false,
      before_send: mask({ maskUrlParameters: ['token'], maskPaths: ['/users/:id'] }),
      linking: {
        getInitialURL: async () => 'shop://users/7?token=secret&tab=2',
        addEventListener(_type, listener) {
          openUrl = listener
          return { remove: () => void (openUrl = () => undefined) }
        },
      },
    })
    openUrl({ url: 'shop://early' })
    await clock.advance(0)
    openUrl({ url: 'https://shop.test/users/8' })
    await clock.advance(3_000)
    const urls = [...phone.stored.values()].map(
      ({ event, properties }) => `${event}: ${JSON.stringify(properties['url'])}`,
    )
    expect(urls.sort()).toEqual([
      'Application Installed: undefined',
      'Application Opened: "shop://users/:id?token=***&tab=2"',
      'Deep Link Opened: "https://shop.test/users/:id"',
      'Deep Link Opened: "shop://early"',
      'Deep Link Opened: "shop://users/:id?token=***&tab=2"',
    ])
    await agent.shutdown()
    openUrl({ url: 'shop://late' })
    expect(warn.mock.calls).toEqual([])
  })

  it('waits a second for the URL that has started it, and reports the start at its own time', async () => {
    const phone = createPhone()
    const linking = { getInitialURL: () => new Promise<never>(() => undefined), addEventListener: () => undefined }
    const { clock } = phone.open({ preloadFeatureFlags: false, linking })
    const startedAt = new Date(clock.now()).toISOString()
    await clock.advance(999)
    const namesOnDisk = (): unknown[] =>
      [...phone.disk].flatMap(([key, value]) => (key.includes('_e/') ? (JSON.parse(value) as WireEvent).event : []))
    expect(namesOnDisk()).toEqual(['Application Installed'])
    await clock.advance(3_001)
    expect([...phone.stored.values()].at(-1)).toMatchObject({ event: 'Application Opened', timestamp: startedAt })
  })

  it('stores a fatal error before the app ends, and delivers it at the next start', async () => {
    const phone = createPhone()
    phone.eventStatus = 0
    const errorUtils = createErrorUtils(() => first.kill())
    const first = phone.open({ ...QUIET, errorUtils })
    // At once, while the storage is still read.
    errorUtils.throwError(new TypeError('no cart'), true)
    await first.clock.advance(0)
    expect(first.isKilled()).toBe(true)
    phone.eventStatus = 200
    await phone.open(QUIET).clock.advance(0)
    const [exception] = [...phone.stored.values()]
    expect(exception).toMatchObject({
      event: '$exception',
      properties: { $exception_level: 'fatal', $exception_list: [{ type: 'TypeError', value: 'no cart' }] },
    })
  })

  it.each([
    ['while opted out', { defaultOptIn: false }],
    ['that before_send drops', { before_send: () => null }],
    ['without a storage', { storage: undefined as never }],
  ])('does not hold a fatal error %s', async (_name, options) => {
    const phone = createPhone()
    const passedOn: number[] = []
    const errorUtils = createErrorUtils(() => passedOn.push(clock.now()))
    const { clock } = phone.open({ ...QUIET, errorUtils, ...options })
    await clock.advance(0)
    errorUtils.throwError(new Error('a'), true)
    const thrownAt = clock.now()
    await clock.advance(0)
    expect(passedOn).toEqual([thrownAt])
    expect(phone.names()).toEqual('storage' in options ? ['$exception'] : [])
  })

  it('captures errors that the app has caught, also before the storage was read', async () => {
    const phone = createPhone()
    const { agent, clock } = phone.open(QUIET)
    agent.captureException(new TypeError('no cart'), { screen: 'Cart' })
    const properties = Object.defineProperty({}, 'screen', {
      enumerable: true,
      get: () => expect.unreachable('not readable'),
    })
    agent.captureException(new Error('no tea'), properties)
    await clock.advance(FLUSH_INTERVAL_MS)
    const [stored, ...others] = [...phone.stored.values()]
    expect([stored, others]).toMatchObject([
      {
        event: '$exception',
        properties: { screen: 'Cart', $exception_list: [{ value: 'no cart', mechanism: { handled: true } }] },
      },
      [],
    ])
    expect(warn.mock.calls.map(([, message]) => message)).toEqual(['captureException failed:'])
  })

  it('gives the error handler back at shutdown', async () => {
    const errorUtils = createErrorUtils(() => undefined)
    const previous = errorUtils.getGlobalHandler()
    const { agent } = createPhone().open({ ...QUIET, errorUtils })
    await agent.ready()
    expect(errorUtils.getGlobalHandler()).not.toBe(previous)
    await agent.shutdown()
    expect(errorUtils.getGlobalHandler()).toBe(previous)
  })

  it('delivers as soon as ever when its storage has stopped to answer', async () => {
    const phone = createPhone()
    const { storage } = createAppDisk(false, false)
    const hanging = (): Promise<void> => new Promise(() => undefined)
    const { agent, clock } = phone.open({ ...QUIET, storage: { ...storage, setItem: hanging, removeItem: hanging } })
    agent.capture('a')
    await clock.advance(20_000)
    expect(phone.names()).toEqual(['a'])
    for (const name of ['b', 'c']) {
      agent.capture(name)
      await clock.advance(FLUSH_INTERVAL_MS)
      expect(phone.names()).toContain(name)
    }
    expect(warn.mock.calls).toHaveLength(1)
  })

  it('releases a navigator that was unmounted, and watches none after shutdown', async () => {
    const { agent } = createPhone().open(QUIET)
    const calls: string[] = []
    const ref = {
      isReady: () => false,
      getCurrentRoute: () => undefined,
      addListener() {
        calls.push('added')
        return () => void calls.push('removed')
      },
    }
    const stop = agent.trackNavigation(ref)
    stop()
    stop()
    await agent.ready()
    await agent.shutdown()
    agent.trackNavigation(ref)()
    expect(calls).toEqual(['added', 'removed'])
  })
})

describe('init', () => {
  it('returns the running agent for the same key, and warns of other options', () => {
    const options = { ...QUIET, host: 'https://waymark.test', storage: createAppDisk(false, true).storage }
    const first = init('key', options)
    expect(init('key', { ...options, storage: createAppDisk(false, true).storage })).toBe(first)
    expect(init('key', { ...options, flushAt: 5 })).toBe(first)
    void first.shutdown()
  })

  it('names the option that was probably meant', async () => {
    const options = { ...QUIET, host: 'https://waymark.test', storage: createAppDisk(true, true).storage, appstate: {} }
    void init('key', options).shutdown()
    await expect.poll(() => warn.mock.calls.flat().join()).toContain('"appstate" is not an option of init()')
    expect(warn.mock.calls.flat().join()).toContain('Use "appState".')
  })

  it('reads before_send at each event, so that the app can replace it', () => {
    const dropped: unknown[] = []
    const options: ReactNativeOptions = {
      ...QUIET,
      host: 'https://waymark.test',
      storage: createAppDisk(true, true).storage,
      onDrop: ({ event }, reason) => dropped.push([event, reason]),
    }
    const agent = init('key', options)
    options.before_send = () => null
    agent.capture('a')
    expect(dropped).toEqual([['a', 'before_send']])
    void agent.shutdown()
  })

  it('warns once without a storage, and works in memory', async () => {
    const bodies: unknown[] = []
    const agent = init('key', {
      ...QUIET,
      host: 'https://waymark.test',
      disableCompression: true,
      fetch: async (_url, request) => {
        bodies.push(JSON.parse(request!.body as string))
        return new Response('{}')
      },
    })
    expect(agent.getDistinctId()).not.toBe('')
    agent.capture('a')
    await agent.flush()
    expect(bodies).toMatchObject([{ batch: [{ event: 'a' }] }])
    expect(warn.mock.calls).toEqual([['[waymark]', 'no storage: events, user and consent are only in memory']])
    await agent.shutdown()
  })

  it.each([
    ['no key', '', 'https://waymark.test'],
    ['no host', 'key', ''],
    ['a path as host', 'key', '/insight'],
  ])('with %s warns, does nothing, and touches no storage', async (_name, key, host) => {
    const { storage, entries } = createAppDisk(true, true)
    const agent = init(key, { host, storage })
    agent.capture('a')
    expect(agent.getFeatureFlag('beta')).toBeUndefined()
    await agent.flush()
    await agent.ready()
    expect(entries.size).toBe(0)
    expect(warn.mock.calls[0]![1]).toMatch(/^init\(\) needs a project API key, and a host/)
  })

  it('does nothing when it is disabled or called without options', async () => {
    const { storage, entries } = createAppDisk(true, true)
    const agents = [
      init('key', { host: 'https://waymark.test', storage, disabled: true }),
      (init as (key: string) => ReturnType<typeof init>)('key'),
    ]
    for (const agent of agents) agent.capture('a')
    expect(entries.size).toBe(0)
    expect(agents.map((agent) => agent.getStatus().stopReason)).toEqual(['disabled', 'no_key_or_host'])
  })
})
