import { afterEach, expect, test, vi } from 'vitest'
import { findChromium } from './chromium.mjs'

afterEach(() => vi.unstubAllEnvs())

test('says in one sentence when the named program is none', () => {
  vi.stubEnv('CHROMIUM_PATH', '/nowhere/chromium')
  expect(findChromium).toThrow('CHROMIUM_PATH is /nowhere/chromium, which is not a program that can be run.')
})

test('takes the named program', () => {
  vi.stubEnv('CHROMIUM_PATH', process.execPath)
  expect(findChromium()).toBe(process.execPath)
})
