import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../src/wire/json.ts'
import { worldEvent } from '../../contract/questions/world.ts'
import { openInsights } from '../support/insights.ts'

const NOW = Date.UTC(2026, 0, 15, 12)

const ask = async (query: JsonObject, fields: JsonObject = {}) => {
  const events = ['view', 'buy', "it's"].map((event) => worldEvent({ event, timestamp: NOW }))
  const { request } = await openInsights(events, NOW)
  return request('POST', 'query/', { query: { kind: 'HogQLQuery', ...query }, ...fields })
}

describe('SQL with fields beside it', () => {
  test.each<[string, JsonObject, unknown[]]>([
    ['a text', { value: "it's" }, [["it's"]]],
    ['a list', { value: ['view', 'buy'] }, [['buy'], ['view']]],
    ['an empty list', { value: [] }, []],
  ])('has %s as a value', async (_what, values, rows) => {
    const operator = Array.isArray(values['value']) ? 'IN' : '='
    const { status, body } = await ask({
      query: `SELECT event FROM events WHERE event ${operator} {value} ORDER BY event`,
      values,
    })
    expect([status, body.results]).toEqual([200, rows])
  })

  test('has numbers, booleans and null as values', async () => {
    const { body } = await ask({ query: 'SELECT {a} + 1, {b}, {c}', values: { a: -2, b: true, c: null } })
    expect(body.results).toEqual([[-1, true, null]])
  })

  test('is answered with fields that say nothing', async () => {
    const filters = { dateRange: { date_from: null }, properties: [], filterTestAccounts: false }
    const nothing = { values: null, variables: {}, filters, explain: false, name: 'all' }
    const { status, body } = await ask({ query: 'SELECT 1', ...nothing }, { variables_override: {} })
    expect([status, body.results]).toEqual([200, [[1]]])
  })

  test.each<[JsonObject, string, string]>([
    [{ values: [] }, 'query.values', 'must be a JSON object'],
    [{ query: 'SELECT {a}' }, 'query.values', 'The value of {a} in "query.values" is missing.'],
    [{ query: 'SELECT {a}', values: { a: {} } }, 'query.values', 'is not a string, number'],
    [{ filters: { dateRange: { date_from: '-1d' } } }, 'query.filters', '"query.filters" must be empty'],
    [{ variables: { a: { variableId: 'a', code_name: 'a' } } }, 'query.variables', 'must be empty'],
    [{ explain: true }, 'query.explain', 'must be empty'],
  ])('is refused with %j', async (fields, attr, detail) => {
    const { status, body } = await ask({ query: 'SELECT 1', ...fields })
    expect([status, body.attr]).toEqual([400, attr])
    expect(body.detail).toContain(detail)
  })

  test('is refused with variables of the request', async () => {
    const { status, body } = await ask({ query: 'SELECT 1' }, { variables_override: { a: { value: 1 } } })
    expect([status, body.attr]).toEqual([400, 'variables_override'])
  })
})
