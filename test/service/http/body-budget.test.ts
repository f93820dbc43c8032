import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createBodyBudget } from '../../../src/service/http/body-budget.ts'

const KIB = 1024
const MIB = 1024 * KIB

const openBudget = (limitBytes = 80 * MIB) => {
  let now = 0
  const budget = createBodyBudget({ limitBytes, maxBodyBytes: 20 * MIB, now: () => now })
  const pass = (ms: number): void => {
    now += ms
  }
  return { budget, pass }
}

test('gives room by the declared length, and refuses what does not fit', () => {
  const { budget } = openBudget()
  const shares = [1, 2, 3].map(() => budget.open(20 * MIB))
  expect(shares.every((share) => share !== null)).toBe(true)
  expect(budget.open(20 * MIB)).toBeNull()
  shares[0]?.release()
  expect(budget.open(20 * MIB)).not.toBeNull()
})

test('takes the largest body when nothing else is there, however small the budget', () => {
  const { budget } = openBudget(MIB)
  const share = budget.open(20 * MIB - 1)
  expect(share?.grow(20 * MIB - 1)).toBe(true)
  expect(budget.open(20 * MIB - 1)).toBeNull()
})

test('keeps room for small bodies while large ones hold all of theirs', () => {
  const { budget } = openBudget()
  while (budget.open(10 * MIB) !== null);
  while (budget.open(KIB * 100) !== null);
  const small = Array.from({ length: 160 }, () => budget.open(64 * KIB))
  expect(small.every((share) => share !== null)).toBe(true)
  expect(budget.usedBytes()).toBeLessThanOrEqual(80 * MIB)
})

test('counts a body without a length as it comes', () => {
  const { budget } = openBudget()
  const share = budget.open(0)
  expect(budget.usedBytes()).toBe(0)
  for (let mib = 1; mib <= 70; mib++) expect(share?.grow(MIB)).toBe(true)
  expect(budget.usedBytes()).toBe(70 * MIB)
  expect(share?.grow(MIB)).toBe(false)
})

test('takes its promise back from a sender that declares and does not send, and lets it go on', () => {
  const { budget, pass } = openBudget()
  const idle = [1, 2, 3].map(() => budget.open(20 * MIB))
  pass(1000)
  expect(budget.open(20 * MIB)).toBeNull()
  pass(2000)
  expect(budget.open(20 * MIB)).not.toBeNull()
  expect(idle[0]?.grow(KIB)).toBe(true)
})

test('lets the slowest give way when there is no room, and nobody who keeps up', () => {
  const { budget, pass } = openBudget()
  const gone: string[] = []
  const start = (name: string) => {
    const share = budget.open(20 * MIB)!
    share.onGiveWay = () => gone.push(name)
    return share
  }
  const [fast, slow, slower] = [start('fast'), start('slow'), start('slower')]
  fast.grow(19 * MIB)
  slow.grow(19 * MIB)
  slower.grow(18 * MIB)
  pass(1_000_000)
  fast.complete()
  expect(budget.open(20 * MIB)).not.toBeNull()
  expect(gone).toEqual(['slower'])
})

test('never holds more than its limit, and all of it comes back', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          declared: fc.nat(20 * MIB),
          grows: fc.array(fc.nat(5 * MIB), { maxLength: 6 }),
          wait: fc.nat(4000),
          isReleased: fc.boolean(),
        }),
      ),
      (requests) => {
        const { budget, pass } = openBudget(40 * MIB)
        const shares = requests.map(({ declared, grows, wait, isReleased }) => {
          const share = budget.open(declared)
          let isGone = false
          if (share !== null) share.onGiveWay = () => (isGone = true)
          for (const bytes of grows) {
            if (share === null || isGone || !share.grow(bytes)) break
            expect(budget.usedBytes()).toBeLessThanOrEqual(budget.limitBytes)
          }
          pass(wait)
          if (isReleased) share?.release()
          return share
        })
        for (const share of shares) share?.release()
        expect(budget.usedBytes()).toBe(0)
      },
    ),
  )
})
