import { expect } from 'vitest'
import type { Page } from 'playwright-core'
import type { Waymark } from '../../src/entry/index.ts'
import { defineLossMatrix } from '../support/loss-matrix.ts'
import type { Cell } from '../support/loss-matrix.ts'
import { until } from '../support/until.ts'

declare const waymark: Waymark
declare const kept: { acknowledgement?: Promise<void> }

const testCell = defineLossMatrix('tabs')

/** Also closes the proxy, because beacons are sent even while the browser emulates being offline. */
const setOffline = async ({ context, proxy }: Cell, isOffline: boolean): Promise<void> => {
  proxy.setBehaviour(isOffline ? 'down' : 'up')
  await context.setOffline(isOffline)
}

/** A service worker that makes the site available offline. */
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
    const controlled = new Promise((resolve) => serviceWorker.addEventListener('controllerchange', resolve))
    await serviceWorker.register('/offline.js')
    if (!serviceWorker.controller) await controlled
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
  const [first, second] = [await cell.openWarm(), await cell.openWarm()]
  await enableOffline(first)
  await setOffline(cell, true)
  await cell.capture(first, 50)
  await cell.capture(second, 50, 50)
  if (isReloaded) for (const tab of [first, second]) await tab.reload()
  await setOffline(cell, false)
  return first
}

testCell('two tabs offline, then online together', { captured: 100, files }, (cell) => captureInTwoTabs(cell, false))

testCell('two tabs offline, both reloaded, then online together', { captured: 100, files }, (cell) =>
  captureInTwoTabs(cell, true),
)

testCell('events of one tab delivered by another, then the first closed', { captured: 20 }, async (cell) => {
  const [sender, other] = [await cell.openWarm(), await cell.openWarm()]
  await other.evaluate((channel) => {
    const acknowledgement = new Promise<void>((resolve) =>
      new BroadcastChannel(channel).addEventListener('message', () => resolve()),
    )
    Object.assign(globalThis, { kept: { acknowledgement } })
  }, cell.storeName)
  // The other tab may wake and try to deliver, but it must not succeed.
  cell.proxy.setBehaviour(503)
  await cell.capture(other, 20)
  await until(
    () => cell.countWaiting(other),
    (waiting) => waiting === 20,
  )
  cell.proxy.setBehaviour('up')
  await sender.evaluate(() => waymark.flush())
  await other.evaluate(() => kept.acknowledgement)
  await other.close()
  return sender
})

testCell('tab killed while it holds the lock', { captured: 40 }, async (cell) => {
  const [holder, other] = [await cell.openWarm(), await cell.openWarm()]
  cell.proxy.setBehaviour('hangs')
  await cell.capture(holder, 20)
  await holder.evaluate(() => void waymark.flush())
  await until(
    () => cell.proxy.countRequests('hangs'),
    (count) => count > 0,
  )
  await cell.capture(other, 20, 20)
  const heldLocks = await other.evaluate(() =>
    navigator.locks.query().then((locks) => locks.held?.map(({ name }) => name)),
  )
  expect(heldLocks).toContain(cell.storeName)
  const crash = holder.waitForEvent('crash')
  const session = await cell.context.newCDPSession(holder)
  session.send('Page.crash').catch(() => undefined)
  await crash
  await holder.close()
  cell.proxy.setBehaviour('up')
  return other
})
