import 'fake-indexeddb/auto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ExtendedWaymark, ExtraOptions } from '../../src/entry/extras.ts'
import type { BrowserOptions } from '../../src/entry/index.ts'
import { stubPageNetwork } from '../support/page-network.ts'
import type { PageNetwork } from '../support/page-network.ts'
import { until } from '../support/until.ts'
import { visit } from '../support/visit.ts'

type Global = ExtendedWaymark & {
  init: (key: string, options: BrowserOptions & ExtraOptions) => ExtendedWaymark
  q?: unknown
}

const page = globalThis as unknown as { waymark?: Global | undefined }
const OPTIONS = {
  disableCompression: true,
  capturePageview: false,
  preloadFeatureFlags: false,
  maskProperties: ['email'],
}

let network: PageNetwork
let warn: ReturnType<typeof vi.spyOn>
let keyCount = 0
let key: string

/** Runs an entry like a script tag with these attributes. */
const runTag = async (name: 'script' | 'script-extras', dataset: Record<string, string> = {}): Promise<void> => {
  const script = document.createElement('script')
  Object.assign(script.dataset, dataset)
  Object.defineProperty(script, 'src', { value: `https://waymark.test/${name}.js` })
  Object.defineProperty(document, 'currentScript', { value: script, configurable: true })
  vi.resetModules()
  await (name === 'script' ? import('../../src/entry/script.ts') : import('../../src/entry/script-extras.ts'))
}
const waitForEvents = async (count: number) => {
  await page.waymark!.flush()
  return until(network.events, (events) => events.length >= count)
}

beforeEach(() => {
  visit('https://shop.example.com/home')
  key = `script extras ${++keyCount}`
  network = stubPageNetwork()
  warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
})
afterEach(async () => {
  if (!page.waymark?.q) await page.waymark?.shutdown?.(1_000)
  window.dispatchEvent(new Event('pagehide'))
  delete page.waymark
  localStorage.clear()
  sessionStorage.clear()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

describe('the script tag of the extras', () => {
  it('starts the agent with masks and all verbs', async () => {
    await runTag('script')
    await runTag('script-extras', { key, options: JSON.stringify(OPTIONS) })
    page.waymark!.capture('event', { email: 'a@b.c' })
    page.waymark!.overrideFeatureFlags({ beta: true })
    expect(page.waymark!.getFeatureFlag('beta')).toBe(true)
    expect(page.waymark!.getGroups()).toEqual({})
    expect((await waitForEvents(1))[0]!.properties['email']).toBe('***')
    expect(network.urls[0]).toMatch(/^https:\/\/waymark\.test\//)
    expect(warn).not.toHaveBeenCalled()
  })

  it('starts the agent behind a stub, whose calls may be those of the extras', async () => {
    vi.resetModules()
    await vi.importActual('../../src/entry/stub.ts')
    page.waymark!.group('company', 'acme')
    page.waymark!.resetGroups()
    page.waymark!.capture('early', { email: 'a@b.c' })
    await runTag('script')
    await runTag('script-extras', { key, options: JSON.stringify(OPTIONS) })
    const events = await waitForEvents(2)
    expect(events.map(({ event }) => event)).toEqual(['$groupidentify', 'early'])
    expect(events[1]!.properties).toMatchObject({ email: '***' })
    expect(events[1]!.properties).not.toHaveProperty('$groups')
    expect(page.waymark!.getGroups()).toEqual({})
  })

  it('lets the page start the agent by hand', async () => {
    await runTag('script')
    await runTag('script-extras')
    page.waymark!.init(key, { host: 'https://waymark.test', ...OPTIONS })
    page.waymark!.capture('event', { email: 'a@b.c' })
    expect((await waitForEvents(1))[0]!.properties['email']).toBe('***')
    expect(page.waymark!.getGroups()).toEqual({})
  })

  it.each([
    ['without the script', async () => {}, '{}', /needs the script tag/],
    ['with unreadable options', () => runTag('script'), '{', /not JSON/],
  ])('captures nothing %s', async (_case, runFirst, options, message) => {
    await runFirst()
    await runTag('script-extras', { key, options })
    expect(warn).toHaveBeenCalledWith('[waymark]', expect.stringMatching(message))
    expect(page.waymark?.capture).toBeUndefined()
  })
})
