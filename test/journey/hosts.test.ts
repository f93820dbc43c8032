import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import type { Waymark } from '../../src/entry/index.ts'
import { servePages } from '../support/page-server.ts'

declare const waymark: Waymark

let script: string
beforeAll(() => {
  script = readFileSync('dist/script.js', 'utf8')
})

const OPTIONS = JSON.stringify({ crossSubdomainCookie: true, preloadFeatureFlags: false })
const pages = servePages(
  (request, response) => {
    // Pages of the other hosts send their events to this one.
    response.setHeader('Access-Control-Allow-Origin', '*')
    if (request.method !== 'GET') return response.end('{"status":1}')
    response.setHeader('Content-Type', request.url === '/waymark.js' ? 'text/javascript' : 'text/html')
    const tag = `<script src="/waymark.js" data-key="hosts" data-host="http://www.shop.test:${pages.port}" data-options='${OPTIONS}'></script>`
    return response.end(request.url === '/waymark.js' ? script : `<!doctype html><title>A shop</title>${tag}`)
  },
  { args: ['--host-resolver-rules=MAP *.shop.test 127.0.0.1'] },
)

const warnings: string[] = []
/** Opens a page of a host, and waits for the agent to store its visitor. */
const open = async (host: string, path = '/'): Promise<Page> => {
  const page = await pages.context.newPage()
  page.on('console', (message) => warnings.push(message.text()))
  await page.goto(`http://${host}.shop.test:${pages.port}${path}`)
  await page.evaluate(() => waymark.flush())
  return page
}
const readIds = (page: Page): Promise<string[]> =>
  page.evaluate(() => [waymark.getDistinctId(), waymark.getDeviceId(), waymark.getSessionId()])

it.each([
  ['without a campaign', '/'],
  ['from an ad', `/?utm_source=google&utm_campaign=20411234567&gclid=Cj0KCQjw${'aB3dE5fG7hI9'.repeat(6)}EALw_wcB`],
  ['with a very long URL', `/?state=${'x'.repeat(6_000)}`],
])('hosts of a site share a visitor who lands %s', async (_, path) => {
  warnings.length = 0
  const shop = await open('www', path)
  const app = await open('app')
  expect(await readIds(app)).toEqual(await readIds(shop))
  const [cookie] = await pages.context.cookies()
  expect(cookie!.value.length).toBeLessThanOrEqual(2048)
  await app.evaluate(() => waymark.identify('ada'))
  await shop.reload()
  expect(await readIds(shop)).toEqual(await readIds(app))
  expect(warnings).toEqual([])
})

it('hosts share groups and super properties up to 1 KB; beyond, each has its own and one warning says so', async () => {
  warnings.length = 0
  const shop = await open('www')
  await shop.evaluate(() => {
    waymark.register({ plan: 'pro' })
    waymark.group('company', 'acme')
  })
  const readState = (page: Page) =>
    page.evaluate(() => {
      const state = JSON.parse(localStorage.getItem('waymark_1_hosts_state')!) as Record<string, unknown>
      return [state['superProperties'], state['groups']]
    })
  const app = await open('app')
  await app.evaluate(() => waymark.capture('seen'))
  expect(await readState(app)).toEqual([{ plan: 'pro' }, { company: 'acme' }])
  expect(warnings).toEqual([])

  await app.evaluate(() => {
    waymark.register({ text: 'x'.repeat(1_024) })
    waymark.register({ more: 1 })
  })
  expect(warnings).toEqual(['[waymark] cookie without groups and super properties: more than 1 KB'])
  await shop.reload()
  await shop.evaluate(() => {
    waymark.register({ shop: 1 })
  })
  expect(await readState(shop)).toEqual([{ plan: 'pro', shop: 1 }, { company: 'acme' }])
  await app.reload()
  await app.evaluate(() => {
    waymark.register({ last: 1 })
  })
  expect(await readState(app)).toMatchObject([{ plan: 'pro', text: 'x'.repeat(1_024), last: 1 }, { company: 'acme' }])
  expect(await readIds(app)).toEqual(await readIds(shop))
})
