import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { compile } from '../../../../src/evaluate/compile.ts'
import { operatorTable } from '../../../../src/evaluate/operators/operator-table.ts'
import { createComparisonCounter } from '../../../../src/service/flags/definitions/count-comparisons.ts'
import type { NewCohort } from '../../../../src/service/store/metadata/cohorts.ts'
import type { NewFlag } from '../../../../src/service/store/metadata/flags.ts'
import type { CohortDefinition, PropertyFilter } from '../../../../src/wire/definition.ts'

/** A value that an operator takes. */
const valueOf = (operator: string): fc.Arbitrary<NonNullable<PropertyFilter['value']>> => {
  if (operator.startsWith('semver_')) return fc.constant('1.2.3')
  if (operator.endsWith('between')) return fc.constant([1, 2])
  if (operator.startsWith('is_date')) return fc.constant('2026-01-01')
  return /exact|is_not$|multi/.test(operator) ? fc.array(fc.string(), { maxLength: 20 }) : fc.constant(5)
}

const condition = fc
  .constantFrom(...[...operatorTable.keys()].filter((name) => !name.endsWith('regex')))
  .chain((operator) => valueOf(operator).map((value): PropertyFilter => ({ key: 'a', operator, value })))
const leaf = fc.oneof(condition, fc.constant<PropertyFilter>({ key: 'other', type: 'flag', value: true }))
/** A condition on one of the cohorts before the one with this id. */
const inCohortBefore = (id: number): fc.Arbitrary<PropertyFilter> =>
  id < 2
    ? leaf
    : fc.oneof(
        leaf,
        fc.integer({ min: 1, max: id - 1 }).map((value): PropertyFilter => ({ key: 'id', type: 'cohort', value })),
      )
const treeOf = (id: number): fc.Arbitrary<CohortDefinition> => {
  const entry = inCohortBefore(id)
  const group = fc.array(entry, { maxLength: 4 }).map((values): CohortDefinition => ({ type: 'AND', values }))
  return fc.oneof(
    fc.constant<CohortDefinition>({}),
    fc.array(fc.oneof(entry, group), { maxLength: 4 }).map((values): CohortDefinition => ({ type: 'OR', values })),
  )
}
const definitions = fc.record({
  cohorts: fc.tuple(treeOf(1), treeOf(2), treeOf(3)),
  groups: fc.array(fc.array(inCohortBefore(4), { maxLength: 5 }), { maxLength: 5 }),
})

it('counts the comparisons that the engine takes from the budget of a request', () => {
  fc.assert(
    fc.property(definitions, ({ cohorts, groups }) => {
      const filters = { groups: groups.map((properties) => ({ properties })) }
      const flag: NewFlag = { key: 'a', active: true, filters }
      const other = { id: 2, key: 'other', active: true, filters: { groups: [{}] } }
      const byId = new Map(
        cohorts.map((properties, index): [string, NewCohort] => [
          `${index + 1}`,
          { name: 'A', filters: { properties } },
        ]),
      )
      const count = createComparisonCounter({ flags: new Map([['a', flag]]), cohorts: byId })
      const { findings } = compile({
        flags: [{ ...flag, id: 1 }, other],
        cohorts: Object.fromEntries([...byId].map(([id, each]) => [id, each.filters.properties])),
      })
      const comparisons = [...findings.get('a')!.values()].reduce((sum, each) => sum + each.comparisons, 0)
      expect(count({ kind: 'flag', name: 'a' })).toBe(comparisons)
    }),
    { numRuns: 300 },
  )
})

it('counts a list of exact once, each part of other lists, and a pattern by its length', () => {
  const of = (operator: string, value: NonNullable<PropertyFilter['value']>): number => {
    const filters = { groups: [{ properties: [{ key: 'a', operator, value }] }] }
    const flags = new Map<string, NewFlag>([['a', { key: 'a', active: true, filters }]])
    return createComparisonCounter({ flags, cohorts: new Map() })({ kind: 'flag', name: 'a' })
  }
  const list = Array.from({ length: 5000 }, (_, index) => `person-${index}@shop.example`)
  expect(['exact', 'is_not', 'icontains_multi', 'not_icontains_multi'].map((name) => of(name, list))).toEqual([
    1, 1, 5000, 5000,
  ])
  expect(['a', 'a'.repeat(80)].map((pattern) => of('regex', pattern))).toEqual([1, 10])
})

it('counts a cohort that is named again and again without going through it again', () => {
  const cohorts = new Map(
    Array.from({ length: 50 }, (_, index): [string, NewCohort] => {
      const inner = { key: 'id', type: 'cohort', value: index - 1 }
      const values = index === 0 ? [{ key: 'a', value: 1 }] : [inner, inner]
      return [`${index}`, { name: 'A', filters: { properties: { type: 'OR' as const, values } } }]
    }),
  )
  expect(createComparisonCounter({ flags: new Map(), cohorts })({ kind: 'cohort', name: '49' })).toBe(2 ** 49)
})
