import { describe, expect, it } from 'vitest'
import { toQueryError } from '../../../../../src/service/store/events/clickhouse/to-query-error.ts'

const serverError = (code: string, message: string): Error => Object.assign(new Error(message), { code, type: 'X' })

describe('an error of ClickHouse', () => {
  // In the words of versions with and without the analyzer.
  it.each([
    'Unknown expression identifier `plan` in scope SELECT plan FROM events. (UNKNOWN_IDENTIFIER)',
    "Unknown expression identifier 'plan' in scope SELECT plan FROM events. (UNKNOWN_IDENTIFIER)",
    'Unknown expression or function identifier `plan` in scope SELECT plan. (UNKNOWN_IDENTIFIER)',
    "Identifier 'e.plan' cannot be resolved from table with name e. In scope SELECT e.plan. (UNKNOWN_IDENTIFIER)",
    "Missing columns: 'plan' while processing query: 'SELECT plan FROM events', required columns: 'plan'.",
  ])('says how a property is read: %s', (message) => {
    const { code, message: shown } = toQueryError(serverError('47', message), 'SELECT plan FROM events')
    expect(code).toBe('invalid')
    expect(shown).toContain(message.slice(0, 20))
    expect(shown.endsWith("A property is read as JSONExtractString(properties, 'plan').")).toBe(true)
  })

  it('says how a string is written', () => {
    const error = serverError('47', 'Unknown expression identifier `buy` in scope SELECT 1. (UNKNOWN_IDENTIFIER)')
    const { message } = toQueryError(error, 'SELECT count() FROM events WHERE event = "buy"')
    expect(message).toContain("write a string as 'buy'")
  })

  it('stays as it is if it is about something else', () => {
    const { message } = toQueryError(serverError('53', 'Type mismatch in `plan`.'), 'SELECT plan')
    expect(message).toBe('Type mismatch in `plan`.')
  })
})
