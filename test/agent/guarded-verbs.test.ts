import { expect, it } from 'vitest'
import { createGuardedVerbs } from '../../src/agent/guarded-verbs.ts'

const allowAll = (): undefined => undefined

const createWarningLog = () => {
  const warnings: unknown[][] = []
  return { warnings, warn: (...message: unknown[]) => void warnings.push(message) }
}

it('returns the value of the verb', () => {
  const { warn } = createWarningLog()
  expect(createGuardedVerbs(['add'], () => ({ add: (a: number, b: number) => a + b }), warn, allowAll).add(1, 2)).toBe(
    3,
  )
})

it('turns an exception into a warning with the verb, and returns undefined', () => {
  const { warn, warnings } = createWarningLog()
  const error = new Error('inside')
  const verbs = createGuardedVerbs(
    ['capture'],
    () => ({
      capture: () => {
        throw error
      },
    }),
    warn,
    allowAll,
  )
  expect(verbs.capture()).toBeUndefined()
  expect(warnings).toEqual([['capture() failed:', error]])
})

it('treats null as a missing argument, and keeps every other value', () => {
  const { warn } = createWarningLog()
  const { list } = createGuardedVerbs(
    ['list'],
    () => ({ list: (a: unknown, b: unknown = 'default', c?: unknown) => [a, b, c] }),
    warn,
    allowAll,
  )
  expect(list(0, null, '')).toEqual([0, 'default', ''])
  expect(list(false, undefined, NaN)).toEqual([false, 'default', NaN])
})

it('does not make a refused call, and warns with the reason', () => {
  const { warn, warnings } = createWarningLog()
  let sum = 0
  const verbs = createGuardedVerbs(
    ['count'],
    () => ({ count: (step: number) => (sum += step) }),
    warn,
    (verb, [step]) => (step === 1 ? undefined : `${verb} by one`),
  )
  expect([verbs.count(2), verbs.count(1), sum]).toEqual([undefined, 1, 1])
  expect(warnings).toEqual([['count() refused: count by one']])
})
