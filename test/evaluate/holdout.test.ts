import { describe, expect, it } from 'vitest'
import type { Evaluation } from '../../src/evaluate/evaluation.ts'
import type { Json } from '../../src/wire/json.ts'
import { flagOf, findIdsBetween, run, findIdOnBound } from '../support/run-flag.ts'

const evaluateWithHoldout = (holdout: Json, context: object = {}, flagFields: object = {}): Evaluation =>
  run(flagOf({ holdout, groups: [{ rollout_percentage: 0 }], payloads: { 'holdout-7': '1' } }, flagFields), context)

describe('a holdout', () => {
  it('holds out ids up to its percentage, whatever the flag key', () => {
    for (const key of ['one', 'other']) {
      for (const distinctId of findIdsBetween('holdout-', 0, 0.25))
        expect(evaluateWithHoldout({ id: 7, exclusion_percentage: 25 }, { distinctId }, { key })).toEqual({
          value: 'holdout-7',
          variant: 'holdout-7',
          payload: 1,
          payloadText: '1',
          reason: 'holdout_condition_value',
          conditionIndex: undefined,
          inRollout: undefined,
        })
      for (const distinctId of findIdsBetween('holdout-', 0.25, 1))
        expect(evaluateWithHoldout({ id: 7, exclusion_percentage: 25 }, { distinctId }, { key })).toMatchObject({
          value: false,
        })
    }
  })

  it('holds out an id whose hash position is exactly on its bound', () => {
    const { id: distinctId, percentage } = findIdOnBound('holdout-')
    expect(evaluateWithHoldout({ id: 7, exclusion_percentage: percentage }, { distinctId }).value).toBe('holdout-7')
    expect(evaluateWithHoldout({ id: 7, exclusion_percentage: percentage * (1 - 1e-9) }, { distinctId }).value).toBe(
      false,
    )
  })

  it('decides before all conditions, but not for an inactive flag', () => {
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
  ])('clamps its percentage to 0–100, and has no effect without number or id (%j)', (holdout, value) => {
    expect(evaluateWithHoldout(holdout).value).toBe(value)
  })

  it('hashes the group key or device id; the service falls back to the distinct id', () => {
    const holdout = { id: 7, exclusion_percentage: 25 }
    const [heldOutId] = findIdsBetween('holdout-', 0, 0.25, 1) as [string]
    const [otherId] = findIdsBetween('holdout-', 0.25, 1, 1) as [string]
    const byGroup = flagOf({ holdout, aggregation_group_type_index: 0 })
    const types = { group_type_mapping: { 0: 'company' } }
    expect(run(byGroup, { distinctId: otherId, groups: { company: heldOutId } }, types).value).toBe('holdout-7')
    expect(run(byGroup, { distinctId: heldOutId, groups: { company: otherId } }, types).value).toBe(true)
    const device = { bucketing_identifier: 'device_id' }
    expect(evaluateWithHoldout(holdout, { distinctId: otherId, deviceId: heldOutId }, device).value).toBe('holdout-7')
    expect(evaluateWithHoldout(holdout, { distinctId: heldOutId, deviceId: otherId }, device).value).toBe(false)
    expect(evaluateWithHoldout(holdout, { distinctId: heldOutId }, device).value).toBe('holdout-7')
    expect(evaluateWithHoldout(holdout, { distinctId: heldOutId, complete: false }, device).value).toBeUndefined()
  })
})
