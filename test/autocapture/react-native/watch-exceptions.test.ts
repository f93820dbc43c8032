import { expect, it } from 'vitest'
import { watchExceptions } from '../../../src/autocapture/react-native/watch-exceptions.ts'
import type { ErrorUtils } from '../../../src/autocapture/react-native/watch-exceptions.ts'
import { manualClock } from '../../support/manual-clock.ts'

type Handler = Parameters<ErrorUtils['setGlobalHandler']>[0]

const createApp = (previous?: Handler) => {
  const log: unknown[] = []
  const warnings: unknown[][] = []
  const clock = manualClock()
  let handler: Handler | undefined = previous ?? ((error, isFatal) => void log.push(['previous', error, isFatal]))
  let resolveStored = (): void => undefined
  const errorUtils: ErrorUtils = {
    getGlobalHandler: () => handler,
    setGlobalHandler: (newHandler) => void (handler = newHandler),
  }
  return {
    log,
    warnings,
    clock,
    errorUtils,
    watch: () =>
      watchExceptions(
        errorUtils,
        (properties, isFatal) => {
          const [{ value }] = (properties as { $exception_list: [{ value: string }] }).$exception_list
          log.push(['captured', value, isFatal])
          return isFatal ? new Promise<void>((resolve) => (resolveStored = resolve)) : undefined
        },
        clock,
        { warn: (...message) => void warnings.push(message), debug: () => undefined },
      ),
    store: () => resolveStored(),
    throwError: (error: unknown, isFatal?: boolean) => handler!(error, isFatal),
  }
}

it('captures an error, then calls the handler that was set before', () => {
  const { watch, throwError, log } = createApp()
  watch()
  const error = new Error('a')
  throwError(error, false)
  expect(log).toEqual([
    ['captured', 'a', false],
    ['previous', error, false],
  ])
})

it('calls that handler after a fatal error only when the event is stored', async () => {
  const { watch, throwError, log, store, clock } = createApp()
  watch()
  const error = new Error('a')
  throwError(error, true)
  await clock.advance(1_000)
  expect(log).toEqual([['captured', 'a', true]])
  store()
  await clock.advance(0)
  expect(log.slice(1)).toEqual([['previous', error, true]])
})

it('waits at most two seconds for a storage that does not answer', async () => {
  const { watch, throwError, log, clock } = createApp()
  watch()
  throwError(new Error('a'), true)
  await clock.advance(1_999)
  expect(log).toHaveLength(1)
  await clock.advance(1)
  expect(log).toHaveLength(2)
})

it('captures an error once that is reported twice in a row, and passes on both reports', () => {
  const { watch, throwError, log } = createApp()
  watch()
  const error = new Error('a')
  throwError(error)
  throwError(error)
  throwError(undefined)
  expect(log.map((entry) => (entry as unknown[])[0])).toEqual([
    'captured',
    'previous',
    'previous',
    'captured',
    'previous',
  ])
})

it('lets the handler before it throw, which ends an app', () => {
  const { watch, throwError } = createApp((error) => {
    throw error
  })
  watch()
  expect(() => throwError(new Error('a'))).toThrow('a')
})

it('captures at most ten errors a minute and each fatal one, and passes on all', async () => {
  const { watch, throwError, log, clock } = createApp()
  watch()
  const count = (word: string): number => log.filter((entry) => (entry as unknown[])[0] === word).length
  for (let n = 0; n < 15; n++) throwError(new Error(String(n)))
  expect([count('captured'), count('previous')]).toEqual([10, 15])
  await clock.advance(60_000)
  throwError(new Error('later'))
  expect(count('captured')).toBe(11)
  for (let n = 0; n < 15; n++) throwError(new Error(String(n)))
  expect(count('captured')).toBe(20)
  throwError(new Error('the end'), true)
  expect(log).toContainEqual(['captured', 'the end', true])
})

it('captures and passes on an error that cannot be read', () => {
  const { watch, throwError, log } = createApp()
  watch()
  const error = Object.defineProperty({}, 'message', { get: () => expect.unreachable('not readable') })
  throwError(error, false)
  expect(log).toEqual([
    ['captured', 'an error that cannot be read', false],
    ['previous', error, false],
  ])
})

it('gives the handler back when it is stopped', () => {
  const { watch, throwError, log, errorUtils } = createApp()
  const previous = errorUtils.getGlobalHandler()
  watch()()
  expect(errorUtils.getGlobalHandler()).toBe(previous)
  throwError(new Error('a'), true)
  expect(log).toHaveLength(1)
})

it('only passes errors on after the stop, where another handler was set meanwhile', () => {
  const { watch, throwError, log, errorUtils } = createApp()
  const stop = watch()
  const ours = errorUtils.getGlobalHandler()!
  const other: Handler = (...report) => ours(...report)
  errorUtils.setGlobalHandler(other)
  stop()
  expect(errorUtils.getGlobalHandler()).toBe(other)
  throwError('a', true)
  expect(log).toEqual([['previous', 'a', true]])
})

it('warns of an object of another kind', () => {
  const { warnings, clock } = createApp()
  const logger = { warn: (...message: unknown[]) => void warnings.push(message), debug: () => undefined }
  watchExceptions({} as ErrorUtils, () => undefined, clock, logger)()
  expect(warnings).toMatchObject([['errorUtils failed:', expect.any(TypeError)]])
})
