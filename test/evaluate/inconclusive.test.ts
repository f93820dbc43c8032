import { expect, it } from 'vitest'
import { combineInconclusive, createInconclusive } from '../../src/evaluate/inconclusive.ts'

/** From the weakest to the strongest. */
const REASONS = ['missing_context', 'unresolved_dependency', 'unsupported_definition', 'experience_continuity'] as const

it('keeps the stronger of two reasons, and the first of two equal reasons', () => {
  for (const [weak, reason] of REASONS.entries())
    for (const [strong, otherReason] of REASONS.entries()) {
      const [first, second] = [createInconclusive(reason, 'first'), createInconclusive(otherReason, 'second')]
      expect(combineInconclusive(first, second)).toBe(strong > weak ? second : first)
    }
  const onlyResult = createInconclusive('missing_context', 'only')
  expect(combineInconclusive(undefined, onlyResult)).toBe(onlyResult)
})

it('keeps the consequences of both results', () => {
  const server = createInconclusive('unresolved_dependency', 'server', { requiresServer: true })
  const search = createInconclusive('unsupported_definition', 'search', { blocks: true })
  for (const combination of [combineInconclusive(server, search), combineInconclusive(search, server)])
    expect(combination).toEqual({
      value: undefined,
      reason: 'unsupported_definition',
      detail: 'search',
      requiresServer: true,
      blocks: true,
    })
  const dependent = createInconclusive('unresolved_dependency', 'dependent', { blocks: true })
  const listed = createInconclusive('unsupported_definition', 'listed', { requiresServer: true })
  for (const combination of [combineInconclusive(dependent, listed), combineInconclusive(listed, dependent)])
    expect(combination).toEqual({
      value: undefined,
      reason: 'unsupported_definition',
      detail: 'listed',
      requiresServer: true,
      blocks: true,
    })
})
