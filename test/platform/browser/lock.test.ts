import { afterEach, expect, it, vi } from 'vitest'
import { createBrowserLock } from '../../../src/platform/browser/lock.ts'

afterEach(() => vi.unstubAllGlobals())

it('gives every tab the lock without Web Locks', async () => {
  vi.stubGlobal('navigator', {})
  const task = vi.fn<() => Promise<void>>().mockResolvedValue()
  expect(await createBrowserLock('name')(task)).toBe(true)
  expect(task).toHaveBeenCalledTimes(1)
})

it('gives every tab the lock where Web Locks are blocked', async () => {
  const request = vi.fn<() => Promise<void>>().mockRejectedValue(new DOMException('opaque', 'SecurityError'))
  vi.stubGlobal('navigator', { locks: { request } })
  const task = vi.fn<() => Promise<void>>().mockResolvedValue()
  expect(await createBrowserLock('name')(task)).toBe(true)
  expect(task).toHaveBeenCalledTimes(1)
})
