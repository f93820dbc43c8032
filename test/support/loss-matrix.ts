import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Options, Waymark } from '../../src/entry/index.ts'
import { launch } from './browser.ts'
import { startFaultProxy } from './fault-proxy.ts'
import type { FaultProxy } from './fault-proxy.ts'
import { readCommittedGuarantees, shouldWriteGuarantees, writeGuarantees } from './guarantees.ts'
import type { Guarantee } from './guarantees.ts'
import { startJourneyService } from './service.ts'
import type { RunningService } from './service.ts'
import { startSite } from './site.ts'
import type { Site, SiteFile } from './site.ts'
import { until } from './until.ts'
import { removeFolder } from './remove-folder.ts'

declare const waymark: Waymark

/**
 * No pageviews, because delivering one would also deliver the waiting events. The timeout is long, because virtual time passes faster than
 * the service responds.
 */
const OPTIONS: Options = { capturePageview: false, requestTimeout: 60_000 }

/** One step of virtual time. Far below the request timeout, so that a request in flight survives several steps. */
const STEP_MS = 2_000

/** Long, because a step of virtual time takes a tenth of a second on a busy machine, and some cells take 300 of them. */
const TIMEOUT_MS = 180_000

/** The environment of one cell of the loss matrix: a site, its visitor, a fault proxy and the service. */
export interface Cell {
  /** Name of the cell, and of all its events. */
  readonly name: string
  readonly proxy: FaultProxy
  readonly site: Site
  /** The project API key. */
  readonly key: string
  /** Name of the agent's database, lock and channel. */
  readonly storeName: string
  /** The visitor's profile. Its clock runs as usual, and faster with `advance`. */
  readonly context: BrowserContext
  /** Replaces the profile, for example after the browser was killed and started again. */
  setContext(context: BrowserContext): Promise<void>
  /** Registers a clean-up task. The last one registered runs first. */
  onEnd(task: () => Promise<unknown>): void
  /** Opens a new tab. */
  open(path?: string): Promise<Page>
  /** Opens a new tab and waits until its agent has opened its store. */
  openWarm(path?: string): Promise<Page>
  /** Captures events with the numbers `from` to `from + count - 1`, in one task of the page. */
  capture(page: Page, count: number, from?: number): Promise<void>
  /** Advances the virtual time of all tabs in steps, but not while a request is in flight. */
  advance(ms: number): Promise<void>
  /** Returns the numbers of the stored events as soon as there are `minCount`. Does not advance virtual time. */
  waitForStored(minCount: number): Promise<number[]>
  /** Waits until what other pages have sent when they were left has arrived. `page` is online. */
  waitForBeacons(page: Page): Promise<void>
  /** Returns how many events are in the store that all tabs share, or in the spill that will be moved there. */
  countWaiting(page: Page): Promise<number>
}

export interface CellOptions {
  /** Events that the scenario captures, with the numbers 0 to `captured - 1`. */
  readonly captured: number
  /** Highest allowed number of repeated deliveries, of all events together. Default 0. */
  readonly maxDuplicates?: number
  /** Further files of the site, as for `startSite`. */
  readonly files?: (name: string) => Readonly<Record<string, string | SiteFile>>
  /** True if the cell starts its own browser, so that no profile is created for it. */
  readonly hasOwnBrowser?: boolean
  /** True if the scenario depends on real time, so that it is tried once more: the browser may get no processor time. */
  readonly isTimed?: boolean
}

/** What happens to the visitor. Returns a page whose agent can deliver the remaining events without a further capture. */
export type Scenario = (cell: Cell) => Promise<Page>

/**
 * Defines the cells of a loss matrix: concurrent tests in front of one real service, each with its own site, profile and fault proxy. After
 * its scenario, each test waits until no event is left to deliver, and then expects every event to be stored once.
 *
 * @param file Short name of the test file, for the committed results.
 * @returns Defines one cell.
 */
export const defineLossMatrix = (file: string): ((name: string, options: CellOptions, scenario: Scenario) => void) => {
  const results: Record<string, Guarantee> = {}
  const names: string[] = []
  let folder: string
  let service: RunningService
  let browser: Browser

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), `waymark-${file}-`))
    service = await startJourneyService(join(folder, 'data'))
    browser = await launch()
  })
  afterAll(async () => {
    // First, because the service process would survive if closing an unstarted browser threw an error.
    await service.kill()
    await browser.close()
    await removeFolder(folder)
    if (shouldWriteGuarantees)
      await writeGuarantees(
        file,
        Object.fromEntries(names.filter((name) => results[name]).map((name) => [name, results[name]!])),
      )
  })

  /** @param eventName Name of the events, which differs from that of earlier runs of the cell. */
  const runCell = async (
    name: string,
    eventName: string,
    { captured, maxDuplicates = 0, files, hasOwnBrowser }: CellOptions,
    scenario: Scenario,
  ) => {
    const cleanUps: (() => Promise<unknown>)[] = []
    const proxy = await startFaultProxy(service.url)
    cleanUps.push(proxy.close)
    const tag = { key: service.apiKey, host: proxy.url, options: JSON.stringify(OPTIONS) }
    const site = await startSite(tag, files?.(eventName))
    cleanUps.push(site.close)
    try {
      const cell = createCell(eventName, service, proxy, site, (task) => void cleanUps.push(task))
      if (!hasOwnBrowser) {
        const context = await browser.newContext()
        cleanUps.push(() => context.close())
        await cell.setContext(context)
      }
      const page = await scenario(cell)
      await until(
        async () => {
          await cell.advance(STEP_MS)
          return { waiting: await cell.countWaiting(page), delivered: proxy.deliveries.size }
        },
        ({ waiting, delivered }) => waiting === 0 && delivered >= captured,
        40_000,
      )
      await service.settled()
      const stored = await cell.waitForStored(captured)
      expect(stored).toEqual([...Array(captured).keys()])
      expect(proxy.deliveries.size, 'events on the wire').toBe(captured)
      const deliveries = [...proxy.deliveries.values()].reduce((sum, count) => sum + count, 0)
      results[name] = { captured, stored: stored.length, duplicateDeliveries: deliveries - captured }
      expect(deliveries - captured, 'duplicate deliveries').toBeLessThanOrEqual(maxDuplicates)
      if (!shouldWriteGuarantees)
        expect((await readCommittedGuarantees())[file]?.[name]).toMatchObject({ captured, stored: captured })
    } finally {
      for (const cleanUp of cleanUps.toReversed()) await cleanUp()
    }
  }

  return (name, options, scenario) => {
    names.push(name)
    let runs = 0
    it.concurrent(name, { timeout: TIMEOUT_MS, retry: options.isTimed ? 1 : 0 }, () =>
      runCell(name, runs++ === 0 ? name : `${name}, run ${runs}`, options, scenario),
    )
  }
}

const createCell = (
  name: string,
  service: RunningService,
  proxy: FaultProxy,
  site: Site,
  onEnd: Cell['onEnd'],
): Cell => {
  let context: BrowserContext | undefined
  const cell: Cell = {
    name,
    proxy,
    site,
    onEnd,
    key: service.apiKey,
    storeName: `waymark:${proxy.url}:${service.apiKey}`,
    get context() {
      if (!context) throw new Error('The cell has no profile yet.')
      return context
    },
    async setContext(newContext) {
      context = newContext
      await newContext.clock.install()
    },
    async open(path = '/') {
      const page = await cell.context.newPage()
      await page.goto(site.url + path)
      return page
    },
    async openWarm(path) {
      const page = await cell.open(path)
      await page.evaluate(() => waymark.flush())
      return page
    },
    capture: (page, count, from = 0) =>
      page.evaluate(
        ([name, count, from]) => {
          for (let n = from; n < from + count; n++) waymark.capture(name, { n })
        },
        [name, count, from] as const,
      ),
    async advance(ms) {
      for (let remainingMs = ms; remainingMs > 0; remainingMs -= STEP_MS) {
        await until(proxy.isIdle, Boolean)
        await cell.context.clock.fastForward(Math.min(remainingMs, STEP_MS))
      }
    },
    // A later request, which the browser sends after them.
    waitForBeacons: (page) =>
      page.evaluate(async (url) => void (await fetch(url, { mode: 'no-cors' }).catch(() => undefined)), proxy.url),
    waitForStored: (minCount) =>
      until(
        async () => {
          const rows = await service.query(`SELECT properties FROM events WHERE event = '${name}'`)
          return rows.map(([properties]) => JSON.parse(properties as string).n as number).sort((a, b) => a - b)
        },
        (numbers) => numbers.length >= minCount,
        30_000,
      ),
    countWaiting: (page) =>
      page.evaluate(countWaitingEvents, [cell.storeName, `waymark_1_${service.apiKey}_spill`] as const),
  }
  return cell
}

/** Runs in the page. Returns 0 for a store that does not exist or that the browser does not open. */
const countWaitingEvents = async ([name, spillPrefix]: readonly [
  name: string,
  spillPrefix: string,
]): Promise<number> => {
  const spills = Object.keys(localStorage).filter((key) => key.startsWith(spillPrefix))
  if (spills.length) return spills.flatMap((key) => JSON.parse(localStorage.getItem(key)!) as unknown[]).length
  const databases = await indexedDB.databases().catch(() => [])
  if (!databases.some((database) => database.name === name)) return 0
  return new Promise<number>((resolve, reject) => {
    const opening = indexedDB.open(name)
    opening.addEventListener('error', () => reject(new Error('The store cannot be opened.')))
    opening.addEventListener('success', () => {
      const db = opening.result
      db.addEventListener('versionchange', () => db.close())
      const counting = db.transaction('records').objectStore('records').count(IDBKeyRange.bound('e/', 'e0'))
      counting.addEventListener('success', () => {
        db.close()
        resolve(counting.result)
      })
    })
  })
}
