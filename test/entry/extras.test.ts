import 'fake-indexeddb/auto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { withExtras } from '../../src/entry/extras.ts'
import type { ExtendedWaymark, ExtraOptions } from '../../src/entry/extras.ts'
import { init } from '../../src/entry/index.ts'
import type { BrowserOptions, Waymark } from '../../src/entry/index.ts'
import { addPrototypeMethods } from '../support/add-prototype-methods.ts'
import { stubPageNetwork } from '../support/page-network.ts'
import type { PageNetwork } from '../support/page-network.ts'
import { until } from '../support/until.ts'
import { visit } from '../support/visit.ts'

let network: PageNetwork
let agents: Waymark[]
let warnings: unknown[][]
let keyCount = 0
let key: string

const start = (options?: BrowserOptions & ExtraOptions): ExtendedWaymark => {
  const agent = withExtras(init)(key, { host: 'https://waymark.test', disableCompression: true, ...options })
  agents.push(agent)
  return agent
}
/** Delivers, and returns the events when this many have arrived. */
const deliver = async (agent: Waymark, count: number) => {
  await agent.flush()
  return until(network.events, (events) => events.length >= count)
}
const goToHash = (hash: string): void => {
  visit(`https://shop.example.com/app${hash}`)
  window.dispatchEvent(new Event('popstate'))
}

beforeEach(() => {
  visit('https://shop.example.com/app')
  document.title = 'Shop'
  localStorage.clear()
  sessionStorage.clear()
  agents = []
  warnings = []
  key = `extras ${++keyCount}`
  network = stubPageNetwork()
  vi.spyOn(console, 'warn').mockImplementation((...message) => void warnings.push(message))
})
afterEach(async () => {
  await Promise.all(agents.map((agent) => agent.shutdown(1_000)))
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

describe('withExtras', () => {
  it('adds verbs to the agent that init returns, and starts it once', async () => {
    const loaded: unknown[] = []
    const agent = start({ loaded: (startedAgent) => loaded.push(startedAgent) })
    expect(start()).toBe(agent)
    expect(init(key)).toBe(agent)
    expect(agent.getGroups()).toEqual({})
    expect(loaded).toEqual([agent])
    expect((await deliver(agent, 1)).map(({ event }) => event)).toEqual(['$pageview'])
  })

  it('warns when the agent runs already without extras', () => {
    const plain = init(key, { host: 'https://waymark.test', capturePageview: false })
    const agent = start({ maskProperties: ['email'] })
    expect(agent).toBe(plain)
    expect([agent.getGroups(), agent.getConsent()]).toEqual([{}, 'undecided'])
    expect(warnings).toEqual([['[waymark]', 'withExtras() has no effect: the agent with this key runs already']])
  })

  it('is named by init when it gets a mask without the extras', async () => {
    const agent = init(key, { host: 'https://waymark.test', maskProperties: ['email'] } as BrowserOptions)
    agents.push(agent)
    await until(
      () => warnings,
      ([warning]) => String(warning?.at(-1)).includes('"maskProperties" is an option of the extras'),
    )
  })

  it('returns a silent agent when disabled', () => {
    const agent = start({ disabled: true, captureScreen: true })
    agent.unsetPersonProperties('plan')
    agent.resetGroups()
    expect(agent.getGroups()).toEqual({})
    expect(agent.isOptedOut()).toBe(true)
    expect(warnings).toEqual([])
  })

  it('captures screens and page views by the route of a hash router', async () => {
    const agent = start({ captureScreen: (route) => route.split('/').at(-1) || undefined, hashRouting: true })
    agent.capture('start')
    goToHash('#/cart?from=menu')
    goToHash('#/cart?from=list')
    goToHash('#details')
    await agent.flush()
    history.pushState({}, '', 'https://shop.example.com/pay/')
    agent.capture('end')
    await agent.shutdown()
    const events = network.events().map(({ event, properties }) => [event, properties['$screen_name']])
    expect(events.filter(([event]) => event === '$screen')).toEqual([
      ['$screen', 'app'],
      ['$screen', 'cart'],
      ['$screen', 'app'],
    ])
    const views = network.events().filter(({ event }) => event === '$pageview')
    expect(views.map(({ properties }) => properties['$prev_pageview_pathname'])).toEqual([
      undefined,
      '/app',
      '/app#/cart',
      '/app',
    ])
  })

  it('captures a page view with the title and URL of its page', async () => {
    const agent = start()
    agent.capture('start')
    history.pushState({}, '', 'https://shop.example.com/cart')
    document.title = 'Cart'
    // Observers are called after this turn.
    await Promise.resolve()
    history.pushState({}, '', 'https://shop.example.com/same-title')
    history.pushState({}, '', 'https://shop.example.com/pay')
    document.title = 'Pay'
    await agent.shutdown()
    const views = network.events().filter(({ event }) => event === '$pageview')
    expect(views.map(({ properties }) => [properties['title'], properties['$pathname']])).toEqual([
      ['Shop', '/app'],
      ['Cart', '/cart'],
      ['Cart', '/same-title'],
      ['Pay', '/pay'],
    ])
  })

  it('contains an exception of captureScreen', async () => {
    const error = new Error('screen')
    const agent = start({
      capturePageview: false,
      captureScreen() {
        throw error
      },
    })
    agent.capture('event')
    expect((await deliver(agent, 1)).map(({ event }) => event)).toEqual(['event'])
    expect(warnings).toEqual([['[waymark]', 'captureScreen failed:', error]])
  })

  it('asks the service for the payload of one flag, and stores nothing', async () => {
    const bodies: unknown[] = []
    const agent = start({
      preloadFeatureFlags: false,
      fetch: async (url, options) => {
        if ((url as string).includes('/decide/')) bodies.push(JSON.parse(options!.body as string))
        return new Response('{"featureFlags":{"limits":true},"featureFlagPayloads":{"limits":"{\\"max\\":3}"}}')
      },
    })
    agent.group('company', 'acme')
    bodies.length = 0
    expect(await agent.getRemoteConfigPayload('limits')).toEqual({ max: 3 })
    expect(await agent.getRemoteConfigPayload('constructor')).toBeUndefined()
    expect(bodies).toContainEqual({
      api_key: key,
      distinct_id: agent.getDistinctId(),
      $device_id: agent.getDeviceId(),
      groups: { company: 'acme' },
      flag_keys_to_evaluate: ['limits'],
    })
    agent.optOut()
    expect(await agent.getRemoteConfigPayload('limits')).toBeUndefined()
  })

  it('adds evaluation contexts to flag requests only', async () => {
    const bodies: [string, string][] = []
    const agent = start({
      evaluationContexts: ['checkout'],
      fetch: async (url, options) => {
        bodies.push([url as string, options!.body as string])
        return new Response('{"featureFlags":{}}')
      },
    })
    await agent.reloadFeatureFlags()
    await agent.flush()
    const contexts = bodies.map(([url, body]) => [
      new URL(url).pathname,
      (JSON.parse(body) as { evaluation_contexts?: unknown }).evaluation_contexts,
    ])
    expect(contexts).toContainEqual(['/decide/', ['checkout']])
    expect(contexts).toContainEqual(['/batch/', undefined])
  })

  it('adds evaluation contexts behind a proxy that redirects the slash at the end, and beside Prototype.js', async () => {
    const bodies: string[] = []
    const removeMethods = addPrototypeMethods()
    try {
      const agent = start({
        evaluationContexts: ['checkout'],
        fetch: async (url, options) => {
          if ((url as string).includes('/decide/')) throw new TypeError('redirect')
          if ((url as string).includes('/decide?')) bodies.push(options!.body as string)
          return new Response('{"featureFlags":{}}')
        },
      })
      await agent.reloadFeatureFlags()
    } finally {
      removeMethods()
    }
    expect(bodies.map((body) => JSON.parse(body) as unknown)).toContainEqual(
      expect.objectContaining({ evaluation_contexts: ['checkout'] }),
    )
  })
})
