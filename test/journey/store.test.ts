import type { Page } from 'playwright-core'
import type { Waymark } from '../../src/entry/index.ts'
import { lossMatrix } from '../support/loss-matrix.ts'
import type { Cell } from '../support/loss-matrix.ts'
import { until } from '../support/until.ts'

declare const waymark: Waymark

const cell = lossMatrix('store')

/** The agent's one warning that events are less safe than promised. */
const WARNING = /storage_unavailable/

/** As some private windows do. */
const refuseToOpen = ({ context }: Cell): Promise<unknown> =>
  context.addInitScript(() => {
    IDBFactory.prototype.open = () => {
      throw new DOMException('The user denied permission to access the database.', 'SecurityError')
    }
  })

const allWritten = (own: Cell, page: Page, count: number): Promise<number> =>
  until(
    () => own.waiting(page),
    (waiting) => waiting === count,
  )

cell('IndexedDB refuses to open, 1 min of 503', { captured: 20 }, async (own) => {
  await refuseToOpen(own)
  const page = await own.context.newPage()
  const warned = page.waitForEvent('console', { predicate: (message) => WARNING.test(message.text()) })
  await page.goto(own.site.url)
  own.front.behave(503)
  await own.capture(page, 20)
  await warned
  await own.pass(60_000)
  own.front.behave('up')
  return page
})

cell('IndexedDB refuses to open, page left right after 20 events, service down', { captured: 20 }, async (own) => {
  await refuseToOpen(own)
  const page = await own.openWarm()
  own.front.behave('down')
  await own.capture(page, 20)
  await page.goto(`${own.site.url}/elsewhere`)
  own.front.behave('up')
  return page
})

cell('quota exceeded, 1 min of 503, then page left right after 20 more events', { captured: 40 }, async (own) => {
  const page = await own.context.newPage()
  const session = await own.context.newCDPSession(page)
  // Before the first look at it: the browser remembers for half a minute how much is free.
  await session.send('Storage.overrideQuotaForOrigin', { origin: own.site.url, quotaSize: 1 })
  const warned = page.waitForEvent('console', { predicate: (message) => /QuotaExceeded/.test(message.text()) })
  await page.goto(own.site.url)
  own.front.behave(503)
  await own.capture(page, 20)
  await warned
  await own.pass(60_000)
  await page.evaluate((name) => {
    for (let n = 20; n < 40; n++) waymark.capture(name, { n })
    location.href = '/elsewhere'
  }, own.name)
  await page.waitForURL('**/elsewhere')
  own.front.behave('up')
  return page
})

cell('database deleted while open, service down', { captured: 40 }, async (own) => {
  const page = await own.openWarm()
  own.front.behave('down')
  await own.capture(page, 20)
  await allWritten(own, page, 20)
  await page.evaluate(
    (name) =>
      new Promise<void>((resolve, reject) => {
        const deleting = indexedDB.deleteDatabase(name)
        deleting.addEventListener('success', () => resolve())
        deleting.addEventListener('error', () => reject(new Error('The database cannot be deleted.')))
      }),
    own.store,
  )
  await own.capture(page, 20, 20)
  own.front.behave('up')
  return page
})
