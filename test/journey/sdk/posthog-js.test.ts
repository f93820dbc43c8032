import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventForms, expectNoComplaint, formsOf } from './asked.ts'
import { bundlePage } from './bundle-page.ts'
import { expectStored, lookAround, TOLD, visit } from './posthog-journey.ts'
import type { PostHog } from './posthog-journey.ts'
import { openSdkBed } from './sdk-bed.ts'
import type { SdkBed, SdkPage } from './sdk-bed.ts'

declare const posthog: PostHog

let bed: SdkBed
let imported: string
beforeAll(async () => {
  bed = await openSdkBed('node_modules/posthog-js/dist')
  imported = await bundlePage('posthog-js')
})
afterAll(() => bed?.close())

const begin = ({ page, host }: SdkPage, options: object = {}): Promise<unknown> =>
  page.evaluate(({ key, options }) => void posthog.init(key, options), {
    key: bed.service.apiKey,
    options: { api_host: host, ...options },
  })

/** What the snippet does that pages put into their head: calls wait in an array, and the script comes from the service. */
const snippet = ({ page, host }: SdkPage, file: string): Promise<unknown> =>
  page.evaluate(
    ({ key, host, file }) => {
      const waiting = Object.assign([] as unknown[], { _i: [] as unknown[], people: [], __SV: 1 })
      Object.assign(globalThis, { posthog: waiting })
      const later = (name: string) =>
        Object.assign(waiting, { [name]: (...args: unknown[]) => void waiting.push([name, ...args]) })
      for (const name of ['capture', 'identify', 'onFeatureFlags', 'group', 'reset']) later(name)
      const script = document.createElement('script')
      Object.assign(script, { crossOrigin: 'anonymous', async: true, src: `${host}/static/${file}` })
      document.head.append(script)
      waiting._i.push([key, { api_host: host }, 'posthog'])
    },
    { key: bed.service.apiKey, host, file },
  )

describe.concurrent('posthog-js 1.430', () => {
  it('imported by a page works as it does with its own service', async () => {
    const opened = await bed.open({ script: imported })
    const told = await visit(opened, 'ada', () => begin(opened))
    expect(told).toEqual(TOLD)
    await expectStored(bed.service, 'ada', told)
    expectNoComplaint(opened)
    expect(formsOf(opened, bed.service.apiKey).sort()).toEqual([
      'GET /api/early_access_features/',
      'GET /api/surveys/',
      'GET /array/<key>/config.js',
      'GET /static/1.430.0/surveys.js',
      'POST /e/ text/plain',
      'POST /flags/ text/plain',
      'POST /i/v0/e/ text/plain',
    ])
  })

  it.each(['array.js', 'array.full.no-external.js'])('loaded by the snippet from the service as %s', async (file) => {
    const user = `bob-${file}`
    const opened = await bed.open({})
    const told = await visit(opened, user, () => snippet(opened, file))
    expect(told).toEqual(TOLD)
    await expectStored(bed.service, user, told)
    expectNoComplaint(opened)
  })
})

/** Options that sites set, and what is otherwise than without them. */
interface Options {
  readonly name: string
  readonly options: object
  /** Whether they leave events to wait for each other; by default they do. */
  readonly isBatched?: boolean
  /** How the requests with events are packed; by default gzip by its first bytes. */
  readonly forms?: readonly string[]
  /** Events beside those of every visit. */
  readonly also?: readonly string[]
  /** Scripts that the page loads beside `surveys`. */
  readonly scripts?: readonly string[]
  readonly prefix?: string
  /** What the package logs as a warning of these options, which is no word on the service. */
  readonly ofOptions?: readonly string[]
}

const OPTIONS: readonly Options[] = [
  { name: 'the defaults of 2025-05-24', options: { defaults: '2025-05-24' } },
  { name: 'the newest defaults', options: { defaults: '2026-08-30' }, also: ['$set'] },
  { name: 'no batches', options: { request_batching: false }, isBatched: false },
  {
    name: 'no compression, where a page that goes sends base64 by beacon',
    options: { disable_compression: true },
    forms: ['OPTIONS', 'POST application/json', 'POST base64 application/x-www-form-urlencoded'],
  },
  {
    name: 'XMLHttpRequest, everything in localStorage, and everybody a person',
    options: { api_transport: 'XHR', persistence: 'localStorage', person_profiles: 'always' },
  },
  {
    name: 'identity and flags from the server',
    options: { bootstrap: { distinctID: 'ssr-1', isIdentifiedID: true, featureFlags: { beta: false } } },
    // It reads the flags of its own option by the code for answers of old services.
    ofOptions: [
      '[PostHog.js] [FeatureFlags] Using an older version of the feature flags endpoint. Please upgrade your PostHog server to the latest version',
    ],
  },
  { name: 'no cookies', options: { cookieless_mode: 'always' } },
  {
    name: 'no flags at first, and web experiments, of which there are none',
    options: { advanced_disable_feature_flags_on_first_load: true, disable_web_experiments: false },
  },
  {
    name: 'no remote config',
    options: { advanced_disable_flags: true },
    ofOptions: ['[PostHog.js] [RemoteConfig] Remote config is disabled. Falling back to local config.'],
  },
  {
    name: 'more captured by itself',
    options: { capture_heatmaps: true, capture_exceptions: true, capture_performance: true, capture_dead_clicks: true },
    also: ['$$heatmap'],
    scripts: ['dead-clicks-autocapture', 'exception-autocapture', 'web-vitals-with-attribution'],
  },
  { name: 'an address below the site', options: {}, prefix: '/ingest' },
]

describe.concurrent('posthog-js 1.430 with', () => {
  it.each(OPTIONS.map((each) => [each.name, each] as const))(
    '%s',
    async (_name, { options, forms = ['POST text/plain'], scripts = [], prefix, ...expected }) => {
      const opened = await bed.open({ script: imported, ...(prefix !== undefined && { prefix }) })
      await lookAround(bed.service, opened, () => begin(opened, options), expected)
      const asked = formsOf(opened, bed.service.apiKey).map((form) => form.replace(prefix ?? '', ''))
      expect(eventForms(asked)).toEqual(forms)
      const loaded = asked.flatMap((form) => /static\/1.430.0\/(\S+)\.js/.exec(form)?.[1] ?? [])
      expect(loaded.filter((script) => script !== 'surveys').sort()).toEqual(scripts)
    },
  )
})
