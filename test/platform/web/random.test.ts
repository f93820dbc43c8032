import { afterEach, expect, it, vi } from 'vitest'
import { randomBytes } from '../../../src/platform/web/random.ts'

afterEach(() => vi.unstubAllGlobals())

it('returns the requested number of bytes, different ones each time', () => {
  expect(randomBytes(10)).toHaveLength(10)
  expect(randomBytes(16)).not.toEqual(randomBytes(16))
})

it('returns random bytes without crypto', () => {
  vi.stubGlobal('crypto', undefined)
  const bytes = randomBytes(1000)
  expect(bytes).toHaveLength(1000)
  expect(new Set(bytes).size).toBeGreaterThan(150)
})
