import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { launchPersistent } from '../support/browser.ts'
import type { PersistentBrowser } from '../support/browser.ts'
import { defineLossMatrix } from '../support/loss-matrix.ts'
import { startJourneyService } from '../support/service.ts'
import type { RunningService } from '../support/service.ts'
import { startSite } from '../support/site.ts'
import type { Site } from '../support/site.ts'
import { until } from '../support/until.ts'
import type { Waymark } from '../../src/entry/index.ts'
import { removeFolder } from '../support/remove-folder.ts'

declare const waymark: Waymark

/** Milliseconds of real time, because the tests depend on when the browser writes to disk. */
const KILL_AFTER_MS = 1_000

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const testCell = defineLossMatrix('kill')

for (const [delay, killAfterMs] of [
  ['200 ms', 200],
  ['1 s', 1_000],
  ['10 s', 10_000],
] as const) {
  testCell(
    `browser killed ${delay} after 50 events, service down`,
    { captured: 50, hasOwnBrowser: true, isTimed: killAfterMs < 1_000 },
    async (cell) => {
      const profile = await mkdtemp(join(tmpdir(), 'waymark-profile-'))
      cell.onEnd(() => removeFolder(profile))
      const killedBrowser = await launchPersistent(profile)
      cell.onEnd(killedBrowser.kill)
      await cell.setContext(killedBrowser.context)
      const page = await cell.openWarm()
      cell.proxy.setBehaviour('down')
      await cell.capture(page, 50)
      const distinctId = await page.evaluate(() => waymark.getDistinctId())
      await pause(killAfterMs)
      await killedBrowser.kill()
      cell.proxy.setBehaviour('up')
      const newBrowser = await launchPersistent(profile)
      cell.onEnd(newBrowser.kill)
      await cell.setContext(newBrowser.context)
      const newPage = await cell.open()
      await until(
        () => newPage.evaluate(() => waymark.getDistinctId()),
        (id) => id === distinctId,
      )
      return newPage
    },
  )
}

describe('a killed browser', () => {
  let folder: string
  let service: RunningService
  let site: Site
  let browser: PersistentBrowser

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'waymark-kill-'))
    service = await startJourneyService(join(folder, 'data'))
    site = await startSite({ key: service.apiKey, host: service.url })
    browser = await launchPersistent(join(folder, 'profile'))
  })

  afterEach(async () => {
    // First, because the service process would survive if closing an unstarted browser threw an error.
    await service.kill()
    await browser.kill()
    await site.close()
    await removeFolder(folder)
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

  it('keeps an identify() that was called one second before the kill', async () => {
    const page = await open()
    await service.kill()
    await page.evaluate(() => waymark.identify('user-1', { plan: 'pro' }))
    const newPage = await killAndReopen()
    await until(
      () => newPage.evaluate(() => waymark.getDistinctId()),
      (id) => id === 'user-1',
    )
    await newPage.evaluate(() => {
      waymark.capture('after the kill')
      return waymark.flush()
    })
    await service.settled()
    const persons = await service.query(
      `SELECT DISTINCT person_id FROM events WHERE event IN ('$pageview', '$identify', 'after the kill')`,
    )
    expect(persons).toHaveLength(1)
    const [[eventCount]] = (await service.query(
      `SELECT count(*) FROM events WHERE event = 'after the kill' AND distinct_id = 'user-1'`,
    )) as [[number]]
    expect(eventCount).toBe(1)
  })

  it('keeps an optOut() that was called one second before the kill', async () => {
    const page = await open()
    await page.evaluate(() => waymark.flush())
    await service.kill()
    await page.evaluate(() => waymark.optOut())
    const newPage = await killAndReopen()
    await until(
      () => newPage.evaluate(() => waymark.isOptedOut()),
      (isOptedOut) => isOptedOut,
    )
    await newPage.evaluate(() => {
      waymark.capture('must not leave')
      return waymark.flush()
    })
    await service.settled()
    const [[count]] = (await service.query('SELECT count(*) FROM events')) as [[number]]
    expect(count, 'only the first pageview').toBe(1)
  })
})
