import { afterEach, expect, it, vi } from 'vitest'
import { createAppClock } from '../../../src/platform/react-native/app-clock.ts'
import { manualClock } from '../../support/manual-clock.ts'

afterEach(() => vi.unstubAllGlobals())

it('defers without timers, which stop in the background', () => {
  const tasks: (() => void)[] = []
  vi.stubGlobal('setImmediate', (task: () => void) => tasks.push(task))
  let runs = 0
  createAppClock(manualClock()).defer(() => runs++)
  expect([runs, tasks.length]).toEqual([0, 1])
  tasks[0]!()
  expect(runs).toBe(1)
})

it('defers by a timer where there is no setImmediate', () => {
  vi.stubGlobal('setImmediate', undefined)
  const deferred: unknown[] = []
  createAppClock({ ...manualClock(), defer: (task) => deferred.push(task) }).defer(() => undefined)
  expect(deferred).toHaveLength(1)
})
