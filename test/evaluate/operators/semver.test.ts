import { describe, expect, it } from 'vitest'
import type { Json } from '../../../src/wire/json.ts'
import { no, createOperator, unknown, evaluateOperator, yes } from './evaluate-operator.ts'
import type { Case, Results } from './evaluate-operator.ts'

const differs = (service: boolean, elsewhere: boolean | undefined): Results => [service, elsewhere]

const cases: readonly Case[] = [
  ['semver_eq', '1.2', ' V1.2.0+build.7 ', yes],
  ['semver_eq', '1.0.0', 1, yes],
  ['semver_eq', '1.2.3', '1.2.3.4', yes],
  ['semver_eq', '1.2.3', '1.2.4', no],
  ['semver_neq', '1.2.3', '1.2.4', yes],
  ['semver_neq', '1.2.3', 'v1.2.3', no],
  ['semver_gt', '1.9.0', '1.10.0', yes],
  ['semver_gt', '1.2.3', '1.2.3', no],
  ['semver_gte', '1.2.3', '1.2.3', yes],
  ['semver_lt', '2', '1.99.99', yes],
  ['semver_lte', '1.2.3', '1.2.4', no],
  ['semver_tilde', '1.2.3', '1.2.99', yes],
  ['semver_tilde', '1.2.3', '1.2.2', no],
  ['semver_tilde', '1.2.3', '1.3.0', no],
  ['semver_caret', '1.2.3', '1.99.0', yes],
  ['semver_caret', '1.2.3', '2.0.0', no],
  ['semver_caret', '0.2.3', '0.2.9', yes],
  ['semver_caret', '0.2.3', '0.3.0', no],
  ['semver_caret', '0.0.3', '0.0.3', yes],
  ['semver_caret', '0.0.3', '0.0.4', no],
  ['semver_wildcard', '1.*', '1.99.0', yes],
  ['semver_wildcard', 'v1.2.*', '1.2.0', yes],
  ['semver_wildcard', '1.2.*', '1.3.0', no],
  ['semver_wildcard', '1.*', '2.0.0', no],
  ['semver_eq', '1.2.3', '1.2.3-beta', differs(false, true)],
  ['semver_lt', '1.2.3', '1.2.3-beta', differs(true, false)],
  ['semver_gt', '1.2.3-alpha.9', '1.2.3-alpha.10', differs(true, false)],
  ['semver_eq', '1.7.0', '1.07.0', differs(true, undefined)],
  ['semver_gt', '01.2.3', '1.3.0', differs(true, undefined)],
  ['semver_tilde', '1.07.0', '1.7.1', differs(true, undefined)],
  ['semver_wildcard', '01.*', '1.2.0', differs(true, undefined)],
  ['semver_eq', '1.2.3', null, no],
  ['semver_neq', '1.2.3', null, no],
  ['semver_caret', '1.2.3', null, no],
  ['semver_eq', '1.2.3', 'latest', unknown],
  ['semver_neq', '1.2.3', '', unknown],
  ['semver_neq', 'latest', '1.2.3', unknown],
  ['semver_wildcard', '*', '1.2.3', unknown],
  ['semver_wildcard', '1.', '1.2.3', unknown],
  ['semver_wildcard', '1..*', '1.2.3', unknown],
  ['semver_wildcard', '1.2.', '1.2.3', yes],
  ['semver_tilde', 'latest', '1.2.3', unknown],
]

describe('semver operators', () => {
  it.each(cases)(
    '%s %j tests the property %j: %j (in the service, elsewhere)',
    (operator, value, property, expected) => {
      expect(evaluateOperator(operator, value, property)).toEqual(expected)
    },
  )

  it('report an invalid filter value', () => {
    for (const value of ['', 'latest', null, [], '1.2.three'] satisfies readonly Json[])
      for (const name of ['eq', 'tilde', 'caret', 'wildcard'])
        expect(createOperator(`semver_${name}`, value).problem).toMatch('a version')
    expect(createOperator('semver_wildcard', '1.*').problem).toBeUndefined()
  })

  it('do not match an absent property', () => {
    for (const name of ['eq', 'neq', 'gt', 'lte', 'tilde', 'caret', 'wildcard'])
      expect(createOperator(`semver_${name}`, '1.2').ifAbsent).toBe(false)
  })
})
