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
  bed = await openSdkBed('node_modules/posthog-js-1.150/dist')
  imported = await bundlePage('posthog-js-1.150')
})
afterAll(() => bed?.close())

const begin = ({ page, host }: SdkPage, options: object = {}): Promise<unknown> =>
  page.evaluate(({ key, options }) => void posthog.init(key, options), {
    key: bed.service.apiKey,
    options: { api_host: host, ...options },
  })

it('posthog-js 1.150 works as it does with its own service, with base64 first and gzip once it was told', async () => {
  const opened = await bed.open({ script: imported })
  const told = await visit(opened, 'ada', () => begin(opened))
  expect(told).toEqual(TOLD)
  await expectStored(bed.service, 'ada', told)
  expectNoComplaint(opened)
  expect(formsOf(opened, bed.service.apiKey).sort()).toEqual([
    'GET /api/early_access_features/',
    'GET /api/surveys/',
    'GET /static/surveys.js',
    'POST /decide/ base64 application/x-www-form-urlencoded',
    'POST /e/ base64 application/x-www-form-urlencoded',
    'POST /i/v0/e/ gzip-js text/plain',
  ])
})

describe.concurrent('posthog-js 1.150 with', () => {
  it.each<[string, object, string[], string?]>([
    ['no compression', { disable_compression: true }, ['OPTIONS', 'POST application/json']],
    [
      'no batches, and no address kept',
      { request_batching: false, ip: false },
      ['POST base64 application/x-www-form-urlencoded', 'POST gzip-js text/plain'],
    ],
    [
      'an address below the site',
      {},
      ['POST base64 application/x-www-form-urlencoded', 'POST gzip-js text/plain'],
      '/ingest',
    ],
  ])('%s', async (_name, options, forms, prefix) => {
    const opened = await bed.open({ script: imported, ...(prefix !== undefined && { prefix }) })
    await lookAround(bed.service, opened, () => begin(opened, options), { isBatched: !('request_batching' in options) })
    expect(eventForms(formsOf(opened, bed.service.apiKey))).toEqual(forms)
  })
})
