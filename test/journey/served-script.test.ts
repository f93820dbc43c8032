import type { Browser, Page } from 'playwright-core'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Waymark } from '../../src/entry/index.ts'
import { launch } from '../support/browser.ts'
import { startJourneyService } from '../support/service.ts'
import type { RunningService } from '../support/service.ts'
import { startSite } from '../support/site.ts'
import type { Site } from '../support/site.ts'
import { until } from '../support/until.ts'
import { removeFolder } from '../support/remove-folder.ts'

declare const waymark: Waymark

let folder: string
let service: RunningService
let site: Site
let browser: Browser

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waymark-served-'))
  service = await startJourneyService(join(folder, 'data'))
  const { url, scriptTag } = service
  const response = await fetch(`${url}/waymark.js`)
  const hashedName = response.headers.get('content-location')!
  /** A page on another origin than the service, whose policy allows only the service. */
  const createPage = (html: string) => ({
    contentType: 'text/html',
    body:
      `<!doctype html><title>A shop</title><meta http-equiv="Content-Security-Policy" content="default-src 'none'; ` +
      `script-src ${url}; connect-src ${url}; require-trusted-types-for 'script'">${html}`,
  })
  site = await startSite(
    { key: service.apiKey, host: url },
    {
      '/plain': createPage(scriptTag),
      '/hashed': createPage(scriptTag.replace('waymark.js', hashedName)),
      '/debug': createPage(scriptTag.replace('defer', 'defer data-debug')),
      '/extras': createPage(
        scriptTag.replace(/ data-key="[^"]*"/, '') +
          scriptTag
            .replace('waymark.js', 'waymark-extras.js')
            .replace('defer', `defer data-options='{"maskProperties":["email"]}'`),
      ),
    },
  )
  browser = await launch()
})
afterAll(async () => {
  // First, because the service process would survive if closing an unstarted browser threw an error.
  await service.kill()
  await browser.close()
  await site.close()
  await removeFolder(folder)
})

/** Opens a page of the site; `lines` collects its console. */
const open = async (path: string): Promise<{ readonly page: Page; readonly lines: string[] }> => {
  const page = await browser.newPage()
  const lines: string[] = []
  page.on('console', (message) => lines.push(message.text()))
  page.on('pageerror', (error) => lines.push(String(error)))
  await page.goto(site.url + path)
  return { page, lines }
}

const readProperties = async (event: string, path: string): Promise<Readonly<Record<string, unknown>>> => {
  const sql = `SELECT properties FROM events WHERE event = '${event}' AND (properties->>'$pathname') = '${path}'`
  const [row] = await until(
    () => service.query(sql),
    (rows) => rows.length > 0,
  )
  return JSON.parse(row![0] as string)
}

it.each(['/plain', '/hashed'])('%s: the printed tag alone tracks a page of another site', async (path) => {
  const { page, lines } = await open(path)
  await page.evaluate(async () => {
    waymark.capture('bought', { item: 'tea' })
    await waymark.flush()
  })
  expect(await readProperties('$pageview', path)).toMatchObject({ title: 'A shop', $lib: 'waymark' })
  expect(await readProperties('bought', path)).toMatchObject({ item: 'tea' })
  expect(lines).toEqual([])
})

it('debug mode loads its sentences from the service', async () => {
  const { lines } = await open('/debug')
  await until(
    async () => lines.join('\n'),
    (output) => /captured "\$pageview" [\da-f-]{36}/.test(output),
  )
})

it('the extras of the service start the agent in place of the first tag', async () => {
  const { page, lines } = await open('/extras')
  await page.evaluate(async () => {
    waymark.capture('signed up', { email: 'a@b.c' })
    await waymark.flush()
  })
  expect(await readProperties('signed up', '/extras')).toMatchObject({ email: '***' })
  expect(lines).toEqual([])
})
