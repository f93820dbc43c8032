import { expect, it } from 'vitest'
import { combined, inconclusive } from '../../src/evaluate/inconclusive.ts'

const ORDER = ['missing_context', 'unresolved_dependency', 'unsupported_definition', 'experience_continuity'] as const

it('tells the stronger of two reasons, of equals the first', () => {
  for (const [weak, reason] of ORDER.entries())
    for (const [strong, other] of ORDER.entries()) {
      const [one, two] = [inconclusive(reason, 'one'), inconclusive(other, 'two')]
      expect(combined(one, two)).toBe(strong > weak ? two : one)
    }
  const only = inconclusive('missing_context', 'only')
  expect(combined(undefined, only)).toBe(only)
})

it('keeps the consequences of both', () => {
  const server = inconclusive('unresolved_dependency', 'server', { requiresServer: true })
  const search = inconclusive('unsupported_definition', 'search', { blocks: true })
  for (const both of [combined(server, search), combined(search, server)])
    expect(both).toEqual({
      value: undefined,
      reason: 'unsupported_definition',
      detail: 'search',
      requiresServer: true,
      blocks: true,
    })
  const dependent = inconclusive('unresolved_dependency', 'dependent', { blocks: true })
  const listed = inconclusive('unsupported_definition', 'listed', { requiresServer: true })
  for (const both of [combined(dependent, listed), combined(listed, dependent)])
    expect(both).toEqual({
      value: undefined,
      reason: 'unsupported_definition',
      detail: 'listed',
      requiresServer: true,
      blocks: true,
    })
})
