import { afterEach, expect, it, vi } from 'vitest'
import { createLogger } from '../../../src/platform/browser/logger.ts'

afterEach(() => vi.restoreAllMocks())

it('always writes warnings, and other messages only in debug mode', () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  const debug = vi.spyOn(console, 'debug').mockImplementation(() => {})
  const logger = createLogger(false)
  logger.debug('quiet')
  logger.warn('lost', 3)
  logger.setDebug(true)
  logger.debug('loud')
  expect(warn.mock.calls).toEqual([['[waymark]', 'lost', 3]])
  expect(debug.mock.calls).toEqual([['[waymark]', 'loud']])
})
