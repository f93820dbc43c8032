import 'fake-indexeddb/auto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { init, Waymark } from '../../src/entry/index.ts'
import { stubPageNetwork } from '../support/page-network.ts'
import type { PageNetwork } from '../support/page-network.ts'
import { until } from '../support/until.ts'
import { visit } from '../support/visit.ts'

type Call = [verb: string, args: unknown[], at: number, url: string]
type Page = Partial<Waymark> & { init: typeof init; q?: Call[] }

const page = globalThis as unknown as { waymark?: Page | undefined }
const plain = JSON.stringify({ disableCompression: true, capturePageview: false, preloadFeatureFlags: false })

let network: PageNetwork
let warn: ReturnType<typeof vi.spyOn>
let keys = 0
let key: string

/** Runs the script like a script tag with these attributes. */
const run = async (dataset: Record<string, string> = {}, src = 'https://waymark.test/waymark.js'): Promise<void> => {
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
/** The current global object of the page. */
const current = (): Page => page.waymark!
const leave = () => window.dispatchEvent(new Event('pagehide'))
const arrived = async (count: number) => {
  await current().flush!()
  return until(network.events, (events) => events.length >= count)
}

beforeEach(() => {
  visit('https://shop.example.com/home?utm_source=ad')
  key = `script ${++keys}`
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
  it('starts from its attributes, with its own origin as host', async () => {
    await run({ key, options: plain })
    const waymark = current()
    waymark.capture!('event', { plan: 'pro' })
    expect((await arrived(1)).map(({ event }) => event)).toEqual(['event'])
    expect(network.urls[0]).toBe('https://waymark.test/batch/')
    expect(warn).not.toHaveBeenCalled()
  })

  it('uses data-host, or the origin of the page for an inline script', async () => {
    await run({ key, options: plain, host: 'https://other.test/' })
    current().capture!('event')
    await arrived(1)
    expect(network.urls[0]).toBe('https://other.test/batch/')
    await current().shutdown!()
    delete page.waymark
    await run({ key: `${key} inline`, options: plain }, '')
    current().capture!('event')
    await arrived(2)
    expect(network.urls.at(-1)).toBe('https://shop.example.com/batch/')
  })

  it('warns about data-options that are not JSON, and starts', async () => {
    await run({ key, options: '{plan' })
    const waymark = current()
    expect(waymark.getDistinctId!()).not.toBe('')
    expect(warn).toHaveBeenCalledTimes(1)
  })

  it('writes debug messages with data-debug', async () => {
    const talk = vi.spyOn(console, 'debug').mockImplementation(() => {})
    await run({ key, debug: '', options: plain })
    const waymark = current()
    waymark.optOut!()
    waymark.capture!('one')
    waymark.capture!('two')
    expect(talk).toHaveBeenCalled()
  })

  it('waits for init without a key', async () => {
    await run()
    const waymark = current()
    expect(Object.keys(waymark)).toEqual(['init'])
    const agent = waymark.init(key, { host: 'https://waymark.test', ...(JSON.parse(plain) as object) })
    expect(waymark.getDistinctId!()).toBe(agent.getDistinctId())
    agent.capture('event')
    await arrived(1)
  })

  it('creates one agent for two script tags', async () => {
    await run({ key, options: '{"disableCompression":true}' })
    const waymark = current()
    await run({ key, options: '{"disableCompression":true}' })
    expect(current()).toBe(waymark)
    history.pushState({}, '', '/next')
    expect((await arrived(2)).map(({ event }) => event)).toEqual(['$pageview', '$pageview'])
  })

  it('works beside an element that is named `waymark`', async () => {
    page.waymark = document.createElement('div') as unknown as Page
    await run({ key, options: plain })
    const waymark = current()
    expect(waymark.getDistinctId!()).not.toBe('')
  })
})

describe('calls before the script', () => {
  it('are replayed in order with their own time and URL', async () => {
    await runStub()
    const stub = current()
    const before = Date.now()
    stub.register!({ plan: 'pro' })
    stub.capture!('early', { size: 1 })
    stub.pageview!()
    stub.screen!('Home')
    vi.spyOn(Date, 'now').mockReturnValue(before + 60_000)
    visit('https://shop.example.com/next')
    await run({ key, options: plain })
    const events = await arrived(3)
    expect(events.map(({ event }) => event)).toEqual(['early', '$pageview', '$screen'])
    for (const { timestamp, properties } of events) {
      expect(Date.parse(timestamp)).toBeLessThan(before + 30_000)
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
    const stub = current()
    stub.q!.push(null as never, ['capture', null, 0, ''] as never, ['capture', ['no address'], 0, '-'])
    stub.capture!('early')
    await run({ key, options: JSON.stringify({ ...JSON.parse(plain), capturePageview: true }) })
    expect((await arrived(2)).map(({ event }) => event)).toEqual(['early', '$pageview'])
    expect(warn).not.toHaveBeenCalled()
  })

  it('keep a time and URL that the caller has set', async () => {
    await runStub()
    const stub = current()
    const timestamp = new Date('2025-01-01T00:00:00Z')
    stub.capture!('early', { $current_url: 'https://own.test/' }, { timestamp })
    await run({ key, options: plain })
    const [event] = await arrived(1)
    expect(event).toMatchObject({
      timestamp: timestamp.toISOString(),
      properties: { $current_url: 'https://own.test/' },
    })
  })

  it('may include init', async () => {
    await runStub()
    const stub = current()
    stub.capture!('before init')
    stub.init(key, { host: 'https://waymark.test', ...(JSON.parse(plain) as object) })
    stub.capture!('after init')
    await run()
    expect((await arrived(2)).map(({ event }) => event)).toEqual(['before init', 'after init'])
  })

  it('stay in the stub until init is called, also after the script is loaded', async () => {
    await runStub()
    const stub = current()
    stub.capture!('early')
    await run()
    expect(current()).toBe(stub)
    stub.capture!('later')
    leave()
    expect(JSON.parse(localStorage.getItem('waymark_q') ?? '[]')).toHaveLength(2)
    stub.init(key, { host: 'https://waymark.test', ...(JSON.parse(plain) as object) })
    expect(page.waymark).not.toBe(stub)
    expect((await arrived(2)).map(({ event }) => event)).toEqual(['early', 'later'])
  })

  it('reach the agent also through an old reference to the stub', async () => {
    await runStub()
    const stub = current()
    await run({ key, options: plain })
    stub.capture!('late')
    expect((await arrived(1)).map(({ event }) => event)).toEqual(['late'])
    leave()
    expect(localStorage.getItem('waymark_q')).toBeNull()
  })

  it('of a page that was left come first, without init, shutdown and listeners', async () => {
    await runStub()
    const left = current()
    left.init('other key')
    left.onFeatureFlags!(() => {})
    left.capture!('left')
    void left.shutdown!()
    leave()
    delete page.waymark
    visit('https://shop.example.com/next')
    await runStub()
    const stub = current()
    stub.capture!('here')
    await run({ key, options: plain })
    const events = await arrived(2)
    expect(events.map(({ event, properties }) => [event, properties.$pathname])).toEqual([
      ['left', '/home'],
      ['here', '/next'],
    ])
    expect(localStorage.getItem('waymark_q')).toBeNull()
  })

  it.each(['not json', '7', '[7]', '[null]', '[["capture"]]'])(
    'of a page that was left are ignored if corrupt as %s',
    async (text) => {
      localStorage.setItem('waymark_q', text)
      await run({ key, options: plain })
      const waymark = current()
      waymark.capture!('event')
      expect((await arrived(1)).map(({ event }) => event)).toEqual(['event'])
    },
  )
})
