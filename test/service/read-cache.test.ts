import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createReadCache } from '../../src/service/read-cache.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const TTL_MS = 10_000

/** A cache whose reads end when the test says so. */
const openCache = () => {
  const reads: { readonly end: (value: string | undefined) => void; readonly fail: () => void }[] = []
  const cache = createReadCache({
    read: (_key: string) =>
      new Promise<string | undefined>((resolve, reject) => {
        reads.push({ end: resolve, fail: () => reject(new Error('away')) })
      }),
    ttlMs: TTL_MS,
  })
  return { cache, reads }
}

test('shares a read, and keeps its value until it expires', async () => {
  const { cache, reads } = openCache()
  const both = [cache.get('a', 0), cache.get('a', 0)]
  reads[0]!.end('old')
  expect(await Promise.all(both)).toEqual(['old', 'old'])
  expect(await cache.get('a', TTL_MS - 1)).toBe('old')
  const later = cache.get('a', TTL_MS)
  reads[1]!.end('new')
  expect(await later).toBe('new')
  expect(reads).toHaveLength(2)
})

test('returns the last value while a read fails, and rejects without one', async () => {
  const { cache, reads } = openCache()
  const first = cache.get('a', 0)
  reads[0]!.fail()
  await expect(first).rejects.toThrow('away')
  const second = cache.get('a', 0)
  reads[1]!.end('old')
  await second
  const third = cache.get('a', TTL_MS)
  reads[2]!.fail()
  expect(await third).toBe('old')
})

test('waits a second for a slow read, once, and rejects without a value', async () => {
  const { cache, reads } = openCache()
  const first = cache.get('a', 0)
  reads[0]!.end('old')
  await first
  const slow = cache.get('a', TTL_MS)
  await vi.advanceTimersByTimeAsync(1000)
  expect(await slow).toBe('old')
  expect(await cache.get('a', TTL_MS)).toBe('old')
  expect(reads).toHaveLength(2)
  reads[1]!.end('new')
  await vi.advanceTimersByTimeAsync(0)
  expect(await cache.get('a', TTL_MS)).toBe('new')

  const unknown = expect(cache.get('b', 0)).rejects.toMatchObject({ code: 'ETIMEDOUT' })
  await vi.advanceTimersByTimeAsync(1000)
  await unknown
})

test('does not keep what was read before a change', async () => {
  const { cache, reads } = openCache()
  const before = cache.get('a', 0)
  cache.expire()
  reads[0]!.end('old')
  await before
  const after = cache.get('a', 0)
  reads[1]!.end('new')
  expect(await after).toBe('new')
  cache.expire((key, value) => key === 'a' && value === 'other')
  expect(await cache.get('a', 0)).toBe('new')
  cache.expire((key) => key === 'a')
  const again = cache.get('a', 0)
  reads[2]!.end(undefined)
  expect(await again).toBeUndefined()
})
