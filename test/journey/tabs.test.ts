import { expect } from 'vitest'
import type { Page } from 'playwright-core'
import type { Waymark } from '../../src/entry/index.ts'
import { lossMatrix } from '../support/loss-matrix.ts'
import type { Cell } from '../support/loss-matrix.ts'
import { until } from '../support/until.ts'

declare const waymark: Waymark
declare const kept: { heard?: Promise<void> }

const cell = lossMatrix('tabs')

/** The browser knows that it is offline, and no beacon finds a way past the emulation. */
const setOffline = async ({ context, front }: Cell, isOffline: boolean): Promise<void> => {
  front.behave(isOffline ? 'down' : 'up')
  await context.setOffline(isOffline)
}

/** Makes the site one that is there offline, too. */
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

/** Resolves when the site is there offline. */
const keepOffline = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    const { serviceWorker } = navigator
    const controlled = new Promise((resolve) => serviceWorker.addEventListener('controllerchange', resolve))
    await serviceWorker.register('/offline.js')
    if (!serviceWorker.controller) await controlled
  })

cell('offline, reloaded while offline, online', { captured: 40, files }, async (own) => {
  const page = await own.openWarm()
  await keepOffline(page)
  await setOffline(own, true)
  await own.capture(page, 20)
  await page.reload()
  await own.capture(page, 20, 20)
  await setOffline(own, false)
  return page
})

const twoOffline = async (own: Cell, isReloaded: boolean): Promise<Page> => {
  const [one, two] = [await own.openWarm(), await own.openWarm()]
  await keepOffline(one)
  await setOffline(own, true)
  await own.capture(one, 50)
  await own.capture(two, 50, 50)
  if (isReloaded) for (const tab of [one, two]) await tab.reload()
  await setOffline(own, false)
  return one
}

cell('two tabs offline, then online together', { captured: 100, files }, (own) => twoOffline(own, false))

cell('two tabs offline, both reloaded, then online together', { captured: 100, files }, (own) => twoOffline(own, true))

cell('events of one tab delivered by another, then the first closed', { captured: 20 }, async (own) => {
  const [sender, other] = [await own.openWarm(), await own.openWarm()]
  await other.evaluate((channel) => {
    const heard = new Promise<void>((resolve) =>
      new BroadcastChannel(channel).addEventListener('message', () => resolve()),
    )
    Object.assign(globalThis, { kept: { heard } })
  }, own.store)
  // Whatever wakes the other tab meanwhile, it delivers nothing by itself.
  own.front.behave(503)
  await own.capture(other, 20)
  await until(
    () => own.waiting(other),
    (waiting) => waiting === 20,
  )
  own.front.behave('up')
  await sender.evaluate(() => waymark.flush())
  await other.evaluate(() => kept.heard)
  await other.close()
  return sender
})

cell('tab killed while it holds the lock', { captured: 40 }, async (own) => {
  const [holder, other] = [await own.openWarm(), await own.openWarm()]
  own.front.behave('hangs')
  await own.capture(holder, 20)
  await holder.evaluate(() => void waymark.flush())
  await until(
    () => own.front.seen('hangs'),
    (seen) => seen > 0,
  )
  await own.capture(other, 20, 20)
  const held = await other.evaluate(() => navigator.locks.query().then((locks) => locks.held?.map(({ name }) => name)))
  expect(held).toContain(own.store)
  const crash = holder.waitForEvent('crash')
  const session = await own.context.newCDPSession(holder)
  session.send('Page.crash').catch(() => undefined)
  await crash
  await holder.close()
  own.front.behave('up')
  return other
})
