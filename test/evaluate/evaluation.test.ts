import { describe, expect, it } from 'vitest'
import { evaluationContext } from '../../src/evaluate/evaluation.ts'
import type { GivenContext } from '../../src/evaluate/evaluation.ts'
import { flagOf, run } from '../support/run-flag.ts'

/** A context from a caller without type checks. */
const untyped = (input: object): Partial<GivenContext> => input

const halfRollout = flagOf({ groups: [{ rollout_percentage: 50 }] })
const companyMapping = { group_type_mapping: { 0: 'company' } }
const halfOfCompanies = flagOf({ aggregation_group_type_index: 0, groups: [{ rollout_percentage: 50 }] })
const numbers = Array.from({ length: 20 }, (_, number) => number)

describe('an id in a context', () => {
  it('is converted to a string when it is a number', () => {
    for (const complete of [true, false])
      for (const number of numbers) {
        expect(run(halfRollout, untyped({ complete, distinctId: number }))).toEqual(
          run(halfRollout, { complete, distinctId: `${number}` }),
        )
        expect(run(halfOfCompanies, untyped({ complete, groups: { company: number } }), companyMapping)).toEqual(
          run(halfOfCompanies, { complete, groups: { company: `${number}` } }, companyMapping),
        )
      }
    const context = untyped({ distinctId: 1, deviceId: 2, anonDistinctId: 3, groups: { company: 4, team: 'a' } })
    expect(evaluationContext({ distinctId: undefined, complete: false, now: 0, ...context })).toMatchObject({
      distinctId: '1',
      deviceId: '2',
      anonDistinctId: '3',
      groups: { company: '4', team: 'a' },
    })
  })

  it.each([undefined, null, NaN, Infinity, 1.5, 2 ** 53, true, {}, ['u']])(
    'is treated as missing when it is %j',
    (id) => {
      const missingIdResult = { value: undefined, reason: 'missing_context', detail: 'the distinct id was not given' }
      for (const complete of [true, false])
        expect(run(halfRollout, untyped({ complete, distinctId: id }))).toMatchObject(missingIdResult)
      expect(run(halfOfCompanies, untyped({ groups: { company: id } }), companyMapping)).toMatchObject({
        value: false,
        reason: 'no_group_type',
      })
      const flagByDevice = { ...halfRollout, bucketing_identifier: 'device_id' }
      expect(run(flagByDevice, untyped({ complete: false, deviceId: id }))).toMatchObject({ reason: 'missing_context' })
    },
  )

  it('is hashed as the service stores it, with NUL removed', () => {
    const given = { distinctId: 'u\0ser', deviceId: '\0d\0', groups: { company: 'ac\0me', team: 'a\ud800' } }
    expect(evaluationContext({ ...given, complete: false, now: 0 })).toMatchObject({
      distinctId: 'user',
      deviceId: 'd',
      groups: { company: 'acme', team: 'a\ufffd' },
    })
  })

  it('is none for a blank group key, in agents and in the service', () => {
    for (const company of ['', '\0', ' \0', '\n'])
      for (const complete of [true, false])
        expect(run(halfOfCompanies, { complete, groups: { company } }, companyMapping)).toMatchObject({
          value: false,
          reason: 'no_group_type',
        })
  })

  it("keeps the caller's groups object if all keys are stored as they are", () => {
    const groups = { company: 'acme', team: ' a ' }
    const context = evaluationContext({ distinctId: 'u', complete: false, now: 0, groups })
    expect(context.groups).toBe(groups)
    expect(
      evaluationContext({ distinctId: 'u', complete: false, now: 0, groups: { ...groups, team: ' ' } }).groups,
    ).toEqual({ company: 'acme' })
  })

  it('may be a blank distinct id, which is not replaced', () => {
    expect(evaluationContext({ distinctId: ' ', complete: false, now: 0 }).distinctId).toBe(' ')
  })

  it('is none for a blank device id, which the one among the properties of the person then replaces', () => {
    for (const deviceId of ['', ' ', '\0'])
      expect(
        evaluationContext({
          distinctId: 'u',
          deviceId,
          personProperties: { $device_id: 7 },
          complete: false,
          now: 0,
        }),
      ).toMatchObject({ deviceId: '7' })
  })

  it('may be the device id among the properties of the person, as a string or a number', () => {
    const flagByDevice = { ...halfRollout, bucketing_identifier: 'device_id' }
    for (const number of numbers)
      for (const id of [number, `${number}`])
        expect(run(flagByDevice, { complete: false, personProperties: { $device_id: id } })).toEqual(
          run(flagByDevice, { complete: false, deviceId: `${number}`, personProperties: { $device_id: id } }),
        )
  })

  it('may be missing for flags that hash another id', () => {
    const context = { distinctId: undefined, deviceId: 'd', groups: { company: 'acme' } }
    for (const complete of [true, false]) {
      expect(run({ ...halfRollout, bucketing_identifier: 'device_id' }, { ...context, complete })).toEqual(
        run({ ...halfRollout, bucketing_identifier: 'device_id' }, { ...context, distinctId: 'u', complete }),
      )
      expect(run(halfOfCompanies, { ...context, complete }, companyMapping).value).toBe(
        run(halfOfCompanies, { ...context, distinctId: 'u', complete }, companyMapping).value,
      )
    }
    const filters = { groups: [{ rollout_percentage: 0 }], holdout: { id: 1, exclusion_percentage: 99 } }
    const flagWithHoldout = flagOf(filters, { bucketing_identifier: 'device_id' })
    expect(run(flagWithHoldout, { distinctId: undefined }).value).toBe(false)
  })
})

describe('the groups in a context', () => {
  it('are not copied when all keys are strings', () => {
    const groups = { company: 'acme' }
    expect(evaluationContext({ distinctId: 'u', groups, complete: true, now: 0 }).groups).toBe(groups)
  })
})
