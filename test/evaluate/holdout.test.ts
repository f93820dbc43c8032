import { describe, expect, it } from 'vitest'
import type { Evaluation } from '../../src/evaluate/evaluation.ts'
import type { Json } from '../../src/wire/json.ts'
import { flagOf, idsBetween, run, someoneOnBound } from '../support/run-flag.ts'

const held = (holdout: Json, given: object = {}, more: object = {}): Evaluation =>
  run(flagOf({ holdout, groups: [{ rollout_percentage: 0 }], payloads: { 'holdout-7': '1' } }, more), given)

describe('a holdout', () => {
  it('holds those whose hash, which the key of the flag takes no part in, is at most its percentage', () => {
    for (const key of ['one', 'other']) {
      for (const distinctId of idsBetween('holdout-', 0, 0.25))
        expect(held({ id: 7, exclusion_percentage: 25 }, { distinctId }, { key })).toEqual({
          value: 'holdout-7',
          variant: 'holdout-7',
          payload: 1,
          payloadText: '1',
          reason: 'holdout_condition_value',
          conditionIndex: undefined,
          inRollout: undefined,
        })
      for (const distinctId of idsBetween('holdout-', 0.25, 1))
        expect(held({ id: 7, exclusion_percentage: 25 }, { distinctId }, { key })).toMatchObject({ value: false })
    }
  })

  it('holds who is exactly on its bound', () => {
    const { id: distinctId, percentage } = someoneOnBound('holdout-')
    expect(held({ id: 7, exclusion_percentage: percentage }, { distinctId }).value).toBe('holdout-7')
    expect(held({ id: 7, exclusion_percentage: percentage * (1 - 1e-9) }, { distinctId }).value).toBe(false)
  })

  it('beats every condition, but not that the flag is off', () => {
    const holdout = { id: 7, exclusion_percentage: 100 }
    expect(run(flagOf({ holdout })).value).toBe('holdout-7')
    expect(run(flagOf({ holdout, groups: [{ properties: [{ key: 'x' }] }] }), { complete: false }).value).toBe(
      'holdout-7',
    )
    expect(run(flagOf({ holdout }, { active: false })).value).toBe(false)
  })

  it.each([
    [{ id: 'x', exclusion_percentage: 100 }, 'holdout-x'],
    [{ id: 0, exclusion_percentage: 100 }, 'holdout-0'],
    [{ id: 7, exclusion_percentage: 250 }, 'holdout-7'],
    [{ id: 7, exclusion_percentage: '100' }, 'holdout-7'],
    [{ id: 7, exclusion_percentage: -5 }, false],
    [{ id: 7, exclusion_percentage: 0 }, false],
    [{ id: 7, exclusion_percentage: null }, false],
    [{ id: 7, exclusion_percentage: 'many' }, false],
    [{ id: 7 }, false],
    [{ id: null, exclusion_percentage: 100 }, false],
    [{ exclusion_percentage: 100 }, false],
    [null, false],
  ])('reads its percentage within 0 to 100 and holds nobody without a number or an id (%j)', (holdout, value) => {
    expect(held(holdout).value).toBe(value)
  })

  it('hashes groups by their key and devices by their id, in the service by the distinct id where there is none', () => {
    const holdout = { id: 7, exclusion_percentage: 25 }
    const [inside] = idsBetween('holdout-', 0, 0.25, 1) as [string]
    const [outside] = idsBetween('holdout-', 0.25, 1, 1) as [string]
    const byGroup = flagOf({ holdout, aggregation_group_type_index: 0 })
    const types = { group_type_mapping: { 0: 'company' } }
    expect(run(byGroup, { distinctId: outside, groups: { company: inside } }, types).value).toBe('holdout-7')
    expect(run(byGroup, { distinctId: inside, groups: { company: outside } }, types).value).toBe(true)
    const device = { bucketing_identifier: 'device_id' }
    expect(held(holdout, { distinctId: outside, deviceId: inside }, device).value).toBe('holdout-7')
    expect(held(holdout, { distinctId: inside, deviceId: outside }, device).value).toBe(false)
    expect(held(holdout, { distinctId: inside }, device).value).toBe('holdout-7')
    expect(held(holdout, { distinctId: inside, complete: false }, device).value).toBeUndefined()
  })
})
