import type { Page } from 'playwright-core'
import type { Waymark } from '../../src/entry/index.ts'
import { defineLossMatrix } from '../support/loss-matrix.ts'
import type { Cell } from '../support/loss-matrix.ts'
import { until } from '../support/until.ts'

declare const waymark: Waymark

const testCell = defineLossMatrix('store')

/** The agent's warning that events are kept in memory only. */
const WARNING = /storage_unavailable/

/** Some private windows refuse IndexedDB in this way. */
const refuseToOpen = ({ context }: Cell): Promise<unknown> =>
  context.addInitScript(() => {
    IDBFactory.prototype.open = () => {
      throw new DOMException('The user denied permission to access the database.', 'SecurityError')
    }
  })

/** Waits until the event store contains this many events. */
const waitUntilWritten = (cell: Cell, page: Page, count: number): Promise<number> =>
  until(
    () => cell.countWaiting(page),
    (waitingCount) => waitingCount === count,
  )

testCell('IndexedDB refuses to open, 1 min of 503', { captured: 20 }, async (cell) => {
  await refuseToOpen(cell)
  const page = await cell.context.newPage()
  const warning = page.waitForEvent('console', { predicate: (message) => WARNING.test(message.text()) })
  await page.goto(cell.site.url)
  cell.proxy.setBehaviour(503)
  await cell.capture(page, 20)
  await warning
  await cell.advance(60_000)
  cell.proxy.setBehaviour('up')
  return page
})

testCell('IndexedDB refuses to open, page left right after 20 events, service down', { captured: 20 }, async (cell) => {
  await refuseToOpen(cell)
  const page = await cell.openWarm()
  cell.proxy.setBehaviour('down')
  await cell.capture(page, 20)
  await page.goto(`${cell.site.url}/elsewhere`)
  await cell.waitForBeacons(page)
  cell.proxy.setBehaviour('up')
  return page
})

testCell('quota exceeded, 1 min of 503, then page left right after 20 more events', { captured: 40 }, async (cell) => {
  const page = await cell.context.newPage()
  const session = await cell.context.newCDPSession(page)
  // Before the first use of the storage, because the browser caches the free space for half a minute.
  await session.send('Storage.overrideQuotaForOrigin', { origin: cell.site.url, quotaSize: 1 })
  const warning = page.waitForEvent('console', { predicate: (message) => /QuotaExceeded/.test(message.text()) })
  await page.goto(cell.site.url)
  cell.proxy.setBehaviour(503)
  await cell.capture(page, 20)
  await warning
  await cell.advance(60_000)
  await page.evaluate((name) => {
    for (let n = 20; n < 40; n++) waymark.capture(name, { n })
    location.href = '/elsewhere'
  }, cell.name)
  await page.waitForURL('**/elsewhere')
  await cell.waitForBeacons(page)
  cell.proxy.setBehaviour('up')
  return page
})

testCell('database deleted while open, service down', { captured: 40 }, async (cell) => {
  const page = await cell.openWarm()
  cell.proxy.setBehaviour('down')
  await cell.capture(page, 20)
  await waitUntilWritten(cell, page, 20)
  await page.evaluate(
    (name) =>
      new Promise<void>((resolve, reject) => {
        const deleteRequest = indexedDB.deleteDatabase(name)
        deleteRequest.addEventListener('success', () => resolve())
        deleteRequest.addEventListener('error', () => reject(new Error('The database cannot be deleted.')))
      }),
    cell.storeName,
  )
  await cell.capture(page, 20, 20)
  cell.proxy.setBehaviour('up')
  return page
})
