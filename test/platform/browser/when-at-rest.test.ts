import { afterEach, expect, it, vi } from 'vitest'
import { createWhenAtRest } from '../../../src/platform/browser/when-at-rest.ts'
import { manualClock } from '../../support/manual-clock.ts'

afterEach(() => vi.unstubAllGlobals())

it('waits 2.5 s for the page, and then until it is idle', async () => {
  const clock = manualClock()
  const idle: [task: () => void, options: object][] = []
  vi.stubGlobal('requestIdleCallback', (...args: [() => void, object]) => idle.push(args))
  const task = vi.fn()
  createWhenAtRest(clock)(task)
  await clock.advance(2_499)
  expect(idle).toEqual([])
  await clock.advance(1)
  expect(idle).toEqual([[expect.any(Function), { timeout: 1_000 }]])
  expect(task).not.toHaveBeenCalled()
  idle[0]![0]()
  expect(task).toHaveBeenCalledTimes(1)
})

it.each([
  ['is missing', undefined],
  [
    'throws',
    () => {
      throw new Error('of the page')
    },
  ],
])('waits only 2.5 s where requestIdleCallback %s', async (_, requestIdleCallback) => {
  const clock = manualClock()
  vi.stubGlobal('requestIdleCallback', requestIdleCallback)
  const task = vi.fn()
  createWhenAtRest(clock)(task)
  await clock.advance(2_500)
  expect(task).toHaveBeenCalledTimes(1)
})

it('does nothing after it was cancelled, also while it waits for an idle page', async () => {
  const clock = manualClock()
  let runIdle = (): void => {}
  vi.stubGlobal('requestIdleCallback', (task: () => void) => (runIdle = task))
  const task = vi.fn()
  const whenAtRest = createWhenAtRest(clock)
  whenAtRest(task)()
  await clock.advance(2_500)
  runIdle()
  const cancel = whenAtRest(task)
  await clock.advance(2_500)
  cancel()
  runIdle()
  expect(task).not.toHaveBeenCalled()
})

it('calls at once in a worker, which has no document', () => {
  vi.stubGlobal('document', undefined)
  const task = vi.fn()
  createWhenAtRest(manualClock())(task)
  expect(task).toHaveBeenCalledTimes(1)
})
