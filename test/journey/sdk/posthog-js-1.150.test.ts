import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { selectEventRequests, expectNoErrors, describeRequests } from './page-requests.ts'
import { bundlePage } from './bundle-page.ts'
import { expectVisitStored, runShortVisit, EXPECTED_VALUES, runVisit } from './posthog-journey.ts'
import type { PostHog } from './posthog-journey.ts'
import { openSdkTestBed } from './sdk-test-bed.ts'
import type { SdkTestBed, SdkPage } from './sdk-test-bed.ts'

declare const posthog: PostHog

let bed: SdkTestBed
let bundledScript: string
beforeAll(async () => {
  bed = await openSdkTestBed('node_modules/posthog-js-1.150/dist')
  bundledScript = await bundlePage('posthog-js-1.150')
})
afterAll(() => bed?.close())

const begin = ({ page, host }: SdkPage, options: object = {}): Promise<unknown> =>
  page.evaluate(({ key, options }) => void posthog.init(key, options), {
    key: bed.service.apiKey,
    options: { api_host: host, ...options },
  })

it('posthog-js 1.150 works, with base64 first and gzip after /decide', async () => {
  const opened = await bed.open({ script: bundledScript })
  const values = await runVisit(opened, 'ada', () => begin(opened))
  expect(values).toEqual(EXPECTED_VALUES)
  await expectVisitStored(bed.service, 'ada', values)
  expectNoErrors(opened)
  expect(describeRequests(opened, bed.service.apiKey).sort()).toEqual([
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
    const opened = await bed.open({ script: bundledScript, ...(prefix !== undefined && { prefix }) })
    await runShortVisit(bed.service, opened, () => begin(opened, options), {
      isBatched: !('request_batching' in options),
    })
    expect(selectEventRequests(describeRequests(opened, bed.service.apiKey))).toEqual(eventRequests)
  })
})
