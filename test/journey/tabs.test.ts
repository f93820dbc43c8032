import { expect } from 'vitest'
import type { Page } from 'playwright-core'
import type { Waymark } from '../../src/entry/index.ts'
import { defineLossMatrix } from '../support/loss-matrix.ts'
import type { Cell } from '../support/loss-matrix.ts'
import { until } from '../support/until.ts'

declare const waymark: Waymark
/** What a page records for the test. */
declare const pageState: { acknowledgement?: Promise<void> }

const testCell = defineLossMatrix('tabs')

/** Also closes the proxy, because beacons are sent even while the browser emulates being offline. */
const setOffline = async ({ context, proxy }: Cell, isOffline: boolean): Promise<void> => {
  proxy.setBehaviour(isOffline ? 'down' : 'up')
  await context.setOffline(isOffline)
}

/** Returns the script of a service worker that makes the site available offline. */
const files = () => ({
  '/offline.js': {
    contentType: 'text/javascript',
    body: `addEventListener('install', (event) => {
        skipWaiting()
        event.waitUntil(caches.open('site').then((cache) => cache.addAll(['/', '/waymark.js'])))
      })
      addEventListener('activate', (event) => event.waitUntil(clients.claim()))
      addEventListener('fetch', (event) => {
        if (event.request.url.startsWith(origin)) event.respondWith(caches.match(event.request))
      })`,
  },
})

/** Resolves when the site is available offline. */
const enableOffline = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    const { serviceWorker } = navigator
    const controllerChange = new Promise((resolve) => serviceWorker.addEventListener('controllerchange', resolve))
    await serviceWorker.register('/offline.js')
    if (!serviceWorker.controller) await controllerChange
  })

testCell('offline, reloaded while offline, online', { captured: 40, files }, async (cell) => {
  const page = await cell.openWarm()
  await enableOffline(page)
  await setOffline(cell, true)
  await cell.capture(page, 20)
  await page.reload()
  await cell.capture(page, 20, 20)
  await setOffline(cell, false)
  return page
})

const captureInTwoTabs = async (cell: Cell, isReloaded: boolean): Promise<Page> => {
  const [firstTab, secondTab] = [await cell.openWarm(), await cell.openWarm()]
  await enableOffline(firstTab)
  await setOffline(cell, true)
  await cell.capture(firstTab, 50)
  await cell.capture(secondTab, 50, 50)
  if (isReloaded) for (const tab of [firstTab, secondTab]) await tab.reload()
  await setOffline(cell, false)
  return firstTab
}

testCell('two tabs offline, then online together', { captured: 100, files }, (cell) => captureInTwoTabs(cell, false))

testCell('two tabs offline, both reloaded, then online together', { captured: 100, files }, (cell) =>
  captureInTwoTabs(cell, true),
)

testCell('events of one tab delivered by another, then the first closed', { captured: 20 }, async (cell) => {
  const [senderTab, closedTab] = [await cell.openWarm(), await cell.openWarm()]
  await closedTab.evaluate((channel) => {
    const acknowledgement = new Promise<void>((resolve) =>
      new BroadcastChannel(channel).addEventListener('message', () => resolve()),
    )
    Object.assign(globalThis, { pageState: { acknowledgement } })
  }, cell.storeName)
  // The other tab may wake and try to deliver, but it must not succeed.
  cell.proxy.setBehaviour(503)
  await cell.capture(closedTab, 20)
  await until(
    () => cell.countWaiting(closedTab),
    (waitingCount) => waitingCount === 20,
  )
  cell.proxy.setBehaviour('up')
  await senderTab.evaluate(() => waymark.flush())
  await closedTab.evaluate(() => pageState.acknowledgement)
  await closedTab.close()
  return senderTab
})

testCell('tab killed while it holds the lock', { captured: 40 }, async (cell) => {
  const [lockHolderTab, otherTab] = [await cell.openWarm(), await cell.openWarm()]
  cell.proxy.setBehaviour('hangs')
  await cell.capture(lockHolderTab, 20)
  await lockHolderTab.evaluate(() => void waymark.flush())
  await until(
    () => cell.proxy.countRequests('hangs'),
    (count) => count > 0,
  )
  await cell.capture(otherTab, 20, 20)
  const heldLocks = await otherTab.evaluate(() =>
    navigator.locks.query().then((locks) => locks.held?.map(({ name }) => name)),
  )
  expect(heldLocks).toContain(cell.storeName)
  const crash = lockHolderTab.waitForEvent('crash')
  const session = await cell.context.newCDPSession(lockHolderTab)
  session.send('Page.crash').catch(() => undefined)
  await crash
  await lockHolderTab.close()
  cell.proxy.setBehaviour('up')
  return otherTab
})
