import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { selectEventRequests, expectNoErrors, describeRequests } from './page-requests.ts'
import { bundlePage } from './bundle-page.ts'
import { expectVisitStored, runShortVisit, EXPECTED_VALUES, runVisit } from './posthog-journey.ts'
import type { PostHog } from './posthog-journey.ts'
import { openSdkTestBed } from './sdk-test-bed.ts'
import type { SdkTestBed, SdkPage } from './sdk-test-bed.ts'

declare const posthog: PostHog

/** It sends events as base64 until it has the answer of this path. */
const settingsPath = '/decide/'

let testBed: SdkTestBed
let bundledScript: string
beforeAll(async () => {
  testBed = await openSdkTestBed('node_modules/posthog-js-1.150/dist')
  bundledScript = await bundlePage('posthog-js-1.150')
})
afterAll(() => testBed?.close())

const initSdk = ({ page, host }: SdkPage, options: object = {}): Promise<unknown> =>
  page.evaluate(({ key, options }) => void posthog.init(key, options), {
    key: testBed.service.apiKey,
    // By default the package gives up after 3 seconds, which a busy machine may need.
    options: { api_host: host, feature_flag_request_timeout_ms: 60_000, ...options },
  })

it('posthog-js 1.150 works, with base64 first and gzip after /decide', async () => {
  const sdkPage = await testBed.open({ script: bundledScript, settingsPath })
  const values = await runVisit(sdkPage, 'ada', () => initSdk(sdkPage))
  expect(values).toEqual(EXPECTED_VALUES)
  await expectVisitStored(testBed.service, 'ada', values)
  expectNoErrors(sdkPage)
  expect(describeRequests(sdkPage, testBed.service.apiKey).sort()).toEqual([
    'GET /api/early_access_features/',
    'GET /api/surveys/',
    'GET /static/surveys.js',
    'POST /decide/ base64 application/x-www-form-urlencoded',
    'POST /e/ base64 application/x-www-form-urlencoded',
    'POST /i/v0/e/ gzip-js text/plain',
  ])
})

describe.concurrent('posthog-js 1.150 works with', () => {
  it.each<[string, object, string[], string?]>([
    ['no compression', { disable_compression: true }, ['OPTIONS', 'POST application/json']],
    [
      'no batches and no stored IP address',
      { request_batching: false, ip: false },
      ['POST base64 application/x-www-form-urlencoded', 'POST gzip-js text/plain'],
    ],
    [
      'the service below a path of the site',
      {},
      ['POST base64 application/x-www-form-urlencoded', 'POST gzip-js text/plain'],
      '/ingest',
    ],
  ])('%s', async (_name, options, eventRequests, prefix) => {
    const sdkPage = await testBed.open({ script: bundledScript, settingsPath, ...(prefix !== undefined && { prefix }) })
    await runShortVisit(testBed.service, sdkPage, () => initSdk(sdkPage, options), {
      isBatched: !('request_batching' in options),
    })
    expect(selectEventRequests(describeRequests(sdkPage, testBed.service.apiKey))).toEqual(eventRequests)
  })
})
