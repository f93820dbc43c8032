import { describe, expect, it } from 'vitest'
import { compile } from '../../src/evaluate/compile.ts'
import { WORK_EXCEEDED } from '../../src/evaluate/inconclusive.ts'
import type { CohortDefinition, FlagDefinition, PropertyFilter } from '../../src/wire/definition.ts'
import { filtered, flagOf, run } from '../support/run-flag.ts'

/** The filter "is in cohort 1". */
const IN_COHORT: PropertyFilter = { key: 'id', type: 'cohort', value: 1 }

const notMatching = (value: string, key = 'p'): PropertyFilter => ({ key, operator: 'not_regex', value })
const repeat = (count: number, createFilter: (n: number) => PropertyFilter): PropertyFilter[] =>
  Array.from({ length: count }, (_, n) => createFilter(n))
const cohortOf = (values: readonly PropertyFilter[]): CohortDefinition => ({ type: 'AND', values })
/**
 * The slowest pattern on `letters`: each branch continues at each position, and no two states are equal. A pattern has 122 cells, so that 81
 * patterns are below the limit of 10,000 cells.
 */
const expensivePattern = (n: number): string => `[ab]*a[ab]{${56 - (n % 2)}}[x-z]`
const letters = Array.from({ length: 4_000 }, (_, n) => (Math.sin(n * n) > 0 ? 'a' : 'b')).join('')

describe('the patterns of one flag', () => {
  it('end at the work limit if each pattern is slow', () => {
    for (const complete of [true, false]) {
      const flag = filtered(...repeat(80, (n) => notMatching(expensivePattern(n))))
      const evaluation = run(flag, { complete, personProperties: { p: letters } })
      expect(evaluation).toBe(WORK_EXCEEDED)
    }
  })

  it('are searched once although 200 conditions name their cohort', () => {
    // Searching once takes half of the work limit, searching 200 times would take a hundred times as much.
    const cohorts = { 1: cohortOf(repeat(8, (n) => notMatching(expensivePattern(n)))) }
    const flag = flagOf({
      groups: repeat(200, () => IN_COHORT).map((filter) => ({ properties: [filter, { key: 'q', value: 'no' }] })),
    })
    expect(run(flag, { personProperties: { p: letters } }, { cohorts }).value).toBe(false)
  })

  it.each<readonly [string, FlagDefinition, Readonly<Record<string, CohortDefinition>>, string]>([
    ['in one group', filtered(...repeat(6, () => notMatching('\\w{900}x'))), {}, 'filters.groups[0].properties[5]'],
    [
      'in several groups, for persons and groups',
      flagOf({
        groups: repeat(6, () => notMatching('\\w{900}x')).map((filter, n) => ({
          properties: [filter],
          aggregation_group_type_index: n % 2 === 0 ? 0 : null,
        })),
      }),
      {},
      'filters',
    ],
    [
      'in a cohort',
      filtered(IN_COHORT),
      { 1: cohortOf(repeat(6, () => notMatching('\\w{900}x'))) },
      'cohorts.1.values[5]',
    ],
    [
      'in several cohorts',
      filtered(IN_COHORT, { ...IN_COHORT, value: 2 }),
      {
        1: cohortOf(repeat(3, () => notMatching('\\w{900}x'))),
        2: cohortOf(repeat(3, () => notMatching('\\w{900}x'))),
      },
      'filters.groups[0].properties[1]',
    ],
  ])('are rejected if they have more than 10,000 cells %s', (_, flag, cohorts, path) => {
    const set = { cohorts, group_type_mapping: { 0: 'company' } }
    const detail = `${path} has patterns of more than 10000 cells`
    expect(run(flag, {}, set)).toEqual({ value: undefined, reason: 'unsupported_definition', detail })
    const { flags } = compile({ flags: [flag, flagOf({}, { key: 'other' })], ...set })
    expect([...flags.values()].map(({ problems }) => problems)).toEqual([[detail], []])
  })

  it('are counted once when two condition groups name their cohort', () => {
    const cohorts = { 1: cohortOf(repeat(4, () => notMatching('\\w{900}x'))) }
    const flag = flagOf({ groups: [{ properties: [IN_COHORT] }, { properties: [IN_COHORT] }] })
    expect(run(flag, { personProperties: { p: 'a' } }, { cohorts }).value).toBe(true)
  })
})
