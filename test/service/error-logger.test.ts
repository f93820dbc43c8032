import { expect, test } from 'vitest'
import { createErrorLogger } from '../../src/service/error-logger.ts'

const openErrorLogger = () => {
  const loggedErrors: [string, number][] = []
  const clock = { now: 0 }
  const log = createErrorLogger(
    (error, suppressed) => loggedErrors.push([error instanceof Error ? error.message : String(error), suppressed]),
    () => clock.now,
  )
  return { loggedErrors, clock, log }
}

test('logs the first error of a kind, and later the number of errors that followed', () => {
  const { loggedErrors, clock, log } = openErrorLogger()
  for (let count = 0; count < 5; count++) log(new Error('full'))
  expect(loggedErrors).toEqual([['full', 0]])
  clock.now = 9_999
  log(new Error('full'))
  clock.now = 10_000
  log(new Error('full'))
  expect(loggedErrors).toEqual([
    ['full', 0],
    ['full', 5],
  ])
  clock.now = 20_000
  log(new Error('full'))
  expect(loggedErrors.at(-1)).toEqual(['full', 0])
})

test('throttles each kind of error separately', () => {
  const { loggedErrors, log } = openErrorLogger()
  for (const error of [new Error('full'), new TypeError('full'), 'full', new Error('damaged')]) log(error)
  expect(loggedErrors).toEqual([
    ['full', 0],
    ['full', 0],
    ['full', 0],
    ['damaged', 0],
  ])
})

test('logs each of many different errors', () => {
  const { loggedErrors, log } = openErrorLogger()
  for (let count = 0; count < 1000; count++) log(new Error(`of row ${count}`))
  expect(loggedErrors).toHaveLength(1000)
})
