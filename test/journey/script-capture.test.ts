import type { Browser, Page } from 'playwright-core'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CaptureWaymark } from '../../src/entry/capture.ts'
import { launch } from '../support/browser.ts'
import { startJourneyService } from '../support/service.ts'
import type { RunningService } from '../support/service.ts'
import { startSite } from '../support/site.ts'
import type { Site } from '../support/site.ts'
import { until } from '../support/until.ts'
import { removeFolder } from '../support/remove-folder.ts'

declare const waymark: CaptureWaymark

describe('the script without flags and surveys', () => {
  let folder: string
  let service: RunningService
  let site: Site
  let browser: Browser
  let page: Page
  const messages: string[] = []
  const paths: string[] = []

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'waymark-script-capture-'))
    service = await startJourneyService(join(folder, 'data'))
    site = await startSite({ key: service.apiKey, host: service.url }, {}, 'dist/script-capture.js')
    browser = await launch()
    page = await browser.newPage()
    page.on('console', (message) => messages.push(message.text()))
    page.on('pageerror', (error) => messages.push(String(error)))
    page.on('request', (request) => {
      if (request.url().startsWith(service.url)) paths.push(new URL(request.url()).pathname)
    })
    await page.goto(site.url)
  })
  afterAll(async () => {
    // First, because the service process would survive if closing an unstarted browser threw an error.
    await service.kill()
    await browser.close()
    await site.close()
    await removeFolder(folder)
  })

  const waitForRows = (event: string, minCount = 1) =>
    until(
      () => service.query(`SELECT distinct_id, properties FROM events WHERE event = '${event}'`),
      (rows) => rows.length >= minCount,
    ).then((rows) =>
      rows.map(([distinctId, properties]) => ({
        distinctId,
        properties: JSON.parse(properties as string) as Record<string, unknown>,
      })),
    )

  it('captures page views and events of an identified user in a group', async () => {
    await page.evaluate(() => {
      waymark.identify('ada', { plan: 'pro' })
      waymark.group('company', 'acme', { seats: 5 })
      waymark.capture('bought', { item: 'tea' })
      return waymark.flush()
    })
    expect(await waitForRows('$pageview')).toHaveLength(1)
    const [bought] = await waitForRows('bought')
    expect(bought).toMatchObject({ distinctId: 'ada', properties: { item: 'tea', $groups: { company: 'acme' } } })
    expect((await waitForRows('$groupidentify'))[0]!.properties.$group_set).toEqual({ seats: 5 })
  })

  it('keeps events in the queue while the service is down', async () => {
    await service.kill()
    const waitingEvents = await page.evaluate(async () => {
      waymark.capture('waited')
      await waymark.flush()
      return waymark.getStatus().waitingEvents
    })
    expect(waitingEvents).toBe(1)
    await service.restart()
    // An attempt before the next back-off ends.
    await page.evaluate(() => dispatchEvent(new Event('online')))
    expect(await waitForRows('waited')).toHaveLength(1)
    expect(await page.evaluate(() => waymark.getStatus().waitingEvents)).toBe(0)
  })

  it('sends the events of a page that is left', async () => {
    await page.evaluate(() => {
      for (let n = 0; n < 20; n++) waymark.capture('left', { n })
      location.href = '/elsewhere'
    })
    await page.waitForURL('**/elsewhere')
    expect(await waitForRows('left', 20)).toHaveLength(20)
  })

  it('requests nothing else from the service, and keeps the console quiet', () => {
    // Without the slash while the service was down, which looks like a redirect.
    expect(new Set(paths)).toEqual(new Set(['/batch/', '/batch']))
    // The browser itself reports the requests that failed while the service was down.
    expect(messages.filter((text) => !/ERR_|events not delivered/.test(text))).toEqual([])
  })
})
