import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createBodyBudget } from '../../../src/service/http/body-budget.ts'

const KIB = 1024
const MIB = 1024 * KIB

const openBudget = (limitBytes = 80 * MIB) => {
  let now = 0
  const budget = createBodyBudget({ limitBytes, maxBodyBytes: 20 * MIB, now: () => now })
  const advanceClock = (ms: number): void => {
    now += ms
  }
  return { budget, advanceClock }
}

test('reserves the declared length of a body and rejects bodies that do not fit', () => {
  const { budget } = openBudget()
  const reservations = [1, 2, 3].map(() => budget.reserve(20 * MIB))
  expect(reservations.every((reservation) => reservation !== null)).toBe(true)
  expect(budget.reserve(20 * MIB)).toBeNull()
  reservations[0]?.release()
  expect(budget.reserve(20 * MIB)).not.toBeNull()
})

test('always has memory for one body of the maximum size', () => {
  const { budget } = openBudget(MIB)
  const reservation = budget.reserve(20 * MIB - 1)
  expect(reservation?.grow(20 * MIB - 1)).toBe(true)
  expect(budget.reserve(20 * MIB - 1)).toBeNull()
})

test('keeps memory for small bodies when large bodies have used up their share', () => {
  const { budget } = openBudget()
  while (budget.reserve(10 * MIB) !== null);
  while (budget.reserve(KIB * 100) !== null);
  const small = Array.from({ length: 160 }, () => budget.reserve(64 * KIB))
  expect(small.every((reservation) => reservation !== null)).toBe(true)
  expect(budget.usedBytes()).toBeLessThanOrEqual(80 * MIB)
})

test('counts a body of unknown length as it arrives', () => {
  const { budget } = openBudget()
  const reservation = budget.reserve(0)
  expect(budget.usedBytes()).toBe(0)
  for (let mib = 1; mib <= 70; mib++) expect(reservation?.grow(MIB)).toBe(true)
  expect(budget.usedBytes()).toBe(70 * MIB)
  expect(reservation?.grow(MIB)).toBe(false)
})

test('reduces the reservation of a sender that does not send', () => {
  const { budget, advanceClock } = openBudget()
  const idle = [1, 2, 3].map(() => budget.reserve(20 * MIB))
  advanceClock(1000)
  expect(budget.reserve(20 * MIB)).toBeNull()
  advanceClock(2000)
  expect(budget.reserve(20 * MIB)).not.toBeNull()
  expect(idle[0]?.grow(KIB)).toBe(true)
})

test('evicts the slowest body when the budget is used up', () => {
  const { budget, advanceClock } = openBudget()
  const evicted: string[] = []
  const start = (name: string) => {
    const reservation = budget.reserve(20 * MIB)!
    reservation.onEvicted = () => evicted.push(name)
    return reservation
  }
  const [fast, slow, slower] = [start('fast'), start('slow'), start('slower')]
  fast.grow(19 * MIB)
  slow.grow(19 * MIB)
  slower.grow(18 * MIB)
  advanceClock(1_000_000)
  fast.complete()
  expect(budget.reserve(20 * MIB)).not.toBeNull()
  expect(evicted).toEqual(['slower'])
})

test('never exceeds its limit, and has all bytes again after all releases', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          declared: fc.nat(20 * MIB),
          grows: fc.array(fc.nat(5 * MIB), { maxLength: 6 }),
          waitMs: fc.nat(4000),
          isReleased: fc.boolean(),
        }),
      ),
      (requests) => {
        const { budget, advanceClock } = openBudget(40 * MIB)
        const reservations = requests.map(({ declared, grows, waitMs, isReleased }) => {
          const reservation = budget.reserve(declared)
          let isEvicted = false
          if (reservation !== null) reservation.onEvicted = () => (isEvicted = true)
          for (const bytes of grows) {
            if (reservation === null || isEvicted || !reservation.grow(bytes)) break
            expect(budget.usedBytes()).toBeLessThanOrEqual(budget.limitBytes)
          }
          advanceClock(waitMs)
          if (isReleased) reservation?.release()
          return reservation
        })
        for (const reservation of reservations) reservation?.release()
        expect(budget.usedBytes()).toBe(0)
      },
    ),
  )
})
