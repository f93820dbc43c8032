import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Waymark, WaymarkGlobal } from '../../src/entry/index.ts'
import { launch } from '../support/browser.ts'
import { removeFolder } from '../support/remove-folder.ts'
import { startJourneyService } from '../support/service.ts'
import type { RunningService } from '../support/service.ts'
import { startSite } from '../support/site.ts'
import type { Site } from '../support/site.ts'
import { until } from '../support/until.ts'

declare const waymark: Waymark

const CHUNK = '**/waymark-delivery-1.js*'

let folder: string
let service: RunningService
let site: Site
let browser: Browser
let context: BrowserContext

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waymark-chunk-'))
  service = await startJourneyService(join(folder, 'data'))
  const body = await readFile('dist/waymark-delivery-1.js', 'utf8')
  const tag = `src="/waymark.js" data-key="${service.apiKey}" data-host="${service.url}"`
  site = await startSite(
    { key: service.apiKey, host: service.url },
    {
      '/waymark-delivery-1.js': { contentType: 'text/javascript', body },
      // The second attempt of a page.
      '/waymark-delivery-1.js?1': { contentType: 'text/javascript', body },
      '/nonce': {
        contentType: 'text/html',
        body:
          `<!doctype html><title>A shop</title><meta http-equiv="Content-Security-Policy" content="default-src 'none'; ` +
          `script-src 'nonce-abc' 'strict-dynamic'; connect-src ${service.url}"><script nonce="abc" defer ${tag}></script>`,
      },
    },
    'dist/script-core.js',
  )
  browser = await launch()
})
afterAll(async () => {
  await service.kill()
  await browser.close()
  await site.close()
  await removeFolder(folder)
})
beforeEach(async () => {
  context = await browser.newContext()
})
afterEach(() => context.close())

const open = async (
  path: string,
): Promise<{ readonly page: Page; readonly requests: string[]; readonly lines: string[] }> => {
  const page = await context.newPage()
  const requests: string[] = []
  const lines: string[] = []
  page.on('request', (request) => requests.push(new URL(request.url()).pathname))
  page.on('console', (message) => lines.push(message.text()))
  page.on('pageerror', (error) => lines.push(String(error)))
  await page.goto(site.url + path)
  return { page, requests, lines }
}

/** Events with the names `<prefix> 1` to `<prefix> <count>`. */
const capture = (page: Page, prefix: string, count: number): Promise<void> =>
  page.evaluate(
    ([name, total]) => {
      for (let i = 1; i <= total; i++) waymark.capture(`${name} ${i}`)
    },
    [prefix, count] as const,
  )

/** Waits until the store has as many different events of the prefix. Returns the number of all of them. */
const storedCount = async (prefix: string, count: number): Promise<number> => {
  const sql = `SELECT event FROM events WHERE event LIKE '${prefix} %'`
  const rows = await until(
    () => service.query(sql),
    (stored) => new Set(stored.map(([name]) => name)).size >= count,
  )
  return rows.length
}

it('the page gets the chunk when it rests, and its events are delivered without a call', async () => {
  const { page, requests, lines } = await open('/rest')
  await capture(page, 'rest', 3)
  expect(requests).not.toContain('/waymark-delivery-1.js')
  expect(await storedCount('rest', 3)).toBe(3)
  expect(requests.filter((path) => path === '/waymark-delivery-1.js')).toHaveLength(1)
  expect(lines).toEqual([])
})

it('a flush gets the chunk at once', async () => {
  const { page } = await open('/flush')
  await capture(page, 'flush', 3)
  await page.evaluate(() => waymark.flush())
  expect(await page.evaluate(() => waymark.getStatus().waitingEvents)).toBe(0)
  expect(await storedCount('flush', 3)).toBe(3)
})

it('a page that is left before the chunk has come loses nothing', async () => {
  const { page } = await open('/left')
  await capture(page, 'left', 20)
  await page.goto(`${site.url}/left-to`)
  expect(await storedCount('left', 20)).toBe(20)
})

it('the chunk is blocked for ever: events leave by a beacon, and the page is not disturbed', async () => {
  await context.route(CHUNK, (route) => route.abort())
  const { page, requests, lines } = await open('/blocked')
  await capture(page, 'blocked', 20)
  await page.evaluate(() => waymark.flush())
  expect(await page.evaluate(() => waymark.getStatus().waitingEvents)).toBeGreaterThanOrEqual(20)
  expect(requests).not.toContain('/batch/')
  await page.goto(`${site.url}/blocked-to`)
  expect(await storedCount('blocked', 20)).toBe(20)
  expect(lines.filter((line) => line.includes('[waymark]'))).toEqual([])
})

it('a chunk that could not be loaded is loaded by a later call on the same page', async () => {
  await context.route(CHUNK, (route) => route.abort())
  const { page } = await open('/again')
  await capture(page, 'again', 3)
  await page.evaluate(() => waymark.flush())
  await context.unroute(CHUNK)
  await page.evaluate(() => waymark.flush())
  expect(await page.evaluate(() => waymark.getStatus().waitingEvents)).toBe(0)
  expect(await storedCount('again', 3)).toBe(3)
})

it('a page with other code in place of the chunk is not disturbed', async () => {
  await context.route(CHUNK, (route) =>
    route.fulfill({ contentType: 'text/javascript', body: 'export const other = 1' }),
  )
  const { page, lines } = await open('/other')
  await capture(page, 'other', 3)
  await page.evaluate(() => waymark.flush())
  await page.goto(`${site.url}/other-to`)
  expect(await storedCount('other', 3)).toBe(3)
  expect(lines).toEqual([])
})

it('an inline script gets the chunk from the service', async () => {
  const body = `<!doctype html><title>A shop</title><script>${await readFile('dist/script-core.js', 'utf8')}</script>`
  await context.route('**/inline', (route) => route.fulfill({ contentType: 'text/html', body }))
  const { page, requests } = await open('/inline')
  const [request] = await Promise.all([
    page.waitForRequest(CHUNK),
    page.evaluate((host) => (waymark as WaymarkGlobal).init('wm_inline', { host }).flush(), service.url),
  ])
  expect(request.url()).toBe(`${service.url}/waymark-delivery-1.js`)
  expect(requests).not.toContain('/waymark.js')
})

it('a service with another contract has no such chunk: the next page with a new script delivers the events', async () => {
  await context.route(CHUNK, (route) => route.fulfill({ status: 404, body: '' }))
  await context.route('**/batch/', (route) => route.abort())
  const { page } = await open('/contract')
  await capture(page, 'contract', 5)
  await page.evaluate(() => waymark.flush())
  await page.close()
  await context.unroute(CHUNK)
  await context.unroute('**/batch/')
  const next = await open('/contract-to')
  await next.page.evaluate(() => waymark.flush())
  expect(await storedCount('contract', 5)).toBe(5)
})

it('two tabs, of which one has no chunk: the other one delivers the events of both', async () => {
  const { page: without } = await open('/without')
  await without.route(CHUNK, (route) => route.abort())
  await capture(without, 'tabs', 5)
  // Written before the other tab reads.
  await until(
    () =>
      without.evaluate(
        () =>
          new Promise<number>((resolve) => {
            void indexedDB.databases().then(([database]) => {
              const request = indexedDB.open(database!.name!)
              request.onsuccess = () => {
                const count = request.result.transaction('records').objectStore('records').count()
                count.onsuccess = () => {
                  request.result.close()
                  resolve(count.result)
                }
              }
            })
          }),
      ),
    (count) => count > 5,
  )
  const { page } = await open('/with')
  await page.evaluate(() => waymark.flush())
  expect(await storedCount('tabs', 5)).toBe(5)
})

it('a policy by nonce lets the chunk in', async () => {
  const { page, lines } = await open('/nonce')
  await capture(page, 'nonce', 3)
  await page.evaluate(() => waymark.flush())
  expect(await storedCount('nonce', 3)).toBe(3)
  expect(lines).toEqual([])
})
