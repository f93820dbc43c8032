import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Options, Waymark } from '../../src/entry/index.ts'
import { launch } from './browser.ts'
import { startFront } from './front.ts'
import type { Front } from './front.ts'
import { committedGuarantees, isWriting, writeGuarantees } from './guarantees.ts'
import type { Guarantee } from './guarantees.ts'
import { startJourneyService } from './service.ts'
import type { RunningService } from './service.ts'
import { startSite } from './site.ts'
import type { Site, SiteFile } from './site.ts'
import { until } from './until.ts'

declare const waymark: Waymark

/** No other event than those that a cell captures, so that none of them draws the waiting ones along; time is virtual, answers are not. */
const OPTIONS: Options = { capturePageview: false, requestTimeout: 60_000 }

/** One step of virtual time: far below the request timeout, so that a request under way survives several. */
const STEP_MS = 2_000

/** A site with visitors and its service, for one cell of the loss matrix. */
export interface Cell {
  /** Name of all its events, too. */
  readonly name: string
  readonly front: Front
  readonly site: Site
  /** The project API key. */
  readonly key: string
  /** Name of the agent's database, lock and channel. */
  readonly store: string
  /** The visitor's profile. Its clock goes on by itself, and faster with `pass`. */
  readonly context: BrowserContext
  /** A profile in place of the given one, as after a browser was killed and started again. */
  use(context: BrowserContext): Promise<void>
  /** Runs when the cell has ended, the latest first. */
  atEnd(task: () => Promise<unknown>): void
  /** A new tab. */
  open(path?: string): Promise<Page>
  /** A new tab whose agent has opened its store. */
  openWarm(path?: string): Promise<Page>
  /** Captures events with the numbers `from` to `from + count - 1`, in one task. */
  capture(page: Page, count: number, from?: number): Promise<void>
  /** Lets virtual time pass for all tabs, in steps, none while a request is under way. */
  pass(ms: number): Promise<void>
  /** Numbers of the stored events, once `atLeast` are there; no virtual time passes meanwhile. */
  stored(atLeast: number): Promise<number[]>
  /** How many events wait in the store that all tabs share, or for it. */
  waiting(page: Page): Promise<number>
}

export interface CellOptions {
  /** Events that the scenario captures, with the numbers 0 to `captured - 1`. */
  readonly captured: number
  /** Most deliveries beyond the first of each event, together. Default 0. */
  readonly duplicates?: number
  /** Further files of the site, as `startSite` takes them. */
  readonly files?: (name: string) => Readonly<Record<string, string | SiteFile>>
  /** The cell brings its own browser: no profile is made for it. */
  readonly hasOwnBrowser?: boolean
}

/** What happens to the visitor; answers a page in which what is left can be seen to be delivered, without any further capture. */
export type Scenario = (cell: Cell) => Promise<Page>

/**
 * Declares tests that run at the same time, each with its own site, profile and front before one real service. After its scenario each
 * waits until nothing is left to be delivered, and then wants every event stored once.
 *
 * @param file Short name of the test file, for the committed results.
 */
export const lossMatrix = (file: string): ((name: string, options: CellOptions, scenario: Scenario) => void) => {
  const found: Record<string, Guarantee> = {}
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
    // First, because it is a process that would outlive a start that failed half-way.
    await service.kill()
    await browser.close()
    await rm(folder, { recursive: true, force: true })
    if (isWriting)
      await writeGuarantees(
        file,
        Object.fromEntries(names.filter((name) => found[name]).map((name) => [name, found[name]!])),
      )
  })

  const run = async (
    name: string,
    { captured, duplicates = 0, files, hasOwnBrowser }: CellOptions,
    scenario: Scenario,
  ) => {
    const ends: (() => Promise<unknown>)[] = []
    const front = await startFront(service.url)
    ends.push(front.close)
    const tag = { key: service.apiKey, host: front.url, options: JSON.stringify(OPTIONS) }
    const site = await startSite(tag, files?.(name))
    ends.push(site.close)
    try {
      const cell = openCell(name, service, front, site, (task) => void ends.push(task))
      if (!hasOwnBrowser) {
        const context = await browser.newContext()
        ends.push(() => context.close())
        await cell.use(context)
      }
      const page = await scenario(cell)
      await until(
        async () => {
          await cell.pass(STEP_MS)
          return { waiting: await cell.waiting(page), delivered: front.deliveries.size }
        },
        ({ waiting, delivered }) => waiting === 0 && delivered >= captured,
        40_000,
      )
      await service.settled()
      const rows = await cell.stored(captured)
      expect(rows).toEqual([...Array(captured).keys()])
      expect(front.deliveries.size, 'events on the wire').toBe(captured)
      const deliveries = [...front.deliveries.values()].reduce((sum, times) => sum + times, 0)
      found[name] = { captured, stored: rows.length, duplicateDeliveries: deliveries - captured }
      expect(deliveries - captured, 'duplicate deliveries').toBeLessThanOrEqual(duplicates)
      if (!isWriting) expect((await committedGuarantees())[file]?.[name]).toMatchObject({ captured, stored: captured })
    } finally {
      for (const end of ends.toReversed()) await end()
    }
  }

  return (name, options, scenario) => {
    names.push(name)
    it.concurrent(name, () => run(name, options, scenario))
  }
}

const openCell = (name: string, service: RunningService, front: Front, site: Site, atEnd: Cell['atEnd']): Cell => {
  let context: BrowserContext | undefined
  const own: Cell = {
    name,
    front,
    site,
    atEnd,
    key: service.apiKey,
    store: `waymark:${front.url}:${service.apiKey}`,
    get context() {
      if (!context) throw new Error('The cell has no profile yet.')
      return context
    },
    async use(next) {
      context = next
      await next.clock.install()
    },
    async open(path = '/') {
      const page = await own.context.newPage()
      await page.goto(site.url + path)
      return page
    },
    async openWarm(path) {
      const page = await own.open(path)
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
    async pass(ms) {
      for (let left = ms; left > 0; left -= STEP_MS) {
        await until(front.isIdle, Boolean)
        await own.context.clock.fastForward(Math.min(left, STEP_MS))
      }
    },
    stored: (atLeast) =>
      until(
        async () => {
          const rows = await service.query(`SELECT properties FROM events WHERE event = '${name}'`)
          return rows.map(([properties]) => JSON.parse(properties as string).n as number).sort((a, b) => a - b)
        },
        (found) => found.length >= atLeast,
        30_000,
      ),
    waiting: (page) => page.evaluate(countWaiting, [own.store, `waymark_1_${service.apiKey}_spill`] as const),
  }
  return own
}

/** Runs in the page. A store that is not there, or that the browser refuses, holds nothing. */
const countWaiting = async ([name, spill]: readonly [name: string, spill: string]): Promise<number> => {
  const spills = Object.keys(localStorage).filter((key) => key.startsWith(spill))
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
