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
let keys = 0
/** A new key for each test, so that no events of another test arrive. */
let key: string

const start = (options?: BrowserOptions, apiKey = key): Waymark => {
  const agent = init(apiKey, { host: HOST, disableCompression: true, ...options })
  agents.push(agent)
  return agent
}
const arrived = async (count: number) =>
  (await until(network.events, (events) => events.length >= count)).map(({ event }) => event)

beforeEach(() => {
  visit('https://shop.example.com/home')
  localStorage.clear()
  sessionStorage.clear()
  agents = []
  warnings = []
  key = `key ${++keys}`
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
    expect(copy.init(key, { host: HOST })).toBe(agent)
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
    expect(await arrived(2)).toEqual(['$pageview', 'event'])
    expect(network.urls).toContain(`${HOST}/decide/?v=3`)
    expect(network.events()[1]).toMatchObject({
      distinct_id: agent.getDistinctId(),
      properties: { $lib: 'waymark', $current_url: 'https://shop.example.com/home' },
    })
    expect(warnings).toEqual([])
  })

  it('sends user and session only to tracingHeaders hosts, and not while opted out', async () => {
    const sent: unknown[] = []
    const { fetch } = globalThis
    vi.stubGlobal('fetch', (url: string, options: RequestInit) => {
      sent.push([url, new Headers(options?.headers).get('x-posthog-distinct-id')])
      return fetch(url, options)
    })
    const agent = start({ tracingHeaders: ['api.example.com', 'waymark.test'], capturePageview: false })
    const call = (host: string) => globalThis.fetch(`https://${host}/`, { method: 'POST' })
    agent.capture('event')
    await agent.flush()
    for (const host of ['api.example.com', 'example.com']) await call(host)
    agent.optOut()
    await call('api.example.com')
    expect(sent.slice(-3)).toEqual([
      ['https://api.example.com/', agent.getDistinctId()],
      ['https://example.com/', null],
      ['https://api.example.com/', null],
    ])
    // The agent's own requests need no preflight.
    expect(sent.slice(0, -3).every((request) => (request as unknown[])[1] === null)).toBe(true)
    expect(sent.length).toBeGreaterThan(3)
  })

  it.each(['', '/insight'])('sends them to the page’s own API on the same origin as the host (%s)', async (path) => {
    const sent: [string, string | null][] = []
    const { fetch } = globalThis
    vi.stubGlobal('fetch', (url: string, options: RequestInit) => {
      sent.push([url, new Headers(options?.headers).get('x-posthog-distinct-id')])
      return fetch(url, options)
    })
    const agent = start({
      host: path || undefined,
      flagsApi: 'flags',
      tracingHeaders: ['shop.example.com'],
    })
    await agent.flush()
    for (const url of ['/api/cart', 'https://shop.example.com/flags']) await globalThis.fetch(url)
    expect(sent.slice(-2).map(([, id]) => id)).toEqual([agent.getDistinctId(), agent.getDistinctId()])
    expect(sent.slice(0, -2).map(([, id]) => id)).toEqual(sent.slice(0, -2).map(() => null))
    expect(sent.some(([url]) => url.endsWith(`${path}/batch/`))).toBe(true)
  })

  it.each([true, 7, 'api.example.com', [null, 'api.example.com'], {}])(
    'starts with tracingHeaders: %j, and uses its strings',
    async (tracingHeaders) => {
      const agent = start({ tracingHeaders, capturePageview: false } as unknown as BrowserOptions)
      expect(start()).toBe(agent)
      agent.capture('event')
      await agent.flush()
      expect(await arrived(1)).toEqual(['event'])
      expect(warnings).toEqual([])
    },
  )

  it('returns the same agent the second time, without further listeners', async () => {
    const agent = start()
    expect(start({ host: 'https://other.test' })).toBe(agent)
    history.pushState({}, '', '/next')
    await agent.flush()
    expect(await arrived(2)).toEqual(['$pageview', '$pageview'])
  })

  it('accesses nothing in its own task', async () => {
    const accessed: string[] = []
    const watch = (object: object, name: string) => {
      const own = (object as Record<string, (...args: unknown[]) => unknown>)[name]!
      vi.spyOn(object as Record<string, () => unknown>, name).mockImplementation(function (this: unknown, ...args) {
        accessed.push(name)
        return own.apply(this, args)
      })
    }
    watch(indexedDB, 'open')
    watch(crypto, 'getRandomValues')
    vi.spyOn(document, 'cookie', 'get').mockImplementation(() => {
      accessed.push('cookie')
      return ''
    })
    const agent = start()
    expect(accessed).toEqual([])
    expect(network.urls).toEqual([])
    await until(
      () => accessed,
      (names) => names.includes('open'),
    )
    expect(accessed).toContain('cookie')
    await agent.flush()
    expect(await arrived(1)).toEqual(['$pageview'])
  })

  it('reads the stored state before the first call', async () => {
    const first = start({ capturePageview: false })
    first.identify('user-1')
    first.register({ plan: 'pro' })
    first.optOut()
    const ids = [first.getAnonymousId(), first.getDeviceId()]
    await first.shutdown()
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

  it('starts when the page goes away earlier, so that its pageview is not lost', async () => {
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
    await arrived(2)
    expect(network.events().map(({ properties }) => properties.$pathname)).toEqual(['/home', '/next'])
  })

  it('creates an agent for each project', () => {
    const agent = start()
    const other = start({}, `${key} other`)
    expect(other).not.toBe(agent)
    expect(other.getDistinctId()).not.toBe(agent.getDistinctId())
  })

  it('creates a new agent for the same user right after a shutdown', async () => {
    const agent = start({ capturePageview: false })
    const id = agent.getDistinctId()
    agent.getSessionId()
    const ended = agent.shutdown()
    const next = start({ capturePageview: false })
    expect(next).not.toBe(agent)
    expect(next.getDistinctId()).toBe(id)
    next.capture('event')
    await Promise.all([ended, next.flush()])
    // Without Web Locks both may deliver it, and the service stores it once.
    expect(new Set(await arrived(1))).toEqual(new Set(['event']))
  })

  it('treats a host with and without a trailing slash as the same', async () => {
    const agent = start({ host: `${HOST}/`, capturePageview: false })
    agent.capture('event')
    await agent.flush()
    await arrived(1)
    expect(new Set(network.urls)).toEqual(new Set([`${HOST}/batch/`, `${HOST}/decide/?v=3`]))
    expect((await indexedDB.databases()).map(({ name }) => name)).toContain(`waymark:${HOST}:${key}`)
  })

  it('uses the origin of the page without a host', async () => {
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
  ])('warns and does nothing with %s', async (_name, apiKey, options) => {
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
  })
})

describe('respectDnt', () => {
  it('does nothing if the browser has Do Not Track enabled', async () => {
    vi.stubGlobal('navigator', { globalPrivacyControl: true })
    const agent = start({ respectDnt: true })
    agent.capture('event')
    await agent.flush()
    expect(agent.isOptedOut()).toBe(true)
    expect([localStorage.length, network.urls, warnings]).toEqual([0, [], []])
    expect(start().isOptedOut()).toBe(false)
    vi.unstubAllGlobals()
  })
})

describe('persistence', () => {
  it("'memory' stores nothing", async () => {
    const agent = start({ persistence: 'memory' })
    agent.identify('user')
    agent.capture('event')
    await agent.flush()
    await arrived(3)
    window.dispatchEvent(new Event('pagehide'))
    expect([localStorage.length, sessionStorage.length, document.cookie]).toEqual([0, 0, ''])
    expect(await indexedDB.databases()).not.toContainEqual(expect.objectContaining({ name: `waymark:${HOST}:${key}` }))
  })

  const stored = (storage: Storage) => Object.keys(storage).filter((name) => name.endsWith('_state'))

  it.each(['localStorage', 'sessionStorage'] as const)("'%s' stores the identity only there", async (persistence) => {
    start({ persistence, capturePageview: false }).identify('user')
    expect(document.cookie).toBe('')
    const [there, elsewhere] =
      persistence === 'localStorage' ? [localStorage, sessionStorage] : [sessionStorage, localStorage]
    expect([stored(there), stored(elsewhere)]).toEqual([[`waymark_1_${key}_state`], []])
  })

  it('treats null and unknown values as missing', () => {
    start({ persistence: null } as never).identify('user')
    start({ persistence: 'disk' } as never, `${key} other`).identify('user')
    expect(stored(localStorage)).toHaveLength(2)
  })

  it('stores only the identity in a cookie with crossSubdomainCookie', async () => {
    const agent = start({ crossSubdomainCookie: true })
    agent.identify('user')
    const name = encodeURIComponent(`waymark_1_${key}_state`)
    expect(document.cookie.split('; ').map((cookie) => cookie.split('=')[0])).toEqual([name])
    expect(stored(localStorage)).toHaveLength(1)
    await agent.shutdown()
    document.cookie = `${name}=; path=/; max-age=-1`
  })

  it('keeps identity, consent and super properties for the next page', async () => {
    const agent = start({ capturePageview: false })
    agent.identify('user')
    agent.register({ plan: 'pro' })
    await agent.shutdown()
    const next = start({ capturePageview: false })
    expect(next.getDistinctId()).toBe('user')
    next.capture('event')
    await next.flush()
    expect(await arrived(2)).toEqual(['$identify', 'event'])
    expect(network.events()[1]!.properties).toMatchObject({ plan: 'pro', $is_identified: true })
    next.optOut()
    await next.shutdown()
    expect(start().isOptedOut()).toBe(true)
  })
})

describe('localStorage', () => {
  it('takes the events of a page that goes away; sessionStorage does not', () => {
    vi.spyOn(navigator, 'sendBeacon').mockReturnValue(false)
    const spilled = (storage: Storage) => Object.keys(storage).filter((name) => /_spill\w$/.test(name))
    start().capture('event')
    const own = localStorage
    const setItem = (): void => {
      throw new DOMException('full', 'QuotaExceededError')
    }
    vi.stubGlobal('localStorage', { getItem: (name: string) => own.getItem(name), setItem, removeItem() {} })
    window.dispatchEvent(new Event('pagehide'))
    expect([spilled(own), spilled(sessionStorage)]).toEqual([[], []])
    vi.stubGlobal('localStorage', own)
    window.dispatchEvent(new Event('pagehide'))
    expect([spilled(localStorage).length, spilled(sessionStorage)]).toEqual([1, []])
  })

  it('reports changes of another tab', () => {
    const agent = start({ capturePageview: false })
    agent.identify('user')
    const name = `waymark_1_${key}_state`
    const state = JSON.parse(localStorage.getItem(name)!) as { revision: number }
    localStorage.setItem(name, JSON.stringify({ ...state, revision: state.revision + 1, distinctId: 'other' }))
    window.dispatchEvent(Object.assign(new Event('storage'), { key: name, storageArea: localStorage }))
    expect(agent.getDistinctId()).toBe('other')
  })
})

describe('the tab', () => {
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
  it('reports undelivered events when only memory holds them', async () => {
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

  it('removes every listener and restores the page’s own functions', async () => {
    const open = new Map<string, number>()
    for (const target of [window, document])
      for (const [name, step] of [
        ['addEventListener', 1],
        ['removeEventListener', -1],
      ] as const) {
        const own = target[name] as (...args: unknown[]) => void
        vi.spyOn(target, name).mockImplementation((...args: unknown[]) => {
          open.set(String(args[0]), (open.get(String(args[0])) ?? 0) + step)
          own.apply(target, args)
        })
      }
    const { pushState, replaceState } = history
    const { fetch } = globalThis
    const agent = start({ tracingHeaders: ['shop.example.com'] })
    agent.capture('event')
    expect([open.get('pagehide'), open.get('popstate'), open.get('online')]).toEqual([1, 1, expect.any(Number)])
    expect([history.pushState === pushState, globalThis.fetch === fetch]).toEqual([false, false])
    await agent.shutdown()
    expect([...open].filter(([, count]) => count)).toEqual([])
    expect([history.pushState, history.replaceState, globalThis.fetch]).toEqual([pushState, replaceState, fetch])
    history.pushState({}, '', '/late')
    expect(network.events().map(({ event }) => event)).toEqual(['$pageview', 'event'])
  })
})

describe('options', () => {
  it('disableGeoip applies to every event without a different option', async () => {
    const agent = start({ disableGeoip: true })
    agent.capture('with', {}, { disable_geoip: false })
    await agent.flush()
    await arrived(2)
    expect(network.events().map(({ properties }) => properties.$geoip_disable)).toEqual([true, false])
  })

  it('debug writes messages from the start, debug() switches at run time', async () => {
    const debug = vi.spyOn(console, 'debug').mockImplementation(() => {})
    const agent = start({ capturePageview: false, debug: true, before_send: () => null })
    agent.capture('one')
    expect(debug).toHaveBeenCalledTimes(1)
    agent.debug(false)
    agent.capture('two')
    expect(debug).toHaveBeenCalledTimes(1)
  })

  it('fetch replaces the page’s own', async () => {
    const own = vi.fn(async () => new Response('{}', { status: 200 }))
    const agent = start({ fetch: own as unknown as typeof fetch })
    await agent.flush()
    expect(own).toHaveBeenCalled()
    expect(network.urls).toEqual([])
  })
})
