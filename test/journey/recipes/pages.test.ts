import { createHash } from 'node:crypto'
import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { servePages } from '../../support/page-server.ts'
import { fillIn, readBlocks, RECIPES } from '../../support/readme-blocks.ts'
import { startJourneyService } from '../../support/service.ts'
import type { RunningService } from '../../support/service.ts'
import { removeFolder } from '../../support/remove-folder.ts'

/** What the site answers, by path. */
const files: Record<string, { readonly policy?: string; readonly html: string }> = {}

const pages = servePages((request, response) => {
  if (request.url === '/shop.js')
    return void response
      .writeHead(200, { 'Content-Type': 'text/javascript' })
      .end(`window.waymark?.capture('called early', { page: location.pathname })`)
  const file = files[request.url!]
  if (!file) return void response.writeHead(404).end()
  if (file.policy) response.setHeader('Content-Security-Policy', file.policy)
  return void response.setHeader('Content-Type', 'text/html').end(file.html)
})
let folder: string
let service: RunningService

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waymark-recipes-'))
  service = await startJourneyService(folder)
})
afterAll(async () => {
  await service?.kill()
  await removeFolder(folder)
})

/** Returns the blocks of a recipe in one language. */
const blocksOf = (section: string, language: string): string[] =>
  readBlocks(RECIPES)
    .filter((block) => block.section === section && block.language === language)
    .map(({ code }) => fillIn(code, service))

/** A page of the site. Its icon is inline, so that no request but the agent's goes out. */
const createPage = (html: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A shop</title><link rel="icon" href="data:,"></head><body>${html}</body></html>`

const readPaths = async (event: string): Promise<unknown[]> =>
  (
    await service.query(`SELECT properties->>'$pathname' FROM events WHERE event = '${event}' ORDER BY timestamp`)
  ).flat()

/** What the agent tells a developer whose visitor has not consented. */
const OPTED_OUT_WARNING = '[waymark] event dropped (opted_out): $pageview'

/** Opens a page of the site. `problems` has its violations of the policy, errors and other warnings. */
const open = async (path: string): Promise<{ readonly page: Page; readonly problems: string[] }> => {
  const page = await pages.context.newPage()
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && message.text() !== OPTED_OUT_WARNING)
      problems.push(message.text())
  })
  await page.goto(pages.origin + path)
  return { page, problems }
}

/** Delivers at once. */
const flush = (page: Page): Promise<void> => page.evaluate(() => window.waymark!.flush())

describe('the recipe for a Content Security Policy', () => {
  /** Puts the images and styles that every site has beside the agent into the recipe's policy. */
  const policyOf = (header: string): string => header.replace('Content-Security-Policy: ', '') + '; img-src data:'

  it('has the stub of the package, and its hash', async () => {
    const stub = (await readFile('dist/stub.js', 'utf8')).trim()
    const [, html] = blocksOf('Content Security Policy', 'html')
    const [, policy] = blocksOf('Content Security Policy', 'http')
    expect(html!.split('\n')[0]).toBe(`<script>${stub}</script>`)
    expect(policy).toContain(`'sha256-${createHash('sha256').update(stub).digest('base64')}'`)
  })

  it.each([
    ['the tag alone', '/tag', 0],
    ['the tag with the stub', '/stub', 1],
  ])('lets %s capture, without a violation', async (_name, path, index) => {
    const early = index ? '<script src="/shop.js"></script>' : ''
    files[path] = {
      policy: policyOf(blocksOf('Content Security Policy', 'http')[index]!),
      html: createPage(blocksOf('Content Security Policy', 'html')[index] + early),
    }
    const { page, problems } = await open(path)
    await flush(page)
    await expect.poll(() => readPaths('$pageview')).toContain(path)
    if (index) await expect.poll(() => readPaths('called early')).toEqual([path])
    expect(problems).toEqual([])
  })

  it('works with a nonce in place of hash and origin', async () => {
    const [, policy] = blocksOf('Content Security Policy', 'http')
    const [, html] = blocksOf('Content Security Policy', 'html')
    files['/nonce'] = {
      policy: policyOf(policy!).replace(/script-src [^;]*/, "script-src 'nonce-r4nd0m'"),
      html: createPage(html!.replaceAll('<script', '<script nonce="r4nd0m"')),
    }
    const { page, problems } = await open('/nonce')
    await flush(page)
    await expect.poll(() => readPaths('$pageview')).toContain('/nonce')
    expect(problems).toEqual([])
  })
})

describe('the recipe for a consent banner', () => {
  const PATH = '/banner'

  /** Opens the page, and collects the requests that could tell the service of the visitor: all but those of its scripts. */
  const visit = async () => {
    files[PATH] = { html: createPage(blocksOf('Consent banner', 'html')[0]!) }
    const requests: string[] = []
    pages.context.on('request', (request) => {
      if (request.url().startsWith(service.url) && request.method() === 'POST') requests.push(request.url())
    })
    const opened = await open(PATH)
    const banner = opened.page.locator('#consent')
    const click = (name: string): Promise<void> => opened.page.getByRole('button', { name }).click()
    return { ...opened, banner, click, requests }
  }
  const countPageviews = async (): Promise<number> =>
    (await readPaths('$pageview')).filter((path) => path === PATH).length

  it('captures nothing before the answer and after a refusal, and asks only once', async () => {
    const { page, banner, click, requests, problems } = await visit()
    await expect.poll(() => banner.isVisible()).toBe(true)
    await page.reload()
    await expect.poll(() => banner.isVisible()).toBe(true)
    await click('Refuse')
    expect(await banner.isVisible()).toBe(false)
    await page.reload()
    await flush(page)
    expect(await banner.isVisible()).toBe(false)
    expect(requests).toEqual([])
    await service.settled()
    expect(await countPageviews()).toBe(0)
    expect(problems).toEqual([])
  })

  it('captures this page and later ones after consent, until it is withdrawn', async () => {
    const { page, banner, click, problems } = await visit()
    await expect.poll(() => banner.isVisible()).toBe(true)
    await click('Accept')
    await flush(page)
    await expect.poll(countPageviews).toBe(1)
    await page.reload()
    await flush(page)
    await expect.poll(countPageviews).toBe(2)
    expect(await banner.isVisible()).toBe(false)
    await click('Privacy settings')
    await click('Refuse')
    await page.reload()
    await flush(page)
    await service.settled()
    expect(await countPageviews()).toBe(2)
    expect(await page.evaluate(() => window.waymark!.isOptedOut())).toBe(true)
    expect(problems).toEqual([])
  })

  it('shows nothing where a blocker has stopped the scripts', async () => {
    const scripts = `${service.url}/waymark*`
    await pages.context.route(scripts, (route) => route.abort())
    const errors: Error[] = []
    pages.context.on('weberror', (error) => errors.push(error.error()))
    const { page, banner } = await visit()
    await page.waitForLoadState()
    expect(await banner.isVisible()).toBe(false)
    expect(await page.locator('#change-consent').isVisible()).toBe(false)
    expect(errors).toEqual([])
    await pages.context.unroute(scripts)
  })
})
