import { afterEach, expect, it, vi } from 'vitest'
import { browserLease } from '../../../src/platform/browser/lease.ts'

afterEach(() => vi.unstubAllGlobals())

it('lets every tab deliver where there are no Web Locks', async () => {
  vi.stubGlobal('navigator', {})
  const task = vi.fn<() => Promise<void>>().mockResolvedValue()
  expect(await browserLease('name')(task)).toBe(true)
  expect(task).toHaveBeenCalledTimes(1)
})

it('lets every tab deliver where the page may not use them', async () => {
  const request = vi.fn<() => Promise<void>>().mockRejectedValue(new DOMException('opaque', 'SecurityError'))
  vi.stubGlobal('navigator', { locks: { request } })
  const task = vi.fn<() => Promise<void>>().mockResolvedValue()
  expect(await browserLease('name')(task)).toBe(true)
  expect(task).toHaveBeenCalledTimes(1)
})
