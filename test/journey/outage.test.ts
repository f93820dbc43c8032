import { expect } from 'vitest'
import { lossMatrix } from '../support/loss-matrix.ts'
import { until } from '../support/until.ts'

const HOUR_MS = 3_600_000

const cell = lossMatrix('outage')

cell('30 s of 503', { captured: 20 }, async (own) => {
  const page = await own.openWarm()
  own.front.behave(503)
  await own.capture(page, 20)
  await own.pass(30_000)
  // Virtual time does not wait for a slow browser to read what it retries.
  await until(
    async () => {
      await own.pass(1_000)
      return own.front.seen(503)
    },
    (seen) => seen > 1,
  )
  own.front.behave('up')
  return page
})

cell('10 min of 503', { captured: 40 }, async (own) => {
  const page = await own.openWarm()
  own.front.behave(503)
  await own.capture(page, 20)
  await own.pass(300_000)
  await own.capture(page, 20, 20)
  await own.pass(300_000)
  // The back-off doubles: a service that comes back is not met by a crowd.
  expect(own.front.seen(503)).toBeLessThan(15)
  own.front.behave('up')
  return page
})

// The service has them, and nobody could tell.
cell('answer dropped after the service has stored 20 events', { captured: 20, duplicates: 20 }, async (own) => {
  const page = await own.openWarm()
  own.front.behave('drops answers')
  await own.capture(page, 20)
  await until(
    async () => {
      await own.pass(1_000)
      return own.front.seen('drops answers')
    },
    (seen) => seen > 0,
  )
  own.front.behave('up')
  return page
})

cell('clock set back an hour while a back-off runs', { captured: 20 }, async (own) => {
  const page = await own.openWarm()
  own.front.behave(503)
  await own.capture(page, 20)
  await own.pass(120_000)
  own.front.behave('up')
  await own.context.clock.setSystemTime((await page.evaluate(() => Date.now())) - HOUR_MS)
  return page
})

cell('clock set back an hour between two pages, service down', { captured: 20 }, async (own) => {
  const page = await own.openWarm()
  own.front.behave('down')
  await own.capture(page, 20)
  await own.pass(120_000)
  // A beacon, too, that leaves its lease behind; it must not come through late, when the service is up.
  const refused = own.front.seen('down')
  await page.goto('about:blank')
  await until(
    () => own.front.seen('down'),
    (seen) => seen > refused,
  )
  await own.context.clock.setSystemTime((await page.evaluate(() => Date.now())) - HOUR_MS)
  own.front.behave('up')
  await page.goto(own.site.url)
  // At once: no virtual time passes.
  await own.stored(20)
  return page
})
