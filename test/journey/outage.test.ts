import { expect } from 'vitest'
import { defineLossMatrix } from '../support/loss-matrix.ts'
import { until } from '../support/until.ts'

const HOUR_MS = 3_600_000

const testCell = defineLossMatrix('outage')

testCell('30 s of 503', { captured: 20 }, async (cell) => {
  const page = await cell.openWarm()
  cell.proxy.setBehaviour(503)
  await cell.capture(page, 20)
  await cell.advance(30_000)
  // The emulated clock advances even while the browser still reads the events from its store.
  await until(
    async () => {
      await cell.advance(1_000)
      return cell.proxy.countRequests(503)
    },
    (count) => count > 1,
  )
  cell.proxy.setBehaviour('up')
  return page
})

testCell('10 min of 503', { captured: 40 }, async (cell) => {
  const page = await cell.openWarm()
  cell.proxy.setBehaviour(503)
  await cell.capture(page, 20)
  await cell.advance(300_000)
  await cell.capture(page, 20, 20)
  await cell.advance(300_000)
  // The back-off doubles, so that pages do not overload a service that is up again.
  expect(cell.proxy.countRequests(503)).toBeLessThan(15)
  cell.proxy.setBehaviour('up')
  return page
})

// The service has stored the events, but the page gets no response.
testCell('response lost after the service has stored 20 events', { captured: 20, maxDuplicates: 20 }, async (cell) => {
  const page = await cell.openWarm()
  cell.proxy.setBehaviour('drops responses')
  await cell.capture(page, 20)
  await until(
    async () => {
      // Before the next step: the agent would send the events again after its back-off.
      if (cell.proxy.countRequests('drops responses') === 0) await cell.advance(1_000)
      return cell.proxy.countRequests('drops responses')
    },
    (count) => count > 0,
  )
  cell.proxy.setBehaviour('up')
  return page
})

testCell('clock set back an hour while a back-off runs', { captured: 20 }, async (cell) => {
  const page = await cell.openWarm()
  cell.proxy.setBehaviour(503)
  await cell.capture(page, 20)
  await cell.advance(120_000)
  cell.proxy.setBehaviour('up')
  await cell.context.clock.setSystemTime((await page.evaluate(() => Date.now())) - HOUR_MS)
  return page
})

testCell('clock set back an hour between two pages, service down', { captured: 20 }, async (cell) => {
  const page = await cell.openWarm()
  cell.proxy.setBehaviour('down')
  await cell.capture(page, 20)
  await cell.advance(120_000)
  // The page also sends a beacon, which starts a resend delay. The beacon must not arrive when the service is up again.
  const refusedCount = cell.proxy.countRequests('down')
  await page.goto('about:blank')
  await until(
    () => cell.proxy.countRequests('down'),
    (count) => count > refusedCount,
  )
  await cell.context.clock.setSystemTime((await page.evaluate(() => Date.now())) - HOUR_MS)
  cell.proxy.setBehaviour('up')
  await page.goto(cell.site.url)
  // Delivered at once: the clock of the page is stopped.
  await cell.waitForStored(20)
  return page
})
