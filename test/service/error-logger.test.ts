import { expect, test } from 'vitest'
import { createErrorLogger } from '../../src/service/error-logger.ts'

const open = () => {
  const written: [string, number][] = []
  const clock = { now: 0 }
  const log = createErrorLogger(
    (error, suppressed) => written.push([error instanceof Error ? error.message : String(error), suppressed]),
    () => clock.now,
  )
  return { written, clock, log }
}

test('logs the first error of a kind, and later how many followed', () => {
  const { written, clock, log } = open()
  for (let count = 0; count < 5; count++) log(new Error('full'))
  expect(written).toEqual([['full', 0]])
  clock.now = 9_999
  log(new Error('full'))
  clock.now = 10_000
  log(new Error('full'))
  expect(written).toEqual([
    ['full', 0],
    ['full', 5],
  ])
  clock.now = 20_000
  log(new Error('full'))
  expect(written.at(-1)).toEqual(['full', 0])
})

test('throttles each kind of error separately', () => {
  const { written, log } = open()
  for (const error of [new Error('full'), new TypeError('full'), 'full', new Error('damaged')]) log(error)
  expect(written).toEqual([
    ['full', 0],
    ['full', 0],
    ['full', 0],
    ['damaged', 0],
  ])
})

test('logs every error when all are different', () => {
  const { written, log } = open()
  for (let count = 0; count < 1000; count++) log(new Error(`of row ${count}`))
  expect(written).toHaveLength(1000)
})
