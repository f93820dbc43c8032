import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { StoredTimes } from '../../../../../src/service/store/events/duckdb/recent-uuids.ts'
import { createRecentUuids } from '../../../../../src/service/store/events/duckdb/recent-uuids.ts'
import { packUuids } from '../../../../../src/service/store/events/duckdb/rows/uuid-words.ts'

/** The uuid of version 7 with a time in milliseconds, and a number. */
const createUuid = (time: number, number = 0): string => {
  const digits = time.toString(16).padStart(12, '0')
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7000-8000-${number.toString(16).padStart(12, '0')}`
}

const NOTHING_STORED = { through: -Infinity, laterSeconds: [] }

/** A list that knows what was stored before, with two generations of this many uuids. */
const createList = (maxGenerationUuids: number, earlier: StoredTimes = NOTHING_STORED) => {
  const recent = createRecentUuids(maxGenerationUuids)
  recent.useEarlier(earlier)
  return {
    add: (...times: number[]) => recent.add(packUuids(times.map((time) => createUuid(time)))),
    find: (time: number, number = 0) => recent.find(packUuids([createUuid(time, number)]), 0),
  }
}

const MINUTE = 60_000

test('knows the uuids that were stored last, and all later ones', () => {
  const { add, find } = createList(100, { through: 10 * MINUTE, laterSeconds: [660] })
  add(11 * MINUTE + 1000, 12 * MINUTE)
  expect([find(12 * MINUTE), find(11 * MINUTE + 1000)]).toEqual(['stored', 'stored'])
  expect([find(12 * MINUTE, 1), find(13 * MINUTE), find(11 * MINUTE - 1)]).toEqual(['absent', 'absent', 'absent'])
  // Of the seconds of earlier times that were ahead, and of all before them.
  expect([find(11 * MINUTE), find(11 * MINUTE + 999), find(10 * MINUTE)]).toEqual(['unknown', 'unknown', 'unknown'])
})

test('knows nothing but its uuids before it knows what was stored earlier', () => {
  const recent = createRecentUuids()
  const uuids = packUuids([createUuid(1000), createUuid(2000)])
  recent.add(uuids.slice(0, 4))
  expect([recent.find(uuids, 0), recent.find(uuids, 1)]).toEqual(['stored', 'unknown'])
  recent.useEarlier(NOTHING_STORED)
  expect(recent.find(uuids, 1)).toBe('absent')
})

test('still knows later uuids after it forgot one of a clock that is ahead', () => {
  const { add, find } = createList(20)
  add(90 * MINUTE)
  for (let minute = 1; minute <= 60; minute++) add(minute * MINUTE)
  expect([find(60 * MINUTE), find(61 * MINUTE), find(90 * MINUTE)]).toEqual(['stored', 'absent', 'unknown'])
  expect(find(5 * MINUTE)).toBe('unknown')
})

test('never takes a stored uuid for absent, nor another for stored', () => {
  const time = fc.oneof(fc.nat(5000), fc.nat(3_000_000))
  const uuid = fc.tuple(time, fc.nat(2)).map(([at, number]) => createUuid(at, number))
  const uuids = fc.array(uuid, { maxLength: 12 })
  fc.assert(
    fc.property(uuids, fc.array(uuids, { maxLength: 12 }), fc.nat(11), uuids, (earlier, added, knownAt, others) => {
      const recent = createRecentUuids(5)
      const stored = new Set(earlier)
      const times = earlier.map((each) => Number.parseInt(each.replace('-', '').slice(0, 12), 16))
      const through = Math.max(-Infinity, ...times.filter((at) => at <= 1_000_000))
      const laterSeconds = times.filter((at) => at > 1_000_000).map((at) => Math.floor(at / 1000))
      for (const [step, list] of added.entries()) {
        if (step === knownAt) recent.useEarlier({ through, laterSeconds })
        recent.add(packUuids(list))
        for (const each of list) stored.add(each)
        for (const each of [...stored, ...others]) {
          const found = recent.find(packUuids([each]), 0)
          expect(stored.has(each) ? ['stored', 'unknown'] : ['absent', 'unknown']).toContain(found)
        }
      }
    }),
  )
})
