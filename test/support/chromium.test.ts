import { afterEach, expect, test, vi } from 'vitest'
import { findChromium } from './chromium.mjs'

afterEach(() => vi.unstubAllEnvs())

test('reports a CHROMIUM_PATH that cannot be run', () => {
  vi.stubEnv('CHROMIUM_PATH', '/nowhere/chromium')
  expect(findChromium).toThrow('CHROMIUM_PATH is /nowhere/chromium, which is not an executable program.')
})

test('uses the program of CHROMIUM_PATH', () => {
  vi.stubEnv('CHROMIUM_PATH', process.execPath)
  expect(findChromium()).toBe(process.execPath)
})
