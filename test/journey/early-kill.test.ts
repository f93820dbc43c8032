import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { launchPersistent } from '../support/browser.ts'
import type { PersistentBrowser } from '../support/browser.ts'
import { startJourneyService } from '../support/service.ts'
import type { RunningService } from '../support/service.ts'
import { startSite } from '../support/site.ts'
import type { Site } from '../support/site.ts'
import { until } from '../support/until.ts'
import type { Waymark } from '../../src/entry/index.ts'
import { removeFolder } from '../support/remove-folder.ts'

declare const waymark: Waymark

/**
 * Milliseconds from the first line of the script to the kill, of the visits of each profile: in all, of a first one and of one for which the
 * database exists.
 */
const KILLS_MS = [[1_500, 5, 50, 300], [300, 1_500], [50], [5]]

/** A visit that is killed so late waits for its first transaction, so that there is something to lose. */
const LONG_VISIT_MS = 1_500

/** Tells on the console which events are in a transaction that has completed. */
const TELL_STORED = `
  const put = IDBObjectStore.prototype.put
  IDBObjectStore.prototype.put = function (value, key) {
    const [, uuid] = /"uuid":"([^"]+)"/.exec(value) ?? []
    if (uuid) this.transaction.addEventListener('complete', () => console.log('stored', uuid))
    return put.call(this, value, key)
  }`

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

let folder: string
let service: RunningService
let site: Site
let browsers: PersistentBrowser[]

beforeEach(async () => {
  browsers = []
  folder = await mkdtemp(join(tmpdir(), 'waymark-early-kill-'))
  service = await startJourneyService(join(folder, 'data'))
  const [compileHint, script] = (await readFile('dist/script-core.js', 'utf8')).split(/(?<=^.*\n)/)
  const tag = `<script src="/marked.js" data-key="${service.apiKey}" data-host="${service.url}"></script>`
  const captures = `<script>for (let n = 0; n < 20; n++) waymark.capture('early', { n })</script>`
  site = await startSite(
    { key: service.apiKey, host: service.url },
    {
      '/early': { contentType: 'text/html', body: `<script>${TELL_STORED}</script>${tag}${captures}` },
      '/marked.js': { contentType: 'text/javascript', body: `${compileHint}console.log('first line');${script}` },
    },
  )
})

afterEach(async () => {
  // First, because the service process would survive if closing an unstarted browser threw an error.
  await service.kill()
  for (const browser of browsers) await browser.kill()
  await site.close()
  await removeFolder(folder)
})

const launch = async (userData: string): Promise<PersistentBrowser> => {
  const browser = await launchPersistent(userData)
  browsers.push(browser)
  return browser
}

/** Adds the uuids of the stored events. */
const visitUntilKilled = async (userData: string, stored: Set<string>, killAfterMs: number): Promise<void> => {
  const browser = await launch(userData)
  const page = await browser.context.newPage()
  const whenBegun = page.waitForEvent('console', (message) => message.text() === 'first line')
  const countBefore = stored.size
  page.on('console', (message) => {
    const [, uuid] = /^stored (.+)/.exec(message.text()) ?? []
    if (uuid) stored.add(uuid)
  })
  await Promise.all([page.goto(`${site.url}/early`, { waitUntil: 'commit' }), whenBegun])
  await pause(killAfterMs)
  if (killAfterMs === LONG_VISIT_MS)
    await until(
      () => stored.size,
      (count) => count > countBefore,
    )
  await browser.kill()
}

const deliver = async (userData: string): Promise<void> => {
  const browser = await launch(userData)
  const page = await browser.context.newPage()
  await page.goto(site.url)
  await page.evaluate(() => waymark.flush())
  await browser.close()
}

it(
  'a browser that is killed early keeps every event whose transaction had completed',
  { timeout: 180_000 },
  async () => {
    const profiles = KILLS_MS.map((killsMs, index) => ({
      userData: join(folder, `profile ${index}`),
      killsMs,
      stored: new Set<string>(),
    }))
    await service.kill()
    for (const { userData, killsMs, stored } of profiles)
      for (const killAfterMs of killsMs) await visitUntilKilled(userData, stored, killAfterMs)
    await service.restart()
    for (const { userData } of profiles) await deliver(userData)
    await service.settled()
    const rows = await service.query(`SELECT uuid::VARCHAR, count(*) FROM events GROUP BY uuid`)
    const counts = new Map(rows as [string, number][])
    for (const { killsMs, stored } of profiles)
      expect(
        [...stored].filter((uuid) => counts.get(uuid) !== 1),
        `killed after ${killsMs.join()} ms`,
      ).toEqual([])
  },
)
