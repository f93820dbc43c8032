import { expect, it } from 'vitest'
import { guarded } from '../../src/agent/guarded.ts'

const mayAll = (): undefined => undefined

const withWarnings = () => {
  const warnings: unknown[][] = []
  return { warnings, warn: (...message: unknown[]) => void warnings.push(message) }
}

it('answers what the verb answers', () => {
  const { warn } = withWarnings()
  expect(guarded(['add'], () => ({ add: (a: number, b: number) => a + b }), warn, mayAll).add(1, 2)).toBe(3)
})

it('turns an exception into a warning that names the verb, and undefined', () => {
  const { warn, warnings } = withWarnings()
  const error = new Error('inside')
  const verbs = guarded(
    ['capture'],
    () => ({
      capture: () => {
        throw error
      },
    }),
    warn,
    mayAll,
  )
  expect(verbs.capture()).toBeUndefined()
  expect(warnings).toEqual([['capture() failed:', error]])
})

it('takes null as not given, and leaves every other argument as it is', () => {
  const { warn } = withWarnings()
  const { list } = guarded(
    ['list'],
    () => ({ list: (a: unknown, b: unknown = 'default', c?: unknown) => [a, b, c] }),
    warn,
    mayAll,
  )
  expect(list(0, null, '')).toEqual([0, 'default', ''])
  expect(list(false, undefined, NaN)).toEqual([false, 'default', NaN])
})

it('makes no call that is refused, and warns why', () => {
  const { warn, warnings } = withWarnings()
  let calls = 0
  const verbs = guarded(
    ['count'],
    () => ({ count: (step: number) => (calls += step) }),
    warn,
    (verb, [step]) => (step === 1 ? undefined : `${verb} by one`),
  )
  expect([verbs.count(2), verbs.count(1), calls]).toEqual([undefined, 1, 1])
  expect(warnings).toEqual([['count() refused: count by one']])
})
