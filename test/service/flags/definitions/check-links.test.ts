import { expect, test } from 'vitest'
import { dependenciesOf, dependentsOf } from '../../../../src/service/flags/definitions/check-links.ts'
import type { Links } from '../../../../src/service/flags/definitions/check-links.ts'
import { parseCohort } from '../../../../src/service/flags/definitions/parse-cohort.ts'
import { parseDefinition } from '../../../../src/service/flags/definitions/parse-definition.ts'

const onFlag = (key: string) => ({ key, type: 'flag', value: true })
const onCohort = (value: number) => ({ key: 'id', type: 'cohort', value })
const flagOn = (key: string, ...properties: object[]) =>
  parseDefinition(JSON.parse(JSON.stringify({ key, filters: { groups: [{ properties }] } })))
const cohortOn = (...values: object[]) =>
  parseCohort(JSON.parse(JSON.stringify({ name: 'c', filters: { properties: { type: 'AND', values } } })))

const links: Links = {
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
const words = (nodes: readonly { kind: string; name: string }[]) =>
  nodes.map(({ kind, name }) => `${kind} ${name}`).sort()

test('finds all that depends on a definition, through flags and cohorts', () => {
  expect(words(dependentsOf([{ kind: 'cohort', name: '2' }], links))).toEqual([
    'cohort 1',
    'cohort 2',
    'flag over',
    'flag top',
  ])
  expect(words(dependentsOf([{ kind: 'flag', name: 'alone' }], links))).toEqual(['flag alone'])
})

test('finds all that a definition depends on, through flags and cohorts', () => {
  expect(words(dependenciesOf([{ kind: 'flag', name: 'over' }], links))).toEqual([
    'cohort 1',
    'cohort 2',
    'flag base',
    'flag over',
    'flag top',
  ])
})
