import type { Browser, BrowserContext } from 'playwright-core'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { launch } from '../support/browser.ts'
import { startJourneyService, type RunningService } from '../support/service.ts'
import { startSite, type Site } from '../support/site.ts'
import { until } from '../support/until.ts'
import type { Waymark } from '../../src/index.ts'

declare const waymark: Waymark

describe('a page that is left', () => {
  let folder: string
  let service: RunningService
  let site: Site
  let browser: Browser
  let context: BrowserContext

  beforeAll(async () => {
    browser = await launch()
  })
  afterAll(() => browser.close())

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'waymark-leave-'))
    service = await startJourneyService(join(folder, 'data'))
    site = await startSite({ key: service.apiKey, host: service.url })
    context = await browser.newContext()
  })
  afterEach(async () => {
    // First, because it is a process that would outlive a start that failed half-way.
    await service.kill()
    await context.close()
    await site.close()
    await rm(folder, { recursive: true, force: true })
  })

  const counted = async (event: string, atLeast: number): Promise<number[]> => {
    const rows = await until(
      () => service.query(`SELECT properties FROM events WHERE event = '${event}'`),
      (rows) => rows.length >= atLeast,
    )
    await service.settled()
    return rows.map(([properties]) => JSON.parse(properties as string).n).sort((a, b) => a - b)
  }

  it('loses none of 20 events captured right before the navigation, and none counts twice', async () => {
    const page = await context.newPage()
    await page.goto(site.url)
    await page.evaluate(() => {
      for (let n = 0; n < 20; n++) waymark.capture('leaving', { n })
      location.href = '/elsewhere'
    })
    await page.waitForURL('**/elsewhere')
    expect(await counted('leaving', 20)).toEqual([...Array(20).keys()])
  })

  it('loses nothing that is captured after the agent has seen the page go, and none counts twice', async () => {
    const page = await context.newPage()
    await page.goto(site.url)
    await page.evaluate(() => {
      // An `unload` listener keeps the page out of the back/forward cache: after these events it is gone.
      addEventListener('unload', () => waymark.capture('late', { n: 4 }))
      addEventListener('pagehide', () => waymark.capture('late', { n: 1 }))
      document.addEventListener('visibilitychange', () => {
        if (document.visibilityState === 'hidden') for (const n of [2, 3]) waymark.capture('late', { n })
      })
      waymark.capture('late', { n: 0 })
      location.href = '/elsewhere'
    })
    await page.waitForURL('**/elsewhere')
    expect(await counted('late', 5)).toEqual([0, 1, 2, 3, 4])
  })

  it('delivers them at the next visit when the service is down at the navigation', async () => {
    const page = await context.newPage()
    await page.goto(site.url)
    await service.kill()
    await page.evaluate(() => {
      for (let n = 0; n < 20; n++) waymark.capture('leaving', { n })
      location.href = '/elsewhere'
    })
    await page.waitForURL('**/elsewhere')
    await service.restart()
    // The beacon was accepted by the browser and lost with the connection: its lease ends after 30 s of real time.
    expect(
      await until(
        () => counted('leaving', 20).catch(() => []),
        (found) => found.length >= 20,
        45_000,
      ),
    ).toEqual([...Array(20).keys()])
  })

  it('delivers the events of two tabs that went offline and were both reloaded, once each', async () => {
    const tabs = [await context.newPage(), await context.newPage()]
    for (const tab of tabs) await tab.goto(site.url)
    await service.kill()
    for (const [index, tab] of tabs.entries()) {
      await tab.evaluate((from) => {
        for (let n = from; n < from + 50; n++) waymark.capture('offline', { n })
      }, index * 50)
      await tab.reload()
    }
    await service.restart()
    expect(
      await until(
        () => counted('offline', 100).catch(() => []),
        (found) => found.length >= 100,
        45_000,
      ),
    ).toEqual([...Array(100).keys()])
  })
})
