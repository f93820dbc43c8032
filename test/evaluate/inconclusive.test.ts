import { expect, it } from 'vitest'
import { combineInconclusive, createInconclusive } from '../../src/evaluate/inconclusive.ts'

const ORDER = ['missing_context', 'unresolved_dependency', 'unsupported_definition', 'experience_continuity'] as const

it('keeps the stronger of two reasons, of equals the first', () => {
  for (const [weak, reason] of ORDER.entries())
    for (const [strong, other] of ORDER.entries()) {
      const [first, second] = [createInconclusive(reason, 'first'), createInconclusive(other, 'second')]
      expect(combineInconclusive(first, second)).toBe(strong > weak ? second : first)
    }
  const only = createInconclusive('missing_context', 'only')
  expect(combineInconclusive(undefined, only)).toBe(only)
})

it('keeps the consequences of both', () => {
  const server = createInconclusive('unresolved_dependency', 'server', { requiresServer: true })
  const search = createInconclusive('unsupported_definition', 'search', { blocks: true })
  for (const both of [combineInconclusive(server, search), combineInconclusive(search, server)])
    expect(both).toEqual({
      value: undefined,
      reason: 'unsupported_definition',
      detail: 'search',
      requiresServer: true,
      blocks: true,
    })
  const dependent = createInconclusive('unresolved_dependency', 'dependent', { blocks: true })
  const listed = createInconclusive('unsupported_definition', 'listed', { requiresServer: true })
  for (const both of [combineInconclusive(dependent, listed), combineInconclusive(listed, dependent)])
    expect(both).toEqual({
      value: undefined,
      reason: 'unsupported_definition',
      detail: 'listed',
      requiresServer: true,
      blocks: true,
    })
})
