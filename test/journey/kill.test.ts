import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { launchPersistent, type OwnBrowser } from '../support/browser.ts'
import { startJourneyService, type RunningService } from '../support/service.ts'
import { startSite, type Site } from '../support/site.ts'
import { until } from '../support/until.ts'
import type { Waymark } from '../../src/index.ts'

declare const waymark: Waymark

/** The subject here is what a browser has on disk after so much real time. */
const KILL_AFTER_MS = 1_000

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

describe('a browser that is killed', () => {
  let folder: string
  let service: RunningService
  let site: Site
  let browser: OwnBrowser

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'waymark-kill-'))
    service = await startJourneyService(join(folder, 'data'))
    site = await startSite({ key: service.apiKey, host: service.url })
    browser = await launchPersistent(join(folder, 'profile'))
  })

  afterEach(async () => {
    // First, because it is a process that would outlive a start that failed half-way.
    await service.kill()
    await browser.kill()
    await site.close()
    await rm(folder, { recursive: true, force: true })
  })

  const open = async () => {
    const page = await browser.context.newPage()
    await page.goto(site.url)
    return page
  }

  const killAndReopen = async () => {
    await pause(KILL_AFTER_MS)
    await browser.kill()
    await service.restart()
    browser = await launchPersistent(join(folder, 'profile'))
    return open()
  }

  it('delivers 50 events captured one second before, while the service was down, once each and under the same id', async () => {
    const page = await open()
    await page.evaluate(() => waymark.flush())
    await service.kill()
    const before = await page.evaluate(() => {
      for (let n = 0; n < 50; n++) waymark.capture('before the kill', { n })
      return waymark.getDistinctId()
    })
    const after = await killAndReopen()
    await until(
      () => after.evaluate(() => waymark.getDistinctId()),
      (id) => id === before,
    )
    const rows = await until(
      () => service.query(`SELECT distinct_id, properties FROM events WHERE event = 'before the kill'`),
      (rows) => rows.length >= 50,
    )
    expect(rows.map(([, properties]) => JSON.parse(properties as string).n).sort((a, b) => a - b)).toEqual([
      ...Array(50).keys(),
    ])
    expect(new Set(rows.map(([id]) => id))).toEqual(new Set([before]))
  })

  it('still knows who was identified one second before', async () => {
    const page = await open()
    await service.kill()
    await page.evaluate(() => waymark.identify('user-1', { plan: 'pro' }))
    const after = await killAndReopen()
    await until(
      () => after.evaluate(() => waymark.getDistinctId()),
      (id) => id === 'user-1',
    )
    await after.evaluate(() => {
      waymark.capture('after the kill')
      return waymark.flush()
    })
    await service.settled()
    const people = await service.query(
      `SELECT DISTINCT person_id FROM events WHERE event IN ('$pageview', '$identify', 'after the kill')`,
    )
    expect(people).toHaveLength(1)
    const [[events]] = (await service.query(
      `SELECT count(*) FROM events WHERE event = 'after the kill' AND distinct_id = 'user-1'`,
    )) as [[number]]
    expect(events).toBe(1)
  })

  it('stays opted out when that was said one second before', async () => {
    const page = await open()
    await page.evaluate(() => waymark.flush())
    await service.kill()
    await page.evaluate(() => waymark.optOut())
    const after = await killAndReopen()
    await until(
      () => after.evaluate(() => waymark.isOptedOut()),
      (isOptedOut) => isOptedOut,
    )
    await after.evaluate(() => {
      waymark.capture('must not leave')
      return waymark.flush()
    })
    await service.settled()
    const [[count]] = (await service.query('SELECT count(*) FROM events')) as [[number]]
    expect(count, 'only the first pageview').toBe(1)
  })
})
