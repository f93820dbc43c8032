import { describe, expect, it } from 'vitest'
import type { Lease } from '../../src/port/lease.ts'

const gate = () => {
  let open!: () => void
  const passed = new Promise<void>((resolve) => (open = resolve))
  return { open, passed }
}

/** What every lease promises. `tabs` gives the leases of two tabs of one site, free at first. */
export const leaseContract = (name: string, tabs: () => readonly [Lease, Lease]): void => {
  describe(`lease: ${name}`, () => {
    /** Starts a task that runs until it is told to end. */
    const hold = async (lease: Lease, steal?: boolean) => {
      const [started, end] = [gate(), gate()]
      const held = lease(() => {
        started.open()
        return end.passed
      }, steal)
      await started.passed
      return { held, end: end.open }
    }

    it('runs the task of the tab that asks first, and says so', async () => {
      const [one] = tabs()
      let ran = false
      expect(
        await one(async () => {
          ran = true
        }),
      ).toBe(true)
      expect(ran).toBe(true)
    })

    it('refuses every other one at once while the task runs, the same tab too', async () => {
      const [one, two] = tabs()
      const { held, end } = await hold(one)
      const never = () => Promise.reject(new Error('ran'))
      expect(await two(never)).toBe(false)
      expect(await one(never)).toBe(false)
      end()
      expect(await held).toBe(true)
    })

    it('is free again when the task has ended, well or badly', async () => {
      const [one, two] = tabs()
      await one(async () => {})
      await expect(two(() => Promise.reject(new Error('task')))).rejects.toThrow('task')
      expect(await one(async () => {})).toBe(true)
    })

    it('can be stolen from a holder, whose task ends in peace', async () => {
      const [one, two] = tabs()
      const first = await hold(one)
      const second = await hold(two, true)
      first.end()
      expect(await first.held).toBe(true)
      expect(await one(async () => {})).toBe(false)
      second.end()
      expect(await second.held).toBe(true)
      expect(await one(async () => {})).toBe(true)
    })

    it('lets one of many that ask at once have it', async () => {
      const [one, two] = tabs()
      const end = gate()
      const asked = [one, two, one, two].map((lease) => lease(() => end.passed))
      const refused = await Promise.all(asked.slice(1))
      expect(refused).toEqual([false, false, false])
      end.open()
      expect(await asked[0]).toBe(true)
    })
  })
}
