import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Waymark } from '../../src/entry/index.ts'
import { servePages } from '../support/page-server.ts'
import { startJourneyService } from '../support/service.ts'
import type { RunningService } from '../support/service.ts'
import { removeFolder } from '../support/remove-folder.ts'

declare const waymark: Waymark

/** Page views without a page load, in a real browser. */

let folder: string
let script: string
let service: RunningService
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waymark-views-'))
  script = await readFile('dist/script.js', 'utf8')
  service = await startJourneyService(join(folder, 'data'))
})
afterAll(async () => {
  await service?.kill()
  await removeFolder(folder)
})

/** The pages below `/quiet/` capture no page views. */
const site = servePages((request, response) => {
  const path = request.url!
  if (path === '/waymark.js') return response.setHeader('Content-Type', 'text/javascript').end(script)
  const options = JSON.stringify({ capturePageview: !path.startsWith('/quiet/') })
  const tag = `<script src="/waymark.js" data-key="${service.apiKey}" data-host="${service.url}" data-options='${options}'></script>`
  return response
    .setHeader('Content-Type', 'text/html; charset=utf-8')
    .end(`<!doctype html><title>A shop</title><link rel="icon" href="data:,">${path === '/elsewhere' ? '' : tag}`)
})

/** How the visitor came to each view below a path, in order. */
const readViews = (path: string): Promise<readonly (readonly unknown[])[]> =>
  service.query(
    `select properties->>'$pathname', properties->>'navigation_type', properties->>'$prev_pageview_pathname' from events where event = '$pageview' and (properties->>'$pathname') like '${path}%' order by timestamp`,
  )

it.each([
  [
    'is a view',
    '/shop',
    [
      ['/shop', 'initial_load', null],
      ['/shop', 'back_forward_cache', null],
    ],
  ],
  ['is none with capturePageview: false', '/quiet/shop', []],
])('a page that is restored from the back/forward cache %s', async (_, path, views) => {
  const page = await site.context.newPage()
  await page.goto(site.origin + path)
  await page.evaluate(() => waymark.flush())
  await page.goto(`${site.origin}/elsewhere`)
  // A restored page has no load event.
  await page.goBack({ waitUntil: 'commit' })
  await page.evaluate(() => {
    waymark.capture('restored')
    return waymark.flush()
  })
  await expect
    .poll(() =>
      service.query(`select count(*) from events where event = 'restored' and (properties->>'$pathname') = '${path}'`),
    )
    .toEqual([[1]])
  expect(await readViews(path)).toEqual(views)
})

it('a router that uses the Navigation API has a view for each path', async () => {
  const page = await site.context.newPage()
  await page.goto(`${site.origin}/app/home`)
  await page.evaluate(async () => {
    const { navigation } = globalThis as unknown as {
      navigation: {
        addEventListener(type: string, listener: (event: { intercept(): void }) => void): void
        navigate(url: string, options?: { history: 'replace' }): { finished: Promise<void> }
        back(): { finished: Promise<void> }
      }
    }
    navigation.addEventListener('navigate', (event) => event.intercept())
    await navigation.navigate('/app/cart').finished
    await navigation.navigate('/app/pay', { history: 'replace' }).finished
    await navigation.back().finished
    await waymark.flush()
  })
  // The last view waits for its title.
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 400)).then(() => waymark.flush()))
  await expect
    .poll(() => readViews('/app/'))
    .toEqual([
      ['/app/home', 'initial_load', null],
      ['/app/cart', 'pushState', '/app/home'],
      ['/app/pay', 'replaceState', '/app/cart'],
      ['/app/home', 'popstate', '/app/pay'],
    ])
})
