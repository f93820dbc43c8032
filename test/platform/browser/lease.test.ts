import { afterEach, expect, it, vi } from 'vitest'
import { browserLease } from '../../../src/platform/browser/lease.ts'
import type { Lease } from '../../../src/port/lease.ts'

afterEach(() => vi.unstubAllGlobals())

const fallback: Lease = async (task) => {
  await task()
  return true
}

it('falls back where there are no Web Locks', async () => {
  vi.stubGlobal('navigator', {})
  const task = vi.fn<() => Promise<void>>().mockResolvedValue()
  expect(await browserLease('name', fallback)(task)).toBe(true)
  expect(task).toHaveBeenCalledTimes(1)
})

it('falls back where the page may not use them', async () => {
  const request = vi.fn<() => Promise<void>>().mockRejectedValue(new DOMException('opaque', 'SecurityError'))
  vi.stubGlobal('navigator', { locks: { request } })
  const task = vi.fn<() => Promise<void>>().mockResolvedValue()
  expect(await browserLease('name', fallback)(task)).toBe(true)
  expect(task).toHaveBeenCalledTimes(1)
})
