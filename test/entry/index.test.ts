import 'fake-indexeddb/auto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { init } from '../../src/entry/index.ts'
import type { BrowserOptions, Waymark } from '../../src/entry/index.ts'
import { pageNetwork } from '../support/page-network.ts'
import type { PageNetwork } from '../support/page-network.ts'
import { until } from '../support/until.ts'
import { visit } from '../support/visit.ts'

const HOST = 'https://waymark.test'

let network: PageNetwork
let agents: Waymark[]
let warnings: unknown[][]
let keys = 0
/** A key of its own for each test: events of another test must not arrive here. */
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
  network = pageNetwork()
  vi.spyOn(console, 'warn').mockImplementation((...message) => void warnings.push(message))
})
afterEach(async () => {
  await Promise.all(agents.map((agent) => agent.shutdown(1_000)))
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

describe('init', () => {
  it('answers the agent of another copy of the code on the same page: a bundle beside a script tag', async () => {
    const agent = start()
    vi.resetModules()
    const copy = await import('../../src/entry/index.ts')
    expect(copy.init).not.toBe(init)
    expect(copy.init(key, { host: HOST })).toBe(agent)
  })

  it('has types that take interfaces as properties and know what a default gives', () => {
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

  it('names user and session to the hosts of tracingHeaders alone, but not while opted out', async () => {
    const sent: unknown[] = []
    const { fetch } = globalThis
    vi.stubGlobal('fetch', (url: string, given: RequestInit) => {
      sent.push([url, new Headers(given?.headers).get('x-posthog-distinct-id')])
      return fetch(url, given)
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
    // The agent's own requests stay without a preflight.
    expect(sent.slice(0, -3).every((request) => (request as unknown[])[1] === null)).toBe(true)
    expect(sent.length).toBeGreaterThan(3)
  })

  it.each(['', '/insight'])(
    'names them to the API of the page’s own origin, which is the host (%s) too',
    async (path) => {
      const sent: [string, string | null][] = []
      const { fetch } = globalThis
      vi.stubGlobal('fetch', (url: string, given: RequestInit) => {
        sent.push([url, new Headers(given?.headers).get('x-posthog-distinct-id')])
        return fetch(url, given)
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
    },
  )

  it.each([true, 7, 'api.example.com', [null, 'api.example.com'], {}])(
    'starts with tracingHeaders: %j, and takes what is a text',
    async (tracingHeaders) => {
      const agent = start({ tracingHeaders, capturePageview: false } as unknown as BrowserOptions)
      expect(start()).toBe(agent)
      agent.capture('event')
      await agent.flush()
      expect(await arrived(1)).toEqual(['event'])
      expect(warnings).toEqual([])
    },
  )

  it('a second time answers the same agent and listens to nothing twice', async () => {
    const agent = start()
    expect(start({ host: 'https://other.test' })).toBe(agent)
    history.pushState({}, '', '/next')
    await agent.flush()
    expect(await arrived(2)).toEqual(['$pageview', '$pageview'])
  })

  it('does nothing in its own task but to wait for the next one', async () => {
    const touched: string[] = []
    const watch = (object: object, name: string) => {
      const own = (object as Record<string, (...args: unknown[]) => unknown>)[name]!
      vi.spyOn(object as Record<string, () => unknown>, name).mockImplementation(function (this: unknown, ...args) {
        touched.push(name)
        return own.apply(this, args)
      })
    }
    watch(indexedDB, 'open')
    watch(crypto, 'getRandomValues')
    vi.spyOn(document, 'cookie', 'get').mockImplementation(() => {
      touched.push('cookie')
      return ''
    })
    const agent = start()
    expect(touched).toEqual([])
    expect(network.urls).toEqual([])
    await until(
      () => touched,
      (names) => names.includes('open'),
    )
    expect(touched).toContain('cookie')
    await agent.flush()
    expect(await arrived(1)).toEqual(['$pageview'])
  })

  it('has read what is stored before the first call is served', async () => {
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

  it('takes stored texts that are corrupt for none', () => {
    for (const text of ['{', '7', 'null', '[]', '{"revision":1}']) {
      localStorage.setItem(`waymark_1_${key}_state`, text)
      const agent = start({ capturePageview: false }, key)
      expect(agent.getDistinctId()).toMatch(/^[\da-f-]{36}$/)
      void agent.shutdown(0)
      localStorage.clear()
    }
    expect(warnings).toEqual([])
  })

  it('begins when the page goes away before it had begun, so that its pageview is not lost', async () => {
    const beacons: unknown[] = []
    vi.spyOn(navigator, 'sendBeacon').mockImplementation((_, body) => beacons.push(body) > 0)
    start()
    window.dispatchEvent(new Event('pagehide'))
    expect(beacons).toHaveLength(1)
    const { batch } = JSON.parse(await (beacons[0] as Blob).text()) as { batch: { event: string }[] }
    expect(batch.map(({ event }) => event)).toEqual(['$pageview'])
  })

  it('captures the first page before the path that a call of the same task goes to', async () => {
    const agent = start()
    history.pushState({}, '', '/next')
    await agent.flush()
    await arrived(2)
    expect(network.events().map(({ properties }) => properties.$pathname)).toEqual(['/home', '/next'])
  })

  it('gives each project its own agent', () => {
    const agent = start()
    const other = start({}, `${key} other`)
    expect(other).not.toBe(agent)
    expect(other.getDistinctId()).not.toBe(agent.getDistinctId())
  })

  it('gives a new agent as soon as the first one was shut down, for the same user', async () => {
    const agent = start({ capturePageview: false })
    const id = agent.getDistinctId()
    agent.getSessionId()
    const ended = agent.shutdown()
    const next = start({ capturePageview: false })
    expect(next).not.toBe(agent)
    expect(next.getDistinctId()).toBe(id)
    next.capture('event')
    await Promise.all([ended, next.flush()])
    // Without Web Locks both may deliver it; the service stores it once.
    expect(new Set(await arrived(1))).toEqual(new Set(['event']))
  })

  it('takes a host with and without a slash for the same', async () => {
    const agent = start({ host: `${HOST}/`, capturePageview: false })
    agent.capture('event')
    await agent.flush()
    await arrived(1)
    expect(new Set(network.urls)).toEqual(new Set([`${HOST}/batch/`, `${HOST}/decide/?v=3`]))
    expect((await indexedDB.databases()).map(({ name }) => name)).toContain(`waymark:${HOST}:${key}`)
  })

  it('takes the origin of the page without a host', async () => {
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
  ])('with %s warns and does nothing', async (_name, apiKey, options) => {
    const agent = init(apiKey as string, options as BrowserOptions)
    agents.push(agent)
    agent.capture('event')
    await agent.flush()
    expect(agent.isOptedOut()).toBe(true)
    expect(warnings).toHaveLength(1)
    expect([localStorage.length, sessionStorage.length, network.urls.length]).toEqual([0, 0, 0])
  })

  it('takes null for no options', () => {
    const agent = init(key, null as never)
    agents.push(agent)
    expect(agent.getDistinctId()).not.toBe('')
  })

  it('disabled: touches no storage, no network and no history, and says nothing', async () => {
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
  it('does nothing where the browser asks not to be tracked, and nothing else where it does not', async () => {
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
  it("'memory' leaves nothing behind", async () => {
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

  it.each(['localStorage', 'sessionStorage'] as const)("'%s' keeps the identity there alone", async (persistence) => {
    start({ persistence, capturePageview: false }).identify('user')
    expect(document.cookie).toBe('')
    const [there, elsewhere] =
      persistence === 'localStorage' ? [localStorage, sessionStorage] : [sessionStorage, localStorage]
    expect([stored(there), stored(elsewhere)]).toEqual([[`waymark_1_${key}_state`], []])
  })

  it('null, or an unknown word, is as none given', () => {
    start({ persistence: null } as never).identify('user')
    start({ persistence: 'disk' } as never, `${key} other`).identify('user')
    expect(stored(localStorage)).toHaveLength(2)
  })

  it('crossSubdomainCookie keeps the identity in a cookie too, and nothing else', async () => {
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
  it('is where a page leaves its events, or nowhere: sessionStorage would lose them with the tab', () => {
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

  it('tells what another tab has changed', () => {
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
  /** The next page of the tab: the agent of this one is left behind. */
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

  it('keeps no $window_id of a user who has opted out', () => {
    const agent = start()
    agent.capture('event')
    agent.optOut({ clear: true })
    leave()
    expect(sessionStorage.length).toBe(0)
  })
})

describe('shutdown', () => {
  it('reports events that it could not deliver when nothing lasts longer than the page', async () => {
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

  it('ends every listener and gives the page its own functions back', async () => {
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
  it('disableGeoip goes with every event but one that says otherwise', async () => {
    const agent = start({ disableGeoip: true })
    agent.capture('with', {}, { disable_geoip: false })
    await agent.flush()
    await arrived(2)
    expect(network.events().map(({ properties }) => properties.$geoip_disable)).toEqual([true, false])
  })

  it('debug talks from the start, debug() at run time', async () => {
    const talk = vi.spyOn(console, 'debug').mockImplementation(() => {})
    const agent = start({ capturePageview: false, debug: true, before_send: () => null })
    agent.capture('one')
    expect(talk).toHaveBeenCalledTimes(1)
    agent.debug(false)
    agent.capture('two')
    expect(talk).toHaveBeenCalledTimes(1)
  })

  it('fetch takes the place of the page’s own', async () => {
    const own = vi.fn(async () => new Response('{}', { status: 200 }))
    const agent = start({ fetch: own as unknown as typeof fetch })
    await agent.flush()
    expect(own).toHaveBeenCalled()
    expect(network.urls).toEqual([])
  })
})
