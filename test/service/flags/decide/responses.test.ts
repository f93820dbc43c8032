import { expect, test } from 'vitest'
import { compile } from '../../../../src/evaluate/compile.ts'
import { evaluateFlag } from '../../../../src/evaluate/evaluate-flag.ts'
import { evaluationContext } from '../../../../src/evaluate/evaluation.ts'
import { serializeDecideResponse } from '../../../../src/service/flags/decide/decide-response.ts'
import type { DecideResult } from '../../../../src/service/flags/decide/decide-result.ts'
import { serializeFlagsResponse } from '../../../../src/service/flags/decide/flags-response.ts'
import { commonConfigJson } from '../../../../src/service/remote-config/common-config-json.ts'
import { COMMON_CONFIG } from '../../../../src/service/remote-config/remote-config.ts'
import type { DecideResponse, FlagsResponse } from '../../../../src/wire/decide.ts'
import type { FlagDefinition } from '../../../../src/wire/definition.ts'

const decideResponse = (...args: Parameters<typeof serializeDecideResponse>): DecideResponse =>
  JSON.parse(serializeDecideResponse(...args))
const flagsResponse = (...args: Parameters<typeof serializeFlagsResponse>): FlagsResponse =>
  JSON.parse(serializeFlagsResponse(...args))

const definition = (id: number, key: string, rest: object): FlagDefinition => ({
  id,
  key,
  active: true,
  filters: { groups: [{}] },
  ...rest,
})

const definitions = [
  definition(1, 'on', { filters: { groups: [{}], payloads: { true: { x: 1 } } } }),
  definition(2, 'off', { filters: { groups: [{ rollout_percentage: 0 }] }, version: 4, has_experiment: true }),
  definition(3, 'blue', {
    filters: { groups: [{ variant: 'b' }], multivariate: { variants: [{ key: 'b', rollout_percentage: 100 }] } },
  }),
  definition(4, 'broken', { filters: { groups: [{ properties: [{ key: 'x', operator: 'of_tomorrow', value: 1 }] }] } }),
]

const createResult = (change: Partial<DecideResult> = {}): DecideResult => {
  const { flags } = compile({ flags: definitions })
  const context = evaluationContext({ distinctId: 'u', complete: true, now: 0 })
  return {
    results: definitions.map((each) => ({
      definition: each,
      evaluation: evaluateFlag(flags.get(each.key)!, context),
    })),
    isPaused: false,
    minimalFlagCalledEvents: false,
    requestId: 'r',
    evaluatedAt: 7,
    ...change,
  }
}

const common = { errorsWhileComputingFlags: true, requestId: 'r', evaluatedAt: 7 }
const legacyMembers = {
  config: { enable_collect_everything: true },
  toolbarParams: {},
  isAuthenticated: false,
  ...COMMON_CONFIG,
  surveys: false,
  ...common,
}
const values = {
  featureFlags: { on: true, off: false, blue: 'b' },
  featureFlagPayloads: { on: '{"x":1}' },
}

test('serialises /decide in the shape of each version', () => {
  expect(decideResponse(createResult())).toEqual({ ...legacyMembers, ...values })
  expect(decideResponse(createResult(), '3')).toEqual({ ...legacyMembers, ...values })
  expect(decideResponse(createResult(), 'x')).toEqual({ ...legacyMembers, ...values })
  expect(decideResponse(createResult(), '2')).toEqual({
    ...legacyMembers,
    featureFlags: { on: true, blue: 'b' },
  })
  expect(decideResponse(createResult(), '1')).toEqual({ ...legacyMembers, featureFlags: ['on', 'blue'] })
  expect(decideResponse(createResult(), '4')).toEqual({
    ...legacyMembers,
    flags: flagsResponse(createResult(), '2').flags,
  })
})

test('serialises /flags of version 1, the default, as values and payloads', () => {
  expect(flagsResponse(createResult())).toEqual({ ...common, ...values })
  expect(flagsResponse(createResult(), '1')).toEqual({ ...common, ...values })
})

test('sends the reason for each flag in /flags/?v=2, also for a failed one', () => {
  const { flags } = flagsResponse(createResult(), '2')
  expect(Object.keys(flags!)).toEqual(['on', 'off', 'blue', 'broken'])
  expect(flags!['off']).toEqual({
    key: 'off',
    enabled: false,
    variant: null,
    reason: { code: 'out_of_rollout_bound', condition_index: 0, description: 'Outside of the rollout percentage' },
    metadata: { id: 2, version: 4, description: null, payload: null, has_experiment: true },
  })
  expect(flags!['broken']).toEqual({
    key: 'broken',
    enabled: false,
    variant: null,
    failed: true,
    reason: {
      code: 'unsupported_definition',
      condition_index: null,
      description: expect.stringContaining('of_tomorrow'),
    },
    metadata: { id: 4, version: 1, description: null, payload: null, has_experiment: false },
  })
})

test('includes the remote config in /decide, and in /flags on request', () => {
  expect(decideResponse(createResult(), '3', true)).toEqual({ ...legacyMembers, surveys: true, ...values })
  expect(flagsResponse(createResult(), '1', commonConfigJson(true))).toEqual({
    ...common,
    ...values,
    ...COMMON_CONFIG,
    surveys: true,
  })
})

test('includes the quota and minimal called events in every shape', () => {
  const change = { results: [], isPaused: true, minimalFlagCalledEvents: true }
  const fields = { quotaLimited: ['feature_flags'], minimalFlagCalledEvents: true, errorsWhileComputingFlags: false }
  expect(decideResponse(createResult(change))).toMatchObject({ ...fields, featureFlags: {}, featureFlagPayloads: {} })
  expect(flagsResponse(createResult(change))).toMatchObject({ ...fields, featureFlags: {}, featureFlagPayloads: {} })
  expect(flagsResponse(createResult(change), '2')).toMatchObject({ ...fields, flags: {} })
})

test('escapes keys, values and payloads', () => {
  const key = 'a "quoted"\\ key\u2028'
  const named = definition(5, key, {
    name: 'Say "hi"',
    filters: {
      groups: [{ variant: 'b"' }],
      multivariate: { variants: [{ key: 'b"', rollout_percentage: 100 }] },
      payloads: { 'b"': { say: '"hi"\n' } },
    },
  })
  const { flags } = compile({ flags: [named] })
  const context = evaluationContext({ distinctId: 'u', complete: true, now: 0 })
  const results = [{ definition: named, evaluation: evaluateFlag(flags.get(key)!, context) }]
  for (let repetition = 0; repetition < 2; repetition++) {
    expect(decideResponse(createResult({ results }))).toMatchObject({
      featureFlags: { [key]: 'b"' },
      featureFlagPayloads: { [key]: '{"say":"\\"hi\\"\\n"}' },
    })
    expect(flagsResponse(createResult({ results }), '2').flags![key]).toMatchObject({
      key,
      variant: 'b"',
      metadata: { description: 'Say "hi"', payload: '{"say":"\\"hi\\"\\n"}' },
    })
  }
})
