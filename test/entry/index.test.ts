import 'fake-indexeddb/auto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { init } from '../../src/entry/index.ts'
import type { BrowserOptions, Waymark } from '../../src/entry/index.ts'
import { stubPageNetwork } from '../support/page-network.ts'
import type { PageNetwork } from '../support/page-network.ts'
import { until } from '../support/until.ts'
import { visit } from '../support/visit.ts'

const HOST = 'https://waymark.test'

let network: PageNetwork
let agents: Waymark[]
let warnings: unknown[][]
let keyCount = 0
/** A new key for each test, so that no events of another test arrive. */
let key: string

const start = (options?: BrowserOptions, apiKey = key): Waymark => {
  const agent = init(apiKey, { host: HOST, disableCompression: true, ...options })
  agents.push(agent)
  return agent
}
/** Waits until this many events have arrived; returns the names of all events. */
const waitForEventNames = async (count: number) =>
  (await until(network.events, (events) => events.length >= count)).map(({ event }) => event)

beforeEach(() => {
  visit('https://shop.example.com/home')
  localStorage.clear()
  sessionStorage.clear()
  agents = []
  warnings = []
  key = `key ${++keyCount}`
  network = stubPageNetwork()
  vi.spyOn(console, 'warn').mockImplementation((...message) => void warnings.push(message))
})
afterEach(async () => {
  await Promise.all(agents.map((agent) => agent.shutdown(1_000)))
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

describe('init', () => {
  it('returns the agent of another copy of the code on the page', async () => {
    const agent = start()
    vi.resetModules()
    const copy = await import('../../src/entry/index.ts')
    expect(copy.init).not.toBe(init)
    expect(copy.init(key, { host: HOST, disableCompression: true })).toBe(agent)
  })

  it('has types that accept interfaces and infer the type of a default', () => {
    interface Order {
      readonly total: number
    }
    const order: Order = { total: 5 }
    const agent = start()
    agent.capture('ordered', order)
    const isOn: boolean = agent.isFeatureEnabled('unknown', { defaultValue: false })
    expect(isOn).toBe(false)
  })

  it('starts an agent that captures the page, delivers, and loads flags', async () => {
    const agent = start()
    agent.capture('event')
    await agent.flush()
    expect(await waitForEventNames(2)).toEqual(['$pageview', 'event'])
    expect(network.urls).toContain(`${HOST}/decide/?v=3`)
    expect(network.events()[1]).toMatchObject({
      distinct_id: agent.getDistinctId(),
      properties: { $lib: 'waymark', $current_url: 'https://shop.example.com/home' },
    })
    expect(warnings).toEqual([])
  })

  it('sends tracing headers only to tracingHeaders hosts, and not while opted out', async () => {
    const requests: unknown[] = []
    const { fetch } = globalThis
    vi.stubGlobal('fetch', (url: string, options: RequestInit) => {
      requests.push([url, new Headers(options?.headers).get('x-posthog-distinct-id')])
      return fetch(url, options)
    })
    const agent = start({ tracingHeaders: ['api.example.com', 'waymark.test'], capturePageview: false })
    const call = (host: string) => globalThis.fetch(`https://${host}/`, { method: 'POST' })
    agent.capture('event')
    await agent.flush()
    for (const host of ['api.example.com', 'example.com']) await call(host)
    agent.optOut()
    await call('api.example.com')
    expect(requests.slice(-3)).toEqual([
      ['https://api.example.com/', agent.getDistinctId()],
      ['https://example.com/', null],
      ['https://api.example.com/', null],
    ])
    // The agent's own requests need no preflight.
    expect(requests.slice(0, -3).every((request) => (request as unknown[])[1] === null)).toBe(true)
    expect(requests.length).toBeGreaterThan(3)
  })

  it.each(['', '/insight'])(
    'sends tracing headers to an API on the same origin as the host (host path "%s")',
    async (path) => {
      const requests: [string, string | null][] = []
      const { fetch } = globalThis
      vi.stubGlobal('fetch', (url: string, options: RequestInit) => {
        requests.push([url, new Headers(options?.headers).get('x-posthog-distinct-id')])
        return fetch(url, options)
      })
      const agent = start({
        host: path || undefined,
        flagsApi: 'flags',
        tracingHeaders: ['shop.example.com'],
      })
      await agent.flush()
      for (const url of ['/api/cart', 'https://shop.example.com/flags']) await globalThis.fetch(url)
      expect(requests.slice(-2).map(([, id]) => id)).toEqual([agent.getDistinctId(), agent.getDistinctId()])
      expect(requests.slice(0, -2).map(([, id]) => id)).toEqual(requests.slice(0, -2).map(() => null))
      expect(requests.some(([url]) => url.endsWith(`${path}/batch/`))).toBe(true)
    },
  )

  it('sends no tracing headers to its own service behind a proxy that redirects the slash at the end', async () => {
    const requests: [string, string | null][] = []
    const { fetch } = globalThis
    vi.stubGlobal('fetch', async (url: string, options: RequestInit) => {
      if (/\/(batch|decide)\//.test(url)) throw new TypeError('redirect')
      requests.push([url, new Headers(options?.headers).get('x-posthog-distinct-id')])
      return fetch(url.replace(/batch$/, 'batch/'), options)
    })
    const agent = start({ tracingHeaders: ['waymark.test'] })
    agent.capture('event')
    await agent.flush()
    await until(
      () => requests.map(([url]) => url),
      (urls) => urls.includes(`${HOST}/batch`) && urls.includes(`${HOST}/decide?v=3`),
    )
    expect(requests.filter(([, id]) => id !== null)).toEqual([])
  })

  it.each([true, 7, 'api.example.com', [null, 'api.example.com'], {}])(
    'starts with the invalid tracingHeaders %j',
    async (tracingHeaders) => {
      const options = { tracingHeaders, capturePageview: false } as unknown as BrowserOptions
      const agent = start(options)
      expect(start(options)).toBe(agent)
      agent.capture('event')
      await agent.flush()
      expect(await waitForEventNames(1)).toEqual(['event'])
      expect(warnings).toEqual([])
    },
  )

  it('returns the running agent on a second call, without further listeners', async () => {
    const agent = start()
    expect(start({ host: 'https://other.test' })).toBe(agent)
    history.pushState({}, '', '/next')
    await agent.flush()
    expect(await waitForEventNames(2)).toEqual(['$pageview', '$pageview'])
    await expect.poll(() => warnings.flat().join()).toContain('was called again with other options')
  })

  it('warns of each unknown option with the nearest real name', async () => {
    const agent = start({ capturePageview: false, flushIntervalMs: 10 } as BrowserOptions)
    await expect.poll(() => warnings).toHaveLength(1)
    expect(warnings[0]!.join()).toContain(
      '"flushIntervalMs" is not an option of init() and is ignored. Use "flushInterval".',
    )
    await agent.shutdown()
  })

  it('uses no storage, crypto, cookie or network in its own task', async () => {
    const accessedNames: string[] = []
    const watch = (object: object, name: string) => {
      const originalMethod = (object as Record<string, (...args: unknown[]) => unknown>)[name]!
      vi.spyOn(object as Record<string, () => unknown>, name).mockImplementation(function (this: unknown, ...args) {
        accessedNames.push(name)
        return originalMethod.apply(this, args)
      })
    }
    watch(indexedDB, 'open')
    watch(crypto, 'getRandomValues')
    vi.spyOn(document, 'cookie', 'get').mockImplementation(() => {
      accessedNames.push('cookie')
      return ''
    })
    const agent = start()
    expect(accessedNames).toEqual([])
    expect(network.urls).toEqual([])
    await until(
      () => accessedNames,
      (names) => names.includes('open'),
    )
    expect(accessedNames).toContain('cookie')
    await agent.flush()
    expect(await waitForEventNames(1)).toEqual(['$pageview'])
  })

  it('reads the stored state before the first call', async () => {
    const firstAgent = start({ capturePageview: false })
    firstAgent.identify('user-1')
    firstAgent.register({ plan: 'pro' })
    firstAgent.optOut()
    const ids = [firstAgent.getAnonymousId(), firstAgent.getDeviceId()]
    await firstAgent.shutdown()
    const agent = start({ capturePageview: false })
    expect([agent.getDistinctId(), agent.isOptedOut()]).toEqual(['user-1', true])
    expect([agent.getAnonymousId(), agent.getDeviceId()]).toEqual(ids)
  })

  it('ignores corrupt stored states', () => {
    for (const json of ['{', '7', 'null', '[]', '{"revision":1}']) {
      localStorage.setItem(`waymark_1_${key}_state`, json)
      const agent = start({ capturePageview: false }, key)
      expect(agent.getDistinctId()).toMatch(/^[\da-f-]{36}$/)
      void agent.shutdown(0)
      localStorage.clear()
    }
    expect(warnings).toEqual([])
  })

  it('starts at pagehide at the latest, so that the pageview is not lost', async () => {
    const beacons: unknown[] = []
    vi.spyOn(navigator, 'sendBeacon').mockImplementation((_, body) => beacons.push(body) > 0)
    start()
    window.dispatchEvent(new Event('pagehide'))
    expect(beacons).toHaveLength(1)
    const { batch } = JSON.parse(await (beacons[0] as Blob).text()) as { batch: { event: string }[] }
    expect(batch.map(({ event }) => event)).toEqual(['$pageview'])
  })

  it('captures the first page before a path change in the same task', async () => {
    const agent = start()
    history.pushState({}, '', '/next')
    await agent.flush()
    await waitForEventNames(2)
    expect(network.events().map(({ properties }) => properties.$pathname)).toEqual(['/home', '/next'])
  })

  it('creates an agent for each project', () => {
    const agent = start()
    const otherAgent = start({}, `${key} other`)
    expect(otherAgent).not.toBe(agent)
    expect(otherAgent.getDistinctId()).not.toBe(agent.getDistinctId())
  })

  it('creates a new agent for the same user right after a shutdown', async () => {
    const agent = start({ capturePageview: false })
    const id = agent.getDistinctId()
    agent.getSessionId()
    const shutdown = agent.shutdown()
    const nextAgent = start({ capturePageview: false })
    expect(nextAgent).not.toBe(agent)
    expect(nextAgent.getDistinctId()).toBe(id)
    nextAgent.capture('event')
    await Promise.all([shutdown, nextAgent.flush()])
    // Without Web Locks both may deliver it, and the service stores it once.
    expect(new Set(await waitForEventNames(1))).toEqual(new Set(['event']))
  })

  it('removes a trailing slash of the host', async () => {
    const agent = start({ host: `${HOST}/`, capturePageview: false })
    agent.capture('event')
    await agent.flush()
    await waitForEventNames(1)
    expect(new Set(network.urls)).toEqual(new Set([`${HOST}/batch/`, `${HOST}/decide/?v=3`]))
    expect((await indexedDB.databases()).map(({ name }) => name)).toContain(`waymark:${HOST}:${key}`)
  })

  it('uses the origin of the page if there is no host', async () => {
    agents.push(init(key))
    await until(
      () => network.urls,
      (urls) => urls.length > 0,
    )
    expect(network.urls[0]).toMatch(/^https:\/\/shop\.example\.com\//)
  })

  it.each([
    ['no key', undefined, {}],
    ['a blank key', ' ', {}],
    ['a number as key', 7, {}],
    ['an object as key', {}, {}],
    ['a blank host', 'key', { host: '' }],
    ['a host without a scheme', 'key', { host: 'waymark.test' }],
    ['a number as host', 'key', { host: 7 }],
    ['a symbol as host', 'key', { host: Symbol('host') }],
  ])('warns and does nothing with %s', async (_description, apiKey, options) => {
    const agent = init(apiKey as string, options as BrowserOptions)
    agents.push(agent)
    agent.capture('event')
    await agent.flush()
    expect(agent.isOptedOut()).toBe(true)
    expect(warnings).toHaveLength(1)
    expect([localStorage.length, sessionStorage.length, network.urls.length]).toEqual([0, 0, 0])
  })

  it('treats null options as missing', () => {
    const agent = init(key, null as never)
    agents.push(agent)
    expect(agent.getDistinctId()).not.toBe('')
  })

  it('uses no storage, network, history or console when disabled', async () => {
    const { pushState } = history
    const agent = start({ disabled: true })
    agent.capture('event')
    agent.identify('user')
    agent.register({ plan: 'pro' })
    agent.optIn()
    expect(agent.isFeatureEnabled('beta', { defaultValue: true })).toBe(true)
    await Promise.all([agent.reloadFeatureFlags(), agent.flush(), agent.shutdown()])
    expect([localStorage.length, sessionStorage.length, document.cookie]).toEqual([0, 0, ''])
    expect(await indexedDB.databases()).not.toContainEqual(expect.objectContaining({ name: `waymark:${HOST}:${key}` }))
    expect(history.pushState).toBe(pushState)
    expect([network.urls, warnings]).toEqual([[], []])
    expect(agent.getStatus().stopReason).toBe('disabled')
  })
})

describe('respectDnt', () => {
  it.each([{ globalPrivacyControl: true }, { doNotTrack: '1' }])(
    'does nothing in a browser with %j',
    async (choice) => {
      vi.stubGlobal('navigator', choice)
      const agent = start({ respectDnt: true })
      agent.capture('event')
      await agent.flush()
      expect(agent.isOptedOut()).toBe(true)
      expect([localStorage.length, network.urls, warnings]).toEqual([0, [], []])
      expect(start().isOptedOut()).toBe(false)
    },
  )

  it.each([{ globalPrivacyControl: false, doNotTrack: '0' }, { doNotTrack: null }, { doNotTrack: 'unspecified' }, {}])(
    'changes nothing in a browser with %j',
    (choice) => {
      vi.stubGlobal('navigator', choice)
      expect(start({ respectDnt: true }).isOptedOut()).toBe(false)
    },
  )
})

describe('persistence', () => {
  it("'memory' writes to no storage", async () => {
    const agent = start({ persistence: 'memory' })
    agent.identify('user')
    agent.capture('event')
    await agent.flush()
    await waitForEventNames(3)
    window.dispatchEvent(new Event('pagehide'))
    expect([localStorage.length, sessionStorage.length, document.cookie]).toEqual([0, 0, ''])
    expect(await indexedDB.databases()).not.toContainEqual(expect.objectContaining({ name: `waymark:${HOST}:${key}` }))
  })

  const identityKeys = (storage: Storage) => Object.keys(storage).filter((name) => name.endsWith('_state'))

  it.each(['localStorage', 'sessionStorage'] as const)(
    "'%s' stores the identity only in that storage",
    async (persistence) => {
      start({ persistence, capturePageview: false }).identify('user')
      expect(document.cookie).toBe('')
      const [usedStorage, otherStorage] =
        persistence === 'localStorage' ? [localStorage, sessionStorage] : [sessionStorage, localStorage]
      expect([identityKeys(usedStorage), identityKeys(otherStorage)]).toEqual([[`waymark_1_${key}_state`], []])
    },
  )

  it('treats null and unknown values as missing', () => {
    start({ persistence: null } as never).identify('user')
    start({ persistence: 'disk' } as never, `${key} other`).identify('user')
    expect(identityKeys(localStorage)).toHaveLength(2)
  })

  it('stores only the identity in a cookie with crossSubdomainCookie', async () => {
    const agent = start({ crossSubdomainCookie: true })
    agent.identify('user')
    const name = encodeURIComponent(`waymark_1_${key}_state`)
    expect(document.cookie.split('; ').map((cookie) => cookie.split('=')[0])).toEqual([name])
    expect(identityKeys(localStorage)).toHaveLength(1)
    await agent.shutdown()
    document.cookie = `${name}=; path=/; max-age=-1`
  })

  it('keeps identity, consent and super properties for the next page', async () => {
    const agent = start({ capturePageview: false })
    agent.identify('user')
    agent.register({ plan: 'pro' })
    await agent.shutdown()
    const nextAgent = start({ capturePageview: false })
    expect(nextAgent.getDistinctId()).toBe('user')
    nextAgent.capture('event')
    await nextAgent.flush()
    expect(await waitForEventNames(2)).toEqual(['$identify', 'event'])
    expect(network.events()[1]!.properties).toMatchObject({ plan: 'pro', $is_identified: true })
    nextAgent.optOut()
    await nextAgent.shutdown()
    expect(start().isOptedOut()).toBe(true)
  })
})

describe('localStorage', () => {
  it('stores the events of a page that goes away; sessionStorage does not', () => {
    vi.spyOn(navigator, 'sendBeacon').mockReturnValue(false)
    const spillKeys = (storage: Storage) => Object.keys(storage).filter((name) => /_spill\w$/.test(name))
    start().capture('event')
    const pageLocalStorage = localStorage
    const setItem = (): void => {
      throw new DOMException('full', 'QuotaExceededError')
    }
    vi.stubGlobal('localStorage', {
      getItem: (name: string) => pageLocalStorage.getItem(name),
      setItem,
      removeItem() {},
    })
    window.dispatchEvent(new Event('pagehide'))
    expect([spillKeys(pageLocalStorage), spillKeys(sessionStorage)]).toEqual([[], []])
    vi.stubGlobal('localStorage', pageLocalStorage)
    window.dispatchEvent(new Event('pagehide'))
    expect([spillKeys(localStorage).length, spillKeys(sessionStorage)]).toEqual([1, []])
  })

  it('applies an identity that another tab has stored', () => {
    const agent = start({ capturePageview: false })
    agent.identify('user')
    const name = `waymark_1_${key}_state`
    const state = JSON.parse(localStorage.getItem(name)!) as { revision: number }
    localStorage.setItem(name, JSON.stringify({ ...state, revision: state.revision + 1, distinctId: 'other' }))
    window.dispatchEvent(Object.assign(new Event('storage'), { key: name, storageArea: localStorage }))
    expect(agent.getDistinctId()).toBe('other')
  })
})

describe('a tab', () => {
  /** Goes to the next page of the tab, without the agent of this one. */
  const leave = () => {
    window.dispatchEvent(new Event('pagehide'))
    ;(globalThis as unknown as Record<symbol, Map<string, Waymark>>)[Symbol.for('waymark')]!.clear()
  }

  it('has the same $window_id on the next page', async () => {
    vi.spyOn(navigator, 'sendBeacon').mockReturnValue(false)
    start()
    leave()
    const agent = start()
    await agent.flush()
    const ids = (await until(network.events, (events) => events.length > 1)).map(
      ({ properties }) => properties.$window_id,
    )
    expect(ids[0]).toMatch(/^[\da-f-]{36}$/)
    expect(new Set(ids).size).toBe(1)
  })

  it('stores no $window_id after an opt-out', () => {
    const agent = start()
    agent.capture('event')
    agent.optOut({ clear: true })
    leave()
    expect(sessionStorage.length).toBe(0)
  })
})

describe('shutdown', () => {
  it('reports undelivered events that are only in memory', async () => {
    const dropped: string[] = []
    const agent = start({
      persistence: 'memory',
      capturePageview: false,
      fetch: () => Promise.reject(new TypeError('no network')),
      onDrop: ({ event }, reason) => dropped.push(`${event}: ${reason}`),
    })
    agent.capture('event')
    await agent.shutdown(1_000)
    expect(dropped).toEqual(['event: storage_unavailable'])
  })

  it('removes its listeners and restores the functions of the page', async () => {
    const listenerCounts = new Map<string, number>()
    for (const target of [window, document])
      for (const [name, step] of [
        ['addEventListener', 1],
        ['removeEventListener', -1],
      ] as const) {
        const originalMethod = target[name] as (...args: unknown[]) => void
        vi.spyOn(target, name).mockImplementation((...args: unknown[]) => {
          listenerCounts.set(String(args[0]), (listenerCounts.get(String(args[0])) ?? 0) + step)
          originalMethod.apply(target, args)
        })
      }
    const { pushState, replaceState } = history
    const { fetch } = globalThis
    const agent = start({ tracingHeaders: ['shop.example.com'] })
    agent.capture('event')
    expect([listenerCounts.get('pagehide'), listenerCounts.get('popstate'), listenerCounts.get('online')]).toEqual([
      1,
      1,
      expect.any(Number),
    ])
    expect([history.pushState === pushState, globalThis.fetch === fetch]).toEqual([false, false])
    await agent.shutdown()
    expect([...listenerCounts].filter(([, count]) => count)).toEqual([])
    expect([history.pushState, history.replaceState, globalThis.fetch]).toEqual([pushState, replaceState, fetch])
    history.pushState({}, '', '/late')
    expect(network.events().map(({ event }) => event)).toEqual(['$pageview', 'event'])
  })
})

describe('options', () => {
  it('disableGeoip applies to all events except those with disable_geoip', async () => {
    const agent = start({ disableGeoip: true })
    agent.capture('with', {}, { disable_geoip: false })
    await agent.flush()
    await waitForEventNames(2)
    expect(network.events().map(({ properties }) => properties.$geoip_disable)).toEqual([true, false])
  })

  it('debug writes messages from the start, until debug(false)', async () => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => {})
    const agent = start({ capturePageview: false, debug: true, before_send: () => null })
    agent.capture('one')
    agent.debug(false)
    agent.capture('two')
    const lines = (): string => log.mock.calls.flat().join()
    await expect.poll(() => lines()).toContain('dropped "one"')
    expect(lines()).not.toContain('"two"')
  })

  it('fetch is used in place of the global fetch', async () => {
    const customFetch = vi.fn(async () => new Response('{}', { status: 200 }))
    const agent = start({ fetch: customFetch as unknown as typeof fetch })
    await agent.flush()
    expect(customFetch).toHaveBeenCalled()
    expect(network.urls).toEqual([])
  })
})
