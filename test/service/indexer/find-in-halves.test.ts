import { expect, it } from 'vitest'
import { findInHalves } from '../../../src/service/indexer/find-in-halves.ts'

const items = Array.from({ length: 64 }, (_, index) => index)

it('finds each item that fails on its own, in order', async () => {
  expect(await findInHalves(items, async (each) => !each.includes(3) && !each.includes(40))).toEqual([3, 40])
})

it('tries a list without a bad item once, and a list without items never', async () => {
  let attempts = 0
  const succeed = async (): Promise<boolean> => {
    attempts += 1
    return true
  }
  expect(await findInHalves(items, succeed)).toEqual([])
  expect(await findInHalves([], succeed)).toEqual([])
  expect(attempts).toBe(1)
})

it('finds one bad item of 64 in 13 attempts', async () => {
  let attempts = 0
  await findInHalves(items, async (each) => {
    attempts += 1
    return !each.includes(7)
  })
  expect(attempts).toBe(13)
})
