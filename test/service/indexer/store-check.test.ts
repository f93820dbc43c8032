import { expect, it } from 'vitest'
import { RETRY_MS, startStoreCheck } from '../../../src/service/indexer/store-check.ts'

/** A check of stores, of which those in `damaged` cannot be opened. */
const openCheck = (projects: readonly number[], damaged: Set<number>) => {
  const checked: number[] = []
  const waiting: { readonly callback: () => void; readonly ms: number }[] = []
  const { stop } = startStoreCheck({
    projects,
    async check(projectId) {
      checked.push(projectId)
      if (damaged.has(projectId)) throw new Error('damaged')
    },
    wait(callback, ms) {
      const entry = { callback, ms }
      waiting.push(entry)
      return () => void waiting.splice(waiting.indexOf(entry), 1)
    },
  })
  /** Ends the pause, and lets all checks that need none run. */
  const proceed = async (): Promise<number | undefined> => {
    const entry = waiting.shift()
    entry?.callback()
    for (let turn = 0; turn < 20; turn++) await Promise.resolve()
    return entry?.ms
  }
  return { checked, proceed, stop }
}

it('checks each store once, after the start', async () => {
  const { checked, proceed } = openCheck([1, 2, 3], new Set())
  expect(checked).toEqual([])
  expect(await proceed()).toBe(0)
  expect(checked).toEqual([1, 2, 3])
  expect(await proceed()).toBeUndefined()
})

it('checks a store again until it can be used', async () => {
  const damaged = new Set([2, 3])
  const { checked, proceed } = openCheck([1, 2, 3], damaged)
  await proceed()
  damaged.delete(3)
  expect(await proceed()).toBe(RETRY_MS)
  damaged.delete(2)
  expect(await proceed()).toBe(RETRY_MS)
  expect(checked).toEqual([1, 2, 3, 2, 3, 2])
  expect(await proceed()).toBeUndefined()
})

it('checks nothing after a stop', async () => {
  const { checked, proceed, stop } = openCheck([1], new Set([1]))
  await proceed()
  stop()
  expect(await proceed()).toBeUndefined()
  expect(checked).toEqual([1])
})
