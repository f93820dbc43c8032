import 'fake-indexeddb/auto'
import { afterEach, beforeEach, describe, expect, expectTypeOf, it, onTestFinished, vi } from 'vitest'
import { flags, init, surveys, tracing } from '../../src/entry/capture.ts'
import type { CaptureWaymark } from '../../src/entry/capture.ts'
import type { Waymark } from '../../src/entry/index.ts'
import { stubPageNetwork } from '../support/page-network.ts'
import type { PageNetwork } from '../support/page-network.ts'
import { until } from '../support/until.ts'
import { visit } from '../support/visit.ts'

const OPTIONS = { host: 'https://waymark.test', disableCompression: true, capturePageview: false }

let network: PageNetwork
let keyCount = 0
let key: string

beforeEach(() => {
  visit('https://shop.example.com/home')
  network = stubPageNetwork()
  key = `parts ${++keyCount}`
})
afterEach(() => {
  localStorage.clear()
  sessionStorage.clear()
  vi.unstubAllGlobals()
})

describe('init of waymark/capture', () => {
  it('starts an agent that only captures', async () => {
    const waymark = init(key, OPTIONS)
    expectTypeOf(waymark).toEqualTypeOf<CaptureWaymark>()
    expect(Object.keys(waymark).filter((name) => /flag|survey/i.test(name))).toEqual([])
    waymark.capture('event')
    await waymark.shutdown()
    expect(network.events().map(({ event }) => event)).toEqual(['event'])
    expect(network.urls).toEqual(['https://waymark.test/batch/'])
  })

  it('gives a later init with more parts verbs that only warn, and never throw', async () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue()
    onTestFinished(() => warn.mockRestore())
    const first = init(key, OPTIONS)
    const second = init(key, OPTIONS, { flags, surveys })
    expect(second).toBe(first)
    expect([second.isFeatureEnabled('beta'), second.surveyShown('survey')]).toEqual([undefined, undefined])
    expect(warn.mock.calls).toEqual([
      ['[waymark]', 'no parts:', 'isFeatureEnabled'],
      ['[waymark]', 'no parts:', 'surveyShown'],
    ])
    await first.shutdown()
  })

  it('adds the parts that are passed in', async () => {
    const waymark = init(key, OPTIONS, { flags, surveys })
    expectTypeOf(waymark).toExtend<Waymark>()
    waymark.surveyShown('survey')
    await until(
      () => network.urls,
      (urls) => urls.includes('https://waymark.test/decide/?v=3'),
    )
    expect(waymark.getFeatureFlags()).toEqual({})
    await waymark.shutdown()
    expect(network.events().map(({ event }) => event)).toEqual(['survey shown'])
  })

  it('sends tracing headers only with the part for them', async () => {
    const pageFetch = globalThis.fetch
    const plain = init(key, { ...OPTIONS, tracingHeaders: ['api.test'] })
    expect(globalThis.fetch).toBe(pageFetch)
    const traced = init(`${key} traced`, { ...OPTIONS, tracingHeaders: ['api.test'] }, { tracing })
    expect(globalThis.fetch).not.toBe(pageFetch)
    await Promise.all([plain.shutdown(), traced.shutdown()])
  })

  it('returns an agent with the verbs of its parts when it cannot start', () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const waymark = init('', OPTIONS, { flags })
    expect(waymark.getFeatureFlag('beta')).toBeUndefined()
    expect(waymark.isOptedOut()).toBe(true)
    expect(warn).toHaveBeenCalledTimes(1)
    warn.mockRestore()
  })
})
