import { describe, expect, it } from 'vitest'
import { evaluationContext } from '../../src/evaluate/evaluation.ts'
import type { GivenContext } from '../../src/evaluate/evaluation.ts'
import { flagOf, run } from '../support/run-flag.ts'

/** As a caller without types may give it. */
const untyped = (given: object): Partial<GivenContext> => given

const half = flagOf({ groups: [{ rollout_percentage: 50 }] })
const company = { group_type_mapping: { 0: 'company' } }
const halfOfCompanies = flagOf({ aggregation_group_type_index: 0, groups: [{ rollout_percentage: 50 }] })
const numbers = Array.from({ length: 20 }, (_, number) => number)

describe('an id', () => {
  it('counts as its text when it is a number', () => {
    for (const complete of [true, false])
      for (const number of numbers) {
        expect(run(half, untyped({ complete, distinctId: number }))).toEqual(
          run(half, { complete, distinctId: `${number}` }),
        )
        expect(run(halfOfCompanies, untyped({ complete, groups: { company: number } }), company)).toEqual(
          run(halfOfCompanies, { complete, groups: { company: `${number}` } }, company),
        )
      }
    const given = untyped({ distinctId: 1, deviceId: 2, anonDistinctId: 3, groups: { company: 4, team: 'a' } })
    expect(evaluationContext({ distinctId: undefined, complete: false, now: 0, ...given })).toMatchObject({
      distinctId: '1',
      deviceId: '2',
      anonDistinctId: '3',
      groups: { company: '4', team: 'a' },
    })
  })

  it.each([undefined, null, NaN, Infinity, true, {}, ['u']])('is not given when it is %j', (id) => {
    const unknown = { value: undefined, reason: 'missing_context', detail: 'the distinct id was not given' }
    for (const complete of [true, false])
      expect(run(half, untyped({ complete, distinctId: id }))).toMatchObject(unknown)
    expect(run(halfOfCompanies, untyped({ groups: { company: id } }), company)).toMatchObject({
      value: false,
      reason: 'no_group_type',
    })
    const byDevice = { ...half, bucketing_identifier: 'device_id' }
    expect(run(byDevice, untyped({ complete: false, deviceId: id }))).toMatchObject({ reason: 'missing_context' })
  })

  it('need not be given for flags that are hashed by another', () => {
    const given = { distinctId: undefined, deviceId: 'd', groups: { company: 'acme' } }
    for (const complete of [true, false]) {
      expect(run({ ...half, bucketing_identifier: 'device_id' }, { ...given, complete })).toEqual(
        run({ ...half, bucketing_identifier: 'device_id' }, { ...given, distinctId: 'u', complete }),
      )
      expect(run(halfOfCompanies, { ...given, complete }, company).value).toBe(
        run(halfOfCompanies, { ...given, distinctId: 'u', complete }, company).value,
      )
    }
    const filters = { groups: [{ rollout_percentage: 0 }], holdout: { id: 1, exclusion_percentage: 99 } }
    const heldOut = flagOf(filters, { bucketing_identifier: 'device_id' })
    expect(run(heldOut, { distinctId: undefined }).value).toBe(false)
  })
})

describe('groups', () => {
  it('are taken as they are when their keys are texts', () => {
    const groups = { company: 'acme' }
    expect(evaluationContext({ distinctId: 'u', groups, complete: true, now: 0 }).groups).toBe(groups)
  })
})
