import { describe, expect, it } from 'vitest'
import { createLocalEvaluator } from '../../src/flags/local-evaluator.ts'
import type { FlagDefinition } from '../../src/wire/definition.ts'

const NOW = Date.UTC(2026, 0, 1)

const flag = (key: string, otherFields: Partial<FlagDefinition> = {}): FlagDefinition => ({
  id: 1,
  key,
  active: true,
  filters: { groups: [{}] },
  ...otherFields,
})

describe('local evaluator', () => {
  it('returns flags in the form of a response, and keys of unresolved flags', () => {
    const { evaluate } = createLocalEvaluator({
      flags: [
        flag('hero', {
          id: 7,
          version: 3,
          has_experiment: true,
          filters: {
            groups: [{ properties: [{ key: 'plan', value: 'free' }] }, { variant: 'bold' }],
            multivariate: { variants: [{ key: 'bold', rollout_percentage: 0 }] },
            payloads: { bold: { colour: 'red' } },
          },
        }),
        flag('off', { active: false }),
        flag('mail', { filters: { groups: [{ properties: [{ key: 'email', value: 'x' }] }] } }),
      ],
    })
    const { flags, unresolved } = evaluate({ distinct_id: 'u', person_properties: { plan: 'pro' } }, NOW)
    expect(unresolved).toEqual(['mail'])
    expect(Object.keys(flags)).toEqual(['hero', 'off'])
    expect(flags['hero']).toMatchObject({
      enabled: true,
      variant: 'bold',
      reason: { code: 'condition_match', condition_index: 1 },
      metadata: { id: 7, version: 3, payload: '{"colour":"red"}' },
      calledProperties: { locally_evaluated: true },
    })
    expect(flags['off']).toMatchObject({ enabled: false, reason: { code: 'flag_disabled', condition_index: null } })
  })

  it('uses distinct id, device id, groups, properties and the time', () => {
    const { evaluate } = createLocalEvaluator({
      group_type_mapping: { 0: 'company' },
      flags: [
        flag('id', { filters: { groups: [{ properties: [{ key: 'distinct_id', value: 'u' }] }] } }),
        flag('device', { bucketing_identifier: 'device_id', filters: { groups: [{ rollout_percentage: 99.999 }] } }),
        flag('company', {
          filters: { aggregation_group_type_index: 0, groups: [{ properties: [{ key: 'seats', value: 5 }] }] },
        }),
        flag('recent', {
          filters: { groups: [{ properties: [{ key: 'joined', operator: 'is_date_after', value: '-1d' }] }] },
        }),
      ],
    })
    const subject = {
      distinct_id: 'u',
      $device_id: 'd',
      groups: { company: 'acme' },
      person_properties: { joined: '2025-12-31T12:00:00Z' },
      group_properties: { company: { seats: 5 } },
    }
    const { flags, unresolved } = evaluate(subject, NOW)
    expect(unresolved).toEqual([])
    expect(Object.values(flags).map(({ enabled }) => enabled)).toEqual([true, true, true, true])
    expect(evaluate(subject, NOW + 86_400_000).flags['recent']!.enabled).toBe(false)
    expect(evaluate({ distinct_id: 'u' }, NOW)).toMatchObject({
      flags: { company: { enabled: false, reason: { code: 'no_group_type' } } },
      unresolved: ['device', 'recent'],
    })
  })

  it('takes a device id that is a number, as the service does', () => {
    const byDevice = { bucketing_identifier: 'device_id', filters: { groups: [{ rollout_percentage: 50 }] } }
    const { evaluate } = createLocalEvaluator({ flags: [flag('device', byDevice)] })
    const isOn = (subject: object): unknown => evaluate({ distinct_id: 'u', ...subject }, NOW).flags['device']?.enabled
    const values = Array.from({ length: 20 }, (_, id) => {
      const expected = isOn({ $device_id: `${id}` })
      expect([isOn({ $device_id: id }), isOn({ person_properties: { $device_id: id } })]).toEqual([expected, expected])
      return expected
    })
    expect(new Set(values)).toEqual(new Set([true, false]))
  })

  it('leaves a malformed flag to the service and evaluates the others', () => {
    const { evaluate } = createLocalEvaluator({
      flags: [null, { key: 'bad', active: true, filters: 'none' }, flag('good')] as unknown as FlagDefinition[],
    })
    const { flags, unresolved } = evaluate({ distinct_id: 'u' }, NOW)
    expect(unresolved).toEqual(['bad'])
    expect(Object.keys(flags)).toEqual(['good'])
  })

  it('accepts any string as a key', () => {
    const { flags } = createLocalEvaluator({ flags: [flag('__proto__'), flag('constructor')] }).evaluate(
      { distinct_id: 'u' },
      NOW,
    )
    expect(Object.keys(flags)).toEqual(['__proto__', 'constructor'])
  })

  it('hasFlag returns true for all flags in the definitions, even malformed ones', () => {
    const evaluator = createLocalEvaluator({ flags: [flag('good'), flag('bad', { filters: 'none' as never })] })
    expect(['good', 'bad', 'other', 'constructor'].map((key) => evaluator.hasFlag(key))).toEqual([
      true,
      true,
      false,
      false,
    ])
  })

  it.each<[unknown, boolean | undefined, boolean]>([
    [true, false, true],
    [true, true, false],
    [true, undefined, false],
    ['true', false, false],
    [undefined, false, false],
  ])(
    'with minimal_flag_called_events %j and has_experiment %j, isMinimal is %j',
    (minimalEvents, hasExperiment, isMinimal) => {
      const { flags } = createLocalEvaluator({
        flags: [flag('a', { has_experiment: hasExperiment })],
        minimal_flag_called_events: minimalEvents as boolean,
      }).evaluate({ distinct_id: 'u' }, NOW)
      const { allowedNames } = flags['a']!
      expect(allowedNames !== undefined).toBe(isMinimal)
      expect(allowedNames?.test('locally_evaluated')).toBe(isMinimal || undefined)
      expect(allowedNames?.test('$feature_flag_reason')).toBe(isMinimal || undefined)
      expect(allowedNames?.test('$referrer')).toBe(isMinimal ? false : undefined)
    },
  )
})
