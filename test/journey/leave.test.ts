import { expect } from 'vitest'
import type { Page } from 'playwright-core'
import type { Waymark } from '../../src/entry/index.ts'
import type { Behaviour } from '../support/front.ts'
import { lossMatrix } from '../support/loss-matrix.ts'
import type { Cell } from '../support/loss-matrix.ts'

declare const waymark: Waymark
declare const kept: { isPersisted?: boolean }

const cell = lossMatrix('leave')

/** A page that captures in its first task, before the agent can have opened anything, and leaves. */
const files = (name: string) => ({
  '/cold': `<script>for (let n = 0; n < 20; n++) waymark.capture('${name}', { n }); location.href = '/elsewhere'</script>`,
})

/** 20 events and the navigation in one task. */
const leave = async (page: Page, name: string): Promise<Page> => {
  await page.evaluate((name) => {
    for (let n = 0; n < 20; n++) waymark.capture(name, { n })
    location.href = '/elsewhere'
  }, name)
  await page.waitForURL('**/elsewhere')
  return page
}

const leaveCold = async ({ context, site, front }: Cell, behaviour: Behaviour): Promise<Page> => {
  front.behave(behaviour)
  const page = await context.newPage()
  await page.goto(`${site.url}/cold`, { waitUntil: 'commit' })
  await page.waitForURL('**/elsewhere')
  return page
}

// The answer to a beacon is never seen: what it took along is sent once more, half a minute later.
cell('page left right after 20 events', { captured: 20, duplicates: 20 }, async (own) => {
  const page = await leave(await own.openWarm(), own.name)
  // No time passes: the beacon brings them.
  await own.stored(20)
  return page
})

cell('page left right after 20 events, service down', { captured: 20 }, async (own) => {
  const page = await own.openWarm()
  own.front.behave('down')
  await leave(page, own.name)
  own.front.behave('up')
  return page
})

cell('cold page left right after `init` and 20 events', { captured: 20, duplicates: 20, files }, async (own) => {
  const page = await leaveCold(own, 'up')
  await own.stored(20)
  return page
})

cell('cold page left right after `init` and 20 events, service down', { captured: 20, files }, async (own) => {
  const page = await leaveCold(own, 'down')
  own.front.behave('up')
  return page
})

cell('page left right after 60 events of 2 KB', { captured: 60, duplicates: 60 }, async (own) => {
  const page = await own.openWarm()
  await page.evaluate((name) => {
    // Random, so that no compression gets them under the quota of beacons.
    const text = (): string => btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(1_500))))
    for (let n = 0; n < 60; n++) waymark.capture(name, { n, text: text() })
    location.href = '/elsewhere'
  }, own.name)
  await page.waitForURL('**/elsewhere')
  return page
})

cell('events captured while and after the page goes', { captured: 5, duplicates: 5 }, async (own) => {
  const page = await own.openWarm()
  await page.evaluate((name) => {
    // An `unload` listener keeps the page out of the back/forward cache: after these events it is gone.
    addEventListener('unload', () => waymark.capture(name, { n: 4 }))
    addEventListener('pagehide', () => waymark.capture(name, { n: 1 }))
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'hidden') for (const n of [2, 3]) waymark.capture(name, { n })
    })
    waymark.capture(name, { n: 0 })
    location.href = '/elsewhere'
  }, own.name)
  await page.waitForURL('**/elsewhere')
  return page
})

cell('tab closed right after 20 events', { captured: 20, duplicates: 20 }, async (own) => {
  const page = await own.openWarm()
  await own.capture(page, 20)
  await page.close()
  await own.stored(20)
  // Virtual time may not pass before the store is open: the agent does not wait for it for long.
  return own.openWarm()
})

cell(
  'page left with 20 events and restored from the back/forward cache',
  { captured: 40, duplicates: 20 },
  async (own) => {
    const page = await own.openWarm()
    await page.evaluate(() => {
      Object.assign(globalThis, { kept: {} })
      addEventListener('pageshow', (event) => (kept.isPersisted = event.persisted))
    })
    await leave(page, own.name)
    // A restored page has no load of its own.
    await page.goBack({ waitUntil: 'commit' })
    expect(await page.evaluate(() => kept.isPersisted)).toBe(true)
    await own.capture(page, 20, 20)
    return page
  },
)
