import 'fake-indexeddb/auto'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { CaptureWaymark } from '../../src/entry/capture.ts'
import { stubPageNetwork } from '../support/page-network.ts'
import type { PageNetwork } from '../support/page-network.ts'
import { until } from '../support/until.ts'
import { visit } from '../support/visit.ts'

const page = globalThis as unknown as { waymark?: (CaptureWaymark & { init?: unknown }) | undefined }

let network: PageNetwork
let warn: ReturnType<typeof vi.spyOn>

/** Runs the script like a script tag with these attributes. */
const runScript = async (dataset: Record<string, string>): Promise<void> => {
  const script = document.createElement('script')
  Object.assign(script.dataset, dataset)
  Object.defineProperty(script, 'src', { value: 'https://waymark.test/waymark.js' })
  Object.defineProperty(document, 'currentScript', { value: script, configurable: true })
  vi.resetModules()
  await import('../../src/entry/script-capture.ts')
}
const runStub = async (): Promise<void> => {
  vi.resetModules()
  await vi.importActual('../../src/entry/stub.ts')
}

beforeEach(() => {
  visit('https://shop.example.com/home')
  network = stubPageNetwork()
  warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
})
afterEach(async () => {
  await page.waymark?.shutdown(1_000)
  delete page.waymark
  localStorage.clear()
  sessionStorage.clear()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

it('captures events and page views, and requests nothing else', async () => {
  await runScript({ key: 'capture only 1', options: '{"disableCompression":true}' })
  const { waymark } = page
  waymark!.identify('ada', { plan: 'pro' })
  waymark!.group('company', 'acme')
  waymark!.capture('bought')
  await waymark!.flush()
  const events = await until(network.events, ({ length }) => length >= 4)
  expect(events.map(({ event }) => event)).toEqual(['$pageview', '$identify', '$groupidentify', 'bought'])
  expect(events.at(-1)).toMatchObject({ distinct_id: 'ada', properties: { $groups: { company: 'acme' } } })
  expect(new Set(network.urls)).toEqual(new Set(['https://waymark.test/batch/']))
  expect(warn).not.toHaveBeenCalled()
})

it('has no verbs of flags and surveys', async () => {
  await runScript({ key: 'capture only 2' })
  const verbs = Object.keys(page.waymark!)
  expect(verbs).toContain('capture')
  expect(verbs.filter((name) => /flag|survey/i.test(name))).toEqual([])
})

it('replays calls of the stub, and ignores those of verbs that it lacks', async () => {
  await runStub()
  const stub = page.waymark as unknown as Record<string, (...args: unknown[]) => void>
  stub.onFeatureFlags!(() => {})
  stub.capture!('early')
  await runScript({ key: 'capture only 3', options: '{"disableCompression":true,"capturePageview":false}' })
  await page.waymark!.flush()
  expect((await until(network.events, ({ length }) => length >= 1)).map(({ event }) => event)).toEqual(['early'])
})

it('resets the user, opts out and in, and shuts down without flags', async () => {
  await runScript({ key: 'capture only 4', options: '{"disableCompression":true,"capturePageview":false}' })
  const waymark = page.waymark!
  waymark.identify('ada')
  waymark.reset()
  expect(waymark.getDistinctId()).not.toBe('ada')
  waymark.optOut()
  waymark.optIn()
  waymark.capture('last')
  await waymark.shutdown()
  expect(network.events().map(({ event }) => event)).toEqual(['$identify', 'last'])
  expect(warn).not.toHaveBeenCalled()
})
