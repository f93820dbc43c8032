import { expect, it } from 'vitest'
import { guarded } from '../../src/agent/guarded.ts'

const withWarnings = () => {
  const warnings: unknown[][] = []
  return { warnings, warn: (...message: unknown[]) => void warnings.push(message) }
}

it('answers what the verb answers', () => {
  const { warn } = withWarnings()
  expect(guarded({ add: (a: number, b: number) => a + b }, warn).add(1, 2)).toBe(3)
})

it('turns an exception into a warning that names the verb, and undefined', () => {
  const { warn, warnings } = withWarnings()
  const error = new Error('inside')
  const verbs = guarded(
    {
      capture: () => {
        throw error
      },
    },
    warn,
  )
  expect(verbs.capture()).toBeUndefined()
  expect(warnings).toEqual([['capture() failed:', error]])
})

it('takes null as not given, and leaves every other argument as it is', () => {
  const { warn } = withWarnings()
  const { list } = guarded({ list: (a: unknown, b: unknown = 'default', c?: unknown) => [a, b, c] }, warn)
  expect(list(0, null, '')).toEqual([0, 'default', ''])
  expect(list(false, undefined, NaN)).toEqual([false, 'default', NaN])
})
