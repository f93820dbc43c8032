import { expect, test } from 'vitest'
import { findDependencies, findDependents } from '../../../../src/service/flags/definitions/check-references.ts'
import type { LiveDefinitions } from '../../../../src/service/flags/definitions/check-references.ts'
import { parseCohort } from '../../../../src/service/flags/definitions/parse-cohort.ts'
import { parseFlag } from '../../../../src/service/flags/definitions/parse-flag.ts'

const onFlag = (key: string) => ({ key, type: 'flag', value: true })
const onCohort = (value: number) => ({ key: 'id', type: 'cohort', value })
const flagOn = (key: string, ...properties: object[]) =>
  parseFlag(JSON.parse(JSON.stringify({ key, filters: { groups: [{ properties }] } })))
const cohortOn = (...values: object[]) =>
  parseCohort(JSON.parse(JSON.stringify({ name: 'c', filters: { properties: { type: 'AND', values } } })))

const definitions: LiveDefinitions = {
  flags: new Map(
    [flagOn('base'), flagOn('top', onFlag('base'), onCohort(1)), flagOn('alone'), flagOn('over', onFlag('top'))].map(
      (flag) => [flag.key, flag],
    ),
  ),
  cohorts: new Map([
    ['1', cohortOn(onCohort(2))],
    ['2', cohortOn({ key: 'plan', value: 'pro' })],
  ]),
  groupTypes: {},
}
const describeAll = (nodes: readonly { kind: string; name: string }[]) =>
  nodes.map(({ kind, name }) => `${kind} ${name}`).sort()

test('finds all dependents of a definition through flags and cohorts', () => {
  expect(describeAll(findDependents([{ kind: 'cohort', name: '2' }], definitions))).toEqual([
    'cohort 1',
    'cohort 2',
    'flag over',
    'flag top',
  ])
  expect(describeAll(findDependents([{ kind: 'flag', name: 'alone' }], definitions))).toEqual(['flag alone'])
})

test('finds all dependencies of a definition through flags and cohorts', () => {
  expect(describeAll(findDependencies([{ kind: 'flag', name: 'over' }], definitions))).toEqual([
    'cohort 1',
    'cohort 2',
    'flag base',
    'flag over',
    'flag top',
  ])
})
