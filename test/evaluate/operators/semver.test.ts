import { describe, expect, it } from 'vitest'
import type { Json } from '../../../src/wire/json.ts'
import { no, operatorOf, unknown, verdicts, yes } from './verdicts.ts'
import type { Case, Verdicts } from './verdicts.ts'

const serviceSays = (service: boolean, elsewhere: boolean | undefined): Verdicts => [service, elsewhere]

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
  ['semver_eq', '1.2.3', '1.2.3-beta', serviceSays(false, true)],
  ['semver_lt', '1.2.3', '1.2.3-beta', serviceSays(true, false)],
  ['semver_gt', '1.2.3-alpha.9', '1.2.3-alpha.10', serviceSays(true, false)],
  ['semver_eq', '1.7.0', '1.07.0', serviceSays(true, undefined)],
  ['semver_gt', '01.2.3', '1.3.0', serviceSays(true, undefined)],
  ['semver_tilde', '1.07.0', '1.7.1', serviceSays(true, undefined)],
  ['semver_wildcard', '01.*', '1.2.0', serviceSays(true, undefined)],
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

describe('versions', () => {
  it.each(cases)('%s %j: %j is %j in the service and elsewhere', (operator, value, property, expected) => {
    expect(verdicts(operator, value, property)).toEqual(expected)
  })

  it('says what its filter value must be', () => {
    for (const value of ['', 'latest', null, [], '1.2.three'] satisfies readonly Json[])
      for (const name of ['eq', 'tilde', 'caret', 'wildcard'])
        expect(operatorOf(`semver_${name}`, value).problem).toMatch('a version')
    expect(operatorOf('semver_wildcard', '1.*').problem).toBeUndefined()
  })

  it('counts somebody without the property as having no version', () => {
    for (const name of ['eq', 'neq', 'gt', 'lte', 'tilde', 'caret', 'wildcard'])
      expect(operatorOf(`semver_${name}`, '1.2').absent).toBe(false)
  })
})
