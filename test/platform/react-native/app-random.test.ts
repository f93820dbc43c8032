import { afterEach, expect, it, vi } from 'vitest'
import { createAppRandom } from '../../../src/platform/react-native/app-random.ts'

afterEach(() => vi.unstubAllGlobals())

it('uses the function of the app', () => {
  expect(createAppRandom((bytes) => bytes.fill(7))(3)).toEqual(new Uint8Array([7, 7, 7]))
})

it('survives a function without its native module', () => {
  const random = createAppRandom(() => {
    throw new Error('no native module')
  })
  expect(random(8)).toHaveLength(8)
})

it('needs no crypto', () => {
  vi.stubGlobal('crypto', undefined)
  expect(createAppRandom(undefined)(8)).toHaveLength(8)
})
