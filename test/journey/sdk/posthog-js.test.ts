import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { selectEventRequests, expectNoErrors, describeRequests } from './page-requests.ts'
import { bundlePage } from './bundle-page.ts'
import { expectVisitStored, runShortVisit, EXPECTED_VALUES, runVisit } from './posthog-journey.ts'
import type { PostHog } from './posthog-journey.ts'
import { openSdkTestBed } from './sdk-test-bed.ts'
import type { SdkTestBed, SdkPage } from './sdk-test-bed.ts'

declare const posthog: PostHog

/** It sends events to /e/, and has no flags, until it has the answer of this path. */
const settingsPath = '/array/'

let testBed: SdkTestBed
let bundledScript: string
beforeAll(async () => {
  testBed = await openSdkTestBed('node_modules/posthog-js/dist')
  bundledScript = await bundlePage('posthog-js')
})
afterAll(() => testBed?.close())

/** By default the package gives up after 3 seconds, which a busy machine may need. */
const FLAGS_TIMEOUT_MS = 60_000

const initSdk = ({ page, host }: SdkPage, options: object = {}): Promise<unknown> =>
  page.evaluate(({ key, options }) => void posthog.init(key, options), {
    key: testBed.service.apiKey,
    options: { api_host: host, feature_flag_request_timeout_ms: FLAGS_TIMEOUT_MS, ...options },
  })

/** Runs the snippet that sites put into their head: it queues calls in an array, and loads the script from the service. */
const runSnippet = ({ page, host }: SdkPage, file: string): Promise<unknown> =>
  page.evaluate(
    ({ key, host, file, timeoutMs }) => {
      const queue = Object.assign([] as unknown[], { _i: [] as unknown[], people: [], __SV: 1 })
      Object.assign(globalThis, { posthog: queue })
      const queueCalls = (name: string) =>
        Object.assign(queue, { [name]: (...args: unknown[]) => void queue.push([name, ...args]) })
      for (const name of ['capture', 'identify', 'onFeatureFlags', 'group', 'reset']) queueCalls(name)
      const script = document.createElement('script')
      Object.assign(script, { crossOrigin: 'anonymous', async: true, src: `${host}/static/${file}` })
      document.head.append(script)
      queue._i.push([key, { api_host: host, feature_flag_request_timeout_ms: timeoutMs }, 'posthog'])
    },
    { key: testBed.service.apiKey, host, file, timeoutMs: FLAGS_TIMEOUT_MS },
  )

describe.concurrent('posthog-js 1.430', () => {
  it('works when a page imports it', async () => {
    const sdkPage = await testBed.open({ script: bundledScript, settingsPath })
    const values = await runVisit(sdkPage, 'ada', () => initSdk(sdkPage))
    expect(values).toEqual(EXPECTED_VALUES)
    await expectVisitStored(testBed.service, 'ada', values)
    expectNoErrors(sdkPage)
    expect(describeRequests(sdkPage, testBed.service.apiKey).sort()).toEqual([
      'GET /api/early_access_features/',
      'GET /api/surveys/',
      'GET /array/<key>/config.js',
      'GET /static/1.430.0/surveys.js',
      'POST /e/ text/plain',
      'POST /flags/ text/plain',
      'POST /i/v0/e/ text/plain',
    ])
  })

  it.each(['array.js', 'array.full.no-external.js'])(
    'works when the snippet loads %s from the service',
    async (file) => {
      const user = `bob-${file}`
      const sdkPage = await testBed.open({ settingsPath })
      const values = await runVisit(sdkPage, user, () => runSnippet(sdkPage, file))
      expect(values).toEqual(EXPECTED_VALUES)
      await expectVisitStored(testBed.service, user, values)
      expectNoErrors(sdkPage)
    },
  )
})

/** Longer than any visit of these tests, in milliseconds. */
const LATE_MS = 600_000

/** Options that sites set, and how the visit then differs. */
interface OptionsCase {
  readonly name: string
  readonly options: object
  /** True if events are sent in batches. Default true. */
  readonly isBatched?: boolean
  /** Descriptions of the requests with events. Default: gzip without a header. */
  readonly eventRequests?: readonly string[]
  /** Further events. */
  readonly furtherEvents?: readonly string[]
  /** Scripts that the page loads, except `surveys`. */
  readonly scripts?: readonly string[]
  readonly prefix?: string
  /** Warnings that the package logs because of these options. */
  readonly expectedWarnings?: readonly string[]
}

const CASES: readonly OptionsCase[] = [
  { name: 'the defaults of 2025-05-24', options: { defaults: '2025-05-24' } },
  { name: 'the newest defaults', options: { defaults: '2026-08-30' }, furtherEvents: ['$set'] },
  { name: 'no batches', options: { request_batching: false }, isBatched: false },
  {
    name: 'no compression, and base64 in beacons',
    options: { disable_compression: true },
    eventRequests: ['OPTIONS', 'POST application/json', 'POST base64 application/x-www-form-urlencoded'],
  },
  {
    name: 'XMLHttpRequest, only localStorage, and person profiles for all',
    options: { api_transport: 'XHR', persistence: 'localStorage', person_profiles: 'always' },
  },
  {
    name: 'identity and flags from the server',
    options: { bootstrap: { distinctID: 'ssr-1', isIdentifiedID: true, featureFlags: { beta: false } } },
    // It parses the flags of this option with its code for responses of older services.
    expectedWarnings: [
      '[PostHog.js] [FeatureFlags] Using an older version of the feature flags endpoint. Please upgrade your PostHog server to the latest version',
    ],
  },
  { name: 'no cookies', options: { cookieless_mode: 'always' } },
  {
    name: 'no flags at first, and web experiments',
    options: { advanced_disable_feature_flags_on_first_load: true, disable_web_experiments: false },
  },
  {
    name: 'no remote config',
    options: { advanced_disable_flags: true },
    expectedWarnings: ['[PostHog.js] [RemoteConfig] Remote config is disabled. Falling back to local config.'],
  },
  {
    name: 'heatmaps, exceptions, performance and dead clicks',
    options: {
      // By default, events of these features come some seconds after a click or a load, which on a busy machine is before the end
      // of the visit. Heatmaps are also sent when the page is left.
      capture_heatmaps: { flush_interval_milliseconds: LATE_MS },
      capture_exceptions: true,
      capture_performance: { network_timing: true, web_vitals: true, web_vitals_delayed_flush_ms: LATE_MS },
      capture_dead_clicks: {
        mutation_threshold_ms: LATE_MS,
        scroll_threshold_ms: LATE_MS,
        selection_change_threshold_ms: LATE_MS,
      },
    },
    furtherEvents: ['$$heatmap'],
    scripts: ['dead-clicks-autocapture', 'exception-autocapture', 'web-vitals-with-attribution'],
  },
  { name: 'the service below a path of the site', options: {}, prefix: '/ingest' },
]

describe.concurrent('posthog-js 1.430 works with', () => {
  it.each(CASES.map((optionsCase) => [optionsCase.name, optionsCase] as const))(
    '%s',
    async (_name, { options, eventRequests = ['POST text/plain'], scripts = [], prefix, ...expected }) => {
      const sdkPage = await testBed.open({ script: bundledScript, ...(prefix !== undefined && { prefix }) })
      await runShortVisit(testBed.service, sdkPage, () => initSdk(sdkPage, options), expected)
      const requests = describeRequests(sdkPage, testBed.service.apiKey).map((description) =>
        description.replace(prefix ?? '', ''),
      )
      expect(selectEventRequests(requests)).toEqual(eventRequests)
      const loaded = requests.flatMap((description) => /static\/1.430.0\/(\S+)\.js/.exec(description)?.[1] ?? [])
      expect(loaded.filter((script) => script !== 'surveys').sort()).toEqual(scripts)
    },
  )
})
