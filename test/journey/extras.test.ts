import type { Browser, Page } from 'playwright-core'
import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ExtendedWaymark } from '../../src/entry/extras.ts'
import { launch } from '../support/browser.ts'
import { startJourneyService } from '../support/service.ts'
import type { RunningService } from '../support/service.ts'
import { startSite } from '../support/site.ts'
import type { Site } from '../support/site.ts'
import { until } from '../support/until.ts'
import { removeFolder } from '../support/remove-folder.ts'

declare const waymark: ExtendedWaymark

const OPTIONS = {
  captureScreen: true,
  hashRouting: true,
  maskPaths: ['/users/:id'],
  maskUrlParameters: ['token'],
  maskProperties: ['email'],
}

describe('a page with the script tag of the extras', () => {
  let folder: string
  let service: RunningService
  let site: Site
  let browser: Browser
  let page: Page
  const messages: string[] = []

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'waymark-extras-'))
    service = await startJourneyService(join(folder, 'data'))
    service.setFlags([{ key: 'beta', active: true, filters: { groups: [{ rollout_percentage: 100 }] } }])
    const tag = `data-key="${service.apiKey}" data-host="${service.url}" data-options='${JSON.stringify(OPTIONS)}'`
    const html = `<!doctype html><title>App</title><script defer src="/waymark.js"></script><script defer src="/waymark-extras.js" ${tag}></script>`
    const csp = `<meta http-equiv="Content-Security-Policy" content="default-src 'self' ${service.url}; require-trusted-types-for 'script'">`
    site = await startSite(
      { key: service.apiKey, host: service.url },
      {
        '/app?token=secret': { contentType: 'text/html', body: html.replace('<title>', `${csp}<title>`) },
        '/waymark-extras.js': {
          contentType: 'text/javascript',
          body: await readFile('dist/waymark-extras.js', 'utf8'),
        },
      },
    )
    browser = await launch()
    page = await browser.newPage()
    page.on('console', (message) => messages.push(message.text()))
    page.on('pageerror', (error) => messages.push(String(error)))
    await page.goto(`${site.url}/app?token=secret#/users/7`)
  })
  afterAll(async () => {
    // First, because the service process would survive if closing an unstarted browser threw an error.
    await service.kill()
    await browser.close()
    await site.close()
    await removeFolder(folder)
  })

  const waitForRows = (event: string, minCount: number) =>
    until(
      () => service.query(`SELECT properties FROM events WHERE event = '${event}' ORDER BY timestamp, uuid`),
      (rows) => rows.length >= minCount,
    ).then((rows) => rows.map(([properties]) => JSON.parse(properties as string) as Record<string, unknown>))

  it('captures page views and screens by route, with the title that the router sets, and hides parts of them', async () => {
    await page.evaluate(async () => {
      location.hash = '#/cart?token=secret'
      await new Promise((resolve) => {
        setTimeout(resolve, 50)
      })
      document.title = 'Cart'
      await new Promise((resolve) => {
        setTimeout(resolve)
      })
      history.pushState({}, '', '/users/8')
      document.title = 'A user'
      waymark.capture('seen', { email: 'a@b.c' })
      await new Promise((resolve) => {
        setTimeout(resolve)
      })
      await waymark.flush()
    })
    const views = await waitForRows('$pageview', 3)
    expect(views.map(({ title, $current_url }) => [title, String($current_url).replace(site.url, '')])).toEqual([
      ['App', '/app?token=***#/users/:id'],
      ['Cart', '/app?token=***#/cart?token=***'],
      ['A user', '/users/:id'],
    ])
    const screens = await waitForRows('$screen', 3)
    expect(screens.map(({ $screen_name }) => $screen_name)).toEqual(['/app#/users/:id', '/app#/cart', '/users/:id'])
    const [seen] = await waitForRows('seen', 1)
    expect(seen!.email).toBe('***')
    expect(JSON.stringify([views, screens, seen])).not.toContain('secret')
  })

  it('reads and sends overridden flags', async () => {
    const values = await page.evaluate(async () => {
      await waymark.reloadFeatureFlags()
      waymark.overrideFeatureFlags({ beta: 'blue' })
      waymark.capture('tried')
      await waymark.flush()
      const overridden = waymark.getFeatureFlag('beta')
      waymark.overrideFeatureFlags()
      return [overridden, waymark.getFeatureFlag('beta', { send: false })]
    })
    expect(values).toEqual(['blue', true])
    const [tried] = await waitForRows('tried', 1)
    expect(tried!['$feature/beta']).toBe('blue')
  })

  it('removes a property of the person in the service', async () => {
    const id = await page.evaluate(async () => {
      waymark.setPersonProperties({ plan: 'pro', team: 'red' })
      waymark.unsetPersonProperties('plan')
      await waymark.flush()
      return waymark.getDistinctId()
    })
    const persons = await until(
      () =>
        service.query(
          `SELECT properties FROM persons WHERE id IN (SELECT person_id FROM person_distinct_ids WHERE distinct_id = '${id}')`,
        ),
      (rows) => rows.length > 0 && !String(rows[0]![0]).includes('"plan"'),
    )
    expect(JSON.parse(persons[0]![0] as string)).toMatchObject({ team: 'red' })
  })

  it('keeps a page view that waits for its title when the page goes away', async () => {
    await page.evaluate(() => {
      history.pushState({}, '', '/last')
      location.href = '/other'
    })
    await page.waitForURL('**/other')
    const paths = await until(
      () => waitForRows('$pageview', 4).then((rows) => rows.map(({ $pathname }) => $pathname)),
      (views) => views.includes('/last'),
    )
    expect(paths.filter((path) => path === '/last')).toHaveLength(1)
  })

  it('leaves the console empty under a strict Content Security Policy', () => {
    expect(messages).toEqual([])
  })
})
