import { expect, test } from 'vitest'
import {
  createPropertyCounter,
  MAX_COLUMNS,
} from '../../../../../../src/service/store/events/duckdb/event-table/frequent-properties.ts'

/** A counter that has seen a number of events with each property in a part of them. */
const counterOf = (eventCount: number, shares: Readonly<Record<string, number>>) => {
  const counter = createPropertyCounter()
  counter.addEvents(eventCount)
  for (const [name, share] of Object.entries(shares))
    for (let n = 0; n < Math.round(eventCount * share); n++) counter.addProperty(name)
  return counter
}

test('a property in more than one percent of the events is frequent', () => {
  expect(counterOf(2000, { often: 0.5, seldom: 0.01, more: 0.011 }).takeFrequent(0)).toEqual(['often', 'more'])
})

test('nothing is frequent before 2,000 events, and counting then starts again over 20,000', () => {
  const counter = counterOf(1999, { plan: 1 })
  expect(counter.takeFrequent(0)).toEqual([])
  counter.addEvents(1)
  expect(counter.takeFrequent(0)).toEqual(['plan'])
  counter.addEvents(19_999)
  for (let n = 0; n < 300; n++) counter.addProperty('price')
  expect(counter.takeFrequent(0)).toEqual([])
  counter.addEvents(1)
  expect(counter.takeFrequent(0)).toEqual(['price'])
})

test('a project has a maximum number of columns', () => {
  const shares = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`p${n}`, 0.5 - n / 100]))
  expect(counterOf(2000, shares).takeFrequent(MAX_COLUMNS - 2)).toEqual(['p0', 'p1'])
  expect(counterOf(2000, shares).takeFrequent(MAX_COLUMNS + 1)).toEqual([])
})

test('a name that JSON would escape, or a very long one, gets no column', () => {
  const shares = {
    'a"b': 1,
    'a\\b': 1,
    'a\nb': 1,
    '\ud800': 1,
    '': 1,
    ['x'.repeat(101)]: 1,
    'ü 😀 {0}': 1,
  }
  expect(counterOf(2000, shares).takeFrequent(0)).toEqual(['ü 😀 {0}'])
})

test('the memory for names is bounded', () => {
  const counter = createPropertyCounter()
  counter.addEvents(2000)
  for (let n = 0; n < 2000; n++) counter.addProperty(`once ${n}`)
  for (let n = 0; n < 2000; n++) counter.addProperty('too late')
  expect(counter.takeFrequent(0)).toEqual([])
})
