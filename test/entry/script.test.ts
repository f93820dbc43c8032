import 'fake-indexeddb/auto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { init, Waymark } from '../../src/entry/index.ts'
import { stubPageNetwork } from '../support/page-network.ts'
import type { PageNetwork } from '../support/page-network.ts'
import { until } from '../support/until.ts'
import { visit } from '../support/visit.ts'

type Call = [verb: string, args: unknown[], time: number, url: string]
type Page = Partial<Waymark> & { init: typeof init; q?: Call[] }

const page = globalThis as unknown as { waymark?: Page | undefined }
/** Options that make requests easy to read: no compression, no automatic pageviews, no flags at start. */
const PLAIN_OPTIONS = JSON.stringify({ disableCompression: true, capturePageview: false, preloadFeatureFlags: false })

let network: PageNetwork
let warn: ReturnType<typeof vi.spyOn>
let keyCount = 0
let key: string

/** Runs the script like a script tag with these attributes. */
const runScript = async (
  dataset: Record<string, string> = {},
  src = 'https://waymark.test/waymark.js',
): Promise<void> => {
  const script = document.createElement('script')
  Object.assign(script.dataset, dataset)
  Object.defineProperty(script, 'src', { value: src })
  Object.defineProperty(document, 'currentScript', { value: script, configurable: true })
  vi.resetModules()
  await import('../../src/entry/script.ts')
}
const runStub = async (): Promise<void> => {
  vi.resetModules()
  await vi.importActual('../../src/entry/stub.ts')
}
/** Returns `window.waymark`: the stub, or the global object of the script. */
const getGlobal = (): Page => page.waymark!
const leave = () => window.dispatchEvent(new Event('pagehide'))
/** Waits until this many events have arrived. */
const waitForEvents = async (count: number) => {
  await getGlobal().flush!()
  return until(network.events, (events) => events.length >= count)
}

beforeEach(() => {
  visit('https://shop.example.com/home?utm_source=ad')
  key = `script ${++keyCount}`
  network = stubPageNetwork()
  warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
})
afterEach(async () => {
  if (!page.waymark?.q) await page.waymark?.shutdown?.(1_000)
  leave()
  delete page.waymark
  localStorage.clear()
  sessionStorage.clear()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

describe('the script tag', () => {
  it('starts the agent of data-key, with the origin of the script as host', async () => {
    await runScript({ key, options: PLAIN_OPTIONS })
    const waymark = getGlobal()
    waymark.capture!('event', { plan: 'pro' })
    expect((await waitForEvents(1)).map(({ event }) => event)).toEqual(['event'])
    expect(network.urls[0]).toBe('https://waymark.test/batch/')
    expect(warn).not.toHaveBeenCalled()
  })

  it('uses data-host, or the origin of the page for an inline script', async () => {
    await runScript({ key, options: PLAIN_OPTIONS, host: 'https://other.test/' })
    getGlobal().capture!('event')
    await waitForEvents(1)
    expect(network.urls[0]).toBe('https://other.test/batch/')
    await getGlobal().shutdown!()
    delete page.waymark
    await runScript({ key: `${key} inline`, options: PLAIN_OPTIONS }, '')
    getGlobal().capture!('event')
    await waitForEvents(2)
    expect(network.urls.at(-1)).toBe('https://shop.example.com/batch/')
  })

  it('starts where an element or a frame of the page has its name', async () => {
    const form = document.createElement('form')
    Object.assign(form, { init: document.createElement('input'), q: document.createElement('input') })
    page.waymark = form as never
    await runScript({ key, options: PLAIN_OPTIONS })
    getGlobal().capture!('beside a form')
    await waitForEvents(1)
    await getGlobal().shutdown!()
    const frame = new Proxy(
      {},
      {
        get() {
          throw new DOMException('Blocked a frame', 'SecurityError')
        },
      },
    )
    page.waymark = frame as never
    await runScript({ key: `${key} frame`, options: PLAIN_OPTIONS })
    getGlobal().capture!('beside a frame')
    expect((await waitForEvents(2)).map(({ event }) => event)).toEqual(['beside a form', 'beside a frame'])
  })

  it('sends to a path of its own origin although the page has a base elsewhere', async () => {
    await runScript({ key, options: PLAIN_OPTIONS, host: '/ingest/' })
    getGlobal().capture!('event')
    await waitForEvents(1)
    expect(network.urls[0]).toBe('https://shop.example.com/ingest/batch/')
  })

  it('warns about data-options that are not JSON, and starts', async () => {
    await runScript({ key, options: '{plan' })
    const waymark = getGlobal()
    expect(waymark.getDistinctId!()).not.toBe('')
    await expect.poll(() => warn).toHaveBeenCalledTimes(1)
  })

  it('writes debug messages with data-debug', async () => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => {})
    await runScript({ key, debug: '', options: PLAIN_OPTIONS })
    const waymark = getGlobal()
    waymark.optOut!()
    waymark.capture!('one')
    waymark.capture!('two')
    await expect.poll(() => log).toHaveBeenCalled()
  })

  it('does not start an agent until init if there is no data-key', async () => {
    await runScript()
    const waymark = getGlobal()
    expect(Object.keys(waymark)).toEqual(['init'])
    const agent = waymark.init(key, { host: 'https://waymark.test', ...(JSON.parse(PLAIN_OPTIONS) as object) })
    expect(waymark.getDistinctId!()).toBe(agent.getDistinctId())
    agent.capture('event')
    await waitForEvents(1)
  })

  it('keeps the verbs of the first project when init is called with another key', async () => {
    await runScript({ key, options: PLAIN_OPTIONS })
    const waymark = getGlobal()
    const id = waymark.getDistinctId!()
    const other = waymark.init(`${key} other`, { host: 'https://waymark.test' })
    expect(other.getDistinctId()).not.toBe(id)
    expect(getGlobal().getDistinctId!()).toBe(id)
    await other.shutdown(0)
  })

  it('creates one agent for two script tags', async () => {
    await runScript({ key, options: '{"disableCompression":true}' })
    const waymark = getGlobal()
    await runScript({ key, options: '{"disableCompression":true}' })
    expect(getGlobal()).toBe(waymark)
    history.pushState({}, '', '/next')
    expect((await waitForEvents(2)).map(({ event }) => event)).toEqual(['$pageview', '$pageview'])
  })

  it('starts although an element of the page is named `waymark`', async () => {
    page.waymark = document.createElement('div') as unknown as Page
    await runScript({ key, options: PLAIN_OPTIONS })
    const waymark = getGlobal()
    expect(waymark.getDistinctId!()).not.toBe('')
  })
})

describe('calls made before the script is loaded', () => {
  it('are replayed in order with their own time and URL', async () => {
    await runStub()
    const stub = getGlobal()
    const startMs = Date.now()
    stub.register!({ plan: 'pro' })
    stub.capture!('early', { size: 1 })
    stub.pageview!()
    stub.screen!('Home')
    vi.spyOn(Date, 'now').mockReturnValue(startMs + 60_000)
    visit('https://shop.example.com/next')
    await runScript({ key, options: PLAIN_OPTIONS })
    const events = await waitForEvents(3)
    expect(events.map(({ event }) => event)).toEqual(['early', '$pageview', '$screen'])
    for (const { timestamp, properties } of events) {
      expect(Date.parse(timestamp)).toBeLessThan(startMs + 30_000)
      expect(properties).toMatchObject({
        plan: 'pro',
        $current_url: 'https://shop.example.com/home?utm_source=ad',
        $host: 'shop.example.com',
        $pathname: '/home',
      })
    }
    expect(events[0]!.properties.size).toBe(1)
  })

  it('are replayed although one of them is malformed', async () => {
    await runStub()
    const stub = getGlobal()
    stub.q!.push(null as never, ['capture', null, 0, ''] as never, ['capture', ['no address'], 0, '-'])
    stub.capture!('early')
    await runScript({ key, options: JSON.stringify({ ...JSON.parse(PLAIN_OPTIONS), capturePageview: true }) })
    expect((await waitForEvents(3)).map(({ event }) => event)).toEqual(['no address', 'early', '$pageview'])
    expect(warn).not.toHaveBeenCalled()
  })

  it('keep the time and URL that the caller has set', async () => {
    await runStub()
    const stub = getGlobal()
    const timestamp = new Date('2025-01-01T00:00:00Z')
    stub.capture!('early', { $current_url: 'https://own.test/' }, { timestamp })
    await runScript({ key, options: PLAIN_OPTIONS })
    const [event] = await waitForEvents(1)
    expect(event).toMatchObject({
      timestamp: timestamp.toISOString(),
      properties: { $current_url: 'https://own.test/' },
    })
  })

  it('may include a call of init', async () => {
    await runStub()
    const stub = getGlobal()
    stub.capture!('before init')
    stub.init(key, { host: 'https://waymark.test', ...(JSON.parse(PLAIN_OPTIONS) as object) })
    stub.capture!('after init')
    await runScript()
    expect((await waitForEvents(2)).map(({ event }) => event)).toEqual(['before init', 'after init'])
  })

  it('stay in the stub until init is called, also after the script is loaded', async () => {
    await runStub()
    const stub = getGlobal()
    stub.capture!('early')
    await runScript()
    expect(getGlobal()).toBe(stub)
    stub.capture!('later')
    leave()
    expect(JSON.parse(localStorage.getItem('waymark_q') ?? '[]')).toHaveLength(2)
    stub.init(key, { host: 'https://waymark.test', ...(JSON.parse(PLAIN_OPTIONS) as object) })
    expect(page.waymark).not.toBe(stub)
    expect((await waitForEvents(2)).map(({ event }) => event)).toEqual(['early', 'later'])
  })

  it('reach the agent through an old reference to the stub', async () => {
    await runStub()
    const stub = getGlobal()
    await runScript({ key, options: PLAIN_OPTIONS })
    stub.capture!('late')
    expect((await waitForEvents(1)).map(({ event }) => event)).toEqual(['late'])
    leave()
    expect(localStorage.getItem('waymark_q')).toBeNull()
  })

  it('of an earlier page are replayed first, without init, shutdown and listeners', async () => {
    await runStub()
    const earlierStub = getGlobal()
    earlierStub.init('other key')
    earlierStub.onFeatureFlags!(() => {})
    earlierStub.capture!('left')
    void earlierStub.shutdown!()
    leave()
    delete page.waymark
    visit('https://shop.example.com/next')
    await runStub()
    const stub = getGlobal()
    stub.capture!('here')
    await runScript({ key, options: PLAIN_OPTIONS })
    const events = await waitForEvents(2)
    expect(events.map(({ event, properties }) => [event, properties.$pathname])).toEqual([
      ['left', '/home'],
      ['here', '/next'],
    ])
    expect(localStorage.getItem('waymark_q')).toBeNull()
  })

  it.each(['not json', '7', '[7]', '[null]', '[["capture"]]'])(
    'of an earlier page are ignored if the stored JSON is %s',
    async (json) => {
      localStorage.setItem('waymark_q', json)
      await runScript({ key, options: PLAIN_OPTIONS })
      const waymark = getGlobal()
      waymark.capture!('event')
      expect((await waitForEvents(1)).map(({ event }) => event)).toEqual(['event'])
    },
  )
})
