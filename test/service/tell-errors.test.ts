import { expect, test } from 'vitest'
import { createTellErrors } from '../../src/service/tell-errors.ts'

const open = () => {
  const told: [string, number][] = []
  const clock = { now: 0 }
  const tell = createTellErrors(
    (error, more) => told.push([error instanceof Error ? error.message : String(error), more]),
    () => clock.now,
  )
  return { told, clock, tell }
}

test('tells the first error of a kind at once, and how many followed with the next that it tells', () => {
  const { told, clock, tell } = open()
  for (let count = 0; count < 5; count++) tell(new Error('full'))
  expect(told).toEqual([['full', 0]])
  clock.now = 9_999
  tell(new Error('full'))
  clock.now = 10_000
  tell(new Error('full'))
  expect(told).toEqual([
    ['full', 0],
    ['full', 5],
  ])
  clock.now = 20_000
  tell(new Error('full'))
  expect(told.at(-1)).toEqual(['full', 0])
})

test('holds back no error for one of another kind', () => {
  const { told, tell } = open()
  for (const error of [new Error('full'), new TypeError('full'), 'full', new Error('damaged')]) tell(error)
  expect(told).toEqual([
    ['full', 0],
    ['full', 0],
    ['full', 0],
    ['damaged', 0],
  ])
})

test('goes on telling when each error is another one', () => {
  const { told, tell } = open()
  for (let count = 0; count < 1000; count++) tell(new Error(`of row ${count}`))
  expect(told).toHaveLength(1000)
})
