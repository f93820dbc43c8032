import { expect } from 'vitest'
import type { Page } from 'playwright-core'
import type { Waymark } from '../../src/entry/index.ts'
import type { ProxyBehaviour } from '../support/fault-proxy.ts'
import { defineLossMatrix } from '../support/loss-matrix.ts'
import type { Cell } from '../support/loss-matrix.ts'

declare const waymark: Waymark
/** What the page records for the test. */
declare const pageState: { isPersisted?: boolean }

const testCell = defineLossMatrix('leave')

/**
 * The most repeated deliveries of so many events. The page sees neither the response to the request that it sends when it becomes
 * hidden, nor the one to its beacon. So an event may travel in both, and once more half a minute later.
 */
const maxDuplicatesOf = (eventCount: number): number => 2 * eventCount

/** Returns a page that captures and navigates away in its first task, before the agent can open its store. */
const files = (name: string) => ({
  '/cold': `<script>for (let n = 0; n < 20; n++) waymark.capture('${name}', { n }); location.href = '/elsewhere'</script>`,
})

/** Captures 20 events and navigates in one task. */
const leave = async (page: Page, name: string): Promise<Page> => {
  await page.evaluate((name) => {
    for (let n = 0; n < 20; n++) waymark.capture(name, { n })
    location.href = '/elsewhere'
  }, name)
  await page.waitForURL('**/elsewhere')
  return page
}

const leaveCold = async ({ context, site, proxy }: Cell, behaviour: ProxyBehaviour): Promise<Page> => {
  proxy.setBehaviour(behaviour)
  const page = await context.newPage()
  await page.goto(`${site.url}/cold`, { waitUntil: 'commit' })
  await page.waitForURL('**/elsewhere')
  return page
}

testCell('page left right after 20 events', { captured: 20, maxDuplicates: maxDuplicatesOf(20) }, async (cell) => {
  const page = await leave(await cell.openWarm(), cell.name)
  // The clock of the page is stopped, so only the beacon can have delivered the events.
  await cell.waitForStored(20)
  return page
})

testCell('page left right after 20 events, service down', { captured: 20 }, async (cell) => {
  const page = await cell.openWarm()
  cell.proxy.setBehaviour('down')
  await leave(page, cell.name)
  await cell.waitForBeacons(page)
  cell.proxy.setBehaviour('up')
  return page
})

testCell(
  'cold page left right after `init` and 20 events',
  { captured: 20, maxDuplicates: maxDuplicatesOf(20), files },
  async (cell) => {
    const page = await leaveCold(cell, 'up')
    await cell.waitForStored(20)
    return page
  },
)

testCell('cold page left right after `init` and 20 events, service down', { captured: 20, files }, async (cell) => {
  const page = await leaveCold(cell, 'down')
  await cell.waitForBeacons(page)
  cell.proxy.setBehaviour('up')
  return page
})

testCell(
  'page left right after 60 events of 2 KB',
  { captured: 60, maxDuplicates: maxDuplicatesOf(60) },
  async (cell) => {
    const page = await cell.openWarm()
    await page.evaluate((name) => {
      // Random, so that compression does not bring them below the size limit of beacons.
      const randomText = (): string => btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(1_500))))
      for (let n = 0; n < 60; n++) waymark.capture(name, { n, text: randomText() })
      location.href = '/elsewhere'
    }, cell.name)
    await page.waitForURL('**/elsewhere')
    return page
  },
)

testCell(
  'events captured while the page is hidden and unloaded',
  { captured: 5, maxDuplicates: maxDuplicatesOf(5) },
  async (cell) => {
    const page = await cell.openWarm()
    await page.evaluate((name) => {
      // An `unload` listener keeps the page out of the back/forward cache, so that it ends after these events.
      addEventListener('unload', () => waymark.capture(name, { n: 4 }))
      addEventListener('pagehide', () => waymark.capture(name, { n: 1 }))
      document.addEventListener('visibilitychange', () => {
        if (document.visibilityState === 'hidden') for (const n of [2, 3]) waymark.capture(name, { n })
      })
      waymark.capture(name, { n: 0 })
      location.href = '/elsewhere'
    }, cell.name)
    await page.waitForURL('**/elsewhere')
    return page
  },
)

testCell('tab closed right after 20 events', { captured: 20, maxDuplicates: maxDuplicatesOf(20) }, async (cell) => {
  const page = await cell.openWarm()
  await cell.capture(page, 20)
  await page.close()
  // A busy browser ends a closed tab before its beacon has left; the next page then delivers the events.
  // Virtual time must not pass before the store is open, because the agent waits for it only briefly.
  return cell.openWarm()
})

testCell(
  'page left with 20 events and restored from the back/forward cache',
  { captured: 40, maxDuplicates: maxDuplicatesOf(20) },
  async (cell) => {
    const page = await cell.openWarm()
    await page.evaluate(() => {
      Object.assign(globalThis, { pageState: {} })
      addEventListener('pageshow', (event) => (pageState.isPersisted = event.persisted))
    })
    await leave(page, cell.name)
    // A restored page has no load event.
    await page.goBack({ waitUntil: 'commit' })
    expect(await page.evaluate(() => pageState.isPersisted)).toBe(true)
    await cell.capture(page, 20, 20)
    return page
  },
)
