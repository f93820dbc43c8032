import { describe, expect, it } from 'vitest'
import type { Lock } from '../../src/port/lock.ts'

const createGate = () => {
  let open!: () => void
  const whenOpen = new Promise<void>((resolve) => (open = resolve))
  return { open, whenOpen }
}

/** Tests that every lock must pass. `createTabs` returns the free lock, once for each of two tabs of one site. */
export const lockContract = (name: string, createTabs: () => readonly [Lock, Lock]): void => {
  describe(`lock: ${name}`, () => {
    /** Starts a task that runs until `end` is called. */
    const hold = async (lock: Lock, steal?: boolean) => {
      const [startGate, endGate] = [createGate(), createGate()]
      const result = lock(() => {
        startGate.open()
        return endGate.whenOpen
      }, steal)
      await startGate.whenOpen
      return { result, end: endGate.open }
    }

    it('runs the task of the first tab, and returns true', async () => {
      const [first] = createTabs()
      let hasRun = false
      expect(
        await first(async () => {
          hasRun = true
        }),
      ).toBe(true)
      expect(hasRun).toBe(true)
    })

    it('refuses every other task at once while a task runs, even of the same tab', async () => {
      const [first, second] = createTabs()
      const { result, end } = await hold(first)
      const task = () => Promise.reject(new Error('the task ran'))
      expect(await second(task)).toBe(false)
      expect(await first(task)).toBe(false)
      end()
      expect(await result).toBe(true)
    })

    it('is free again after the task has resolved or rejected', async () => {
      const [first, second] = createTabs()
      await first(async () => {})
      await expect(second(() => Promise.reject(new Error('task')))).rejects.toThrow('task')
      expect(await first(async () => {})).toBe(true)
    })

    it('can be stolen from a tab whose task runs; that task still ends normally', async () => {
      const [first, second] = createTabs()
      const holder = await hold(first)
      const newHolder = await hold(second, true)
      holder.end()
      expect(await holder.result).toBe(true)
      expect(await first(async () => {})).toBe(false)
      newHolder.end()
      expect(await newHolder.result).toBe(true)
      expect(await first(async () => {})).toBe(true)
    })

    it('is given to one of several simultaneous requests', async () => {
      const [first, second] = createTabs()
      const gate = createGate()
      const results = [first, second, first, second].map((lock) => lock(() => gate.whenOpen))
      const laterResults = await Promise.all(results.slice(1))
      expect(laterResults).toEqual([false, false, false])
      gate.open()
      expect(await results[0]).toBe(true)
    })
  })
}
