import { expect, test } from 'vitest'
import { compile } from '../../../../src/evaluate/compile.ts'
import { evaluateFlag } from '../../../../src/evaluate/evaluate-flag.ts'
import { evaluationContext } from '../../../../src/evaluate/evaluation.ts'
import { decideAnswer as decideText } from '../../../../src/service/flags/decide/decide-response.ts'
import type { Evaluated } from '../../../../src/service/flags/decide/evaluated.ts'
import { flagsAnswer as flagsText } from '../../../../src/service/flags/decide/flags-response.ts'
import { answeredConfig } from '../../../../src/service/remote-config/answered-config.ts'
import { COMMON_CONFIG } from '../../../../src/service/remote-config/remote-config.ts'
import type { DecideAnswer, FlagsAnswer } from '../../../../src/wire/decide.ts'
import type { FlagDefinition } from '../../../../src/wire/definition.ts'

const decideAnswer = (...given: Parameters<typeof decideText>): DecideAnswer => JSON.parse(decideText(...given))
const flagsAnswer = (...given: Parameters<typeof flagsText>): FlagsAnswer => JSON.parse(flagsText(...given))

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

const evaluated = (change: Partial<Evaluated> = {}): Evaluated => {
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

const facts = { errorsWhileComputingFlags: true, requestId: 'r', evaluatedAt: 7 }
const shell = {
  config: { enable_collect_everything: true },
  toolbarParams: {},
  isAuthenticated: false,
  ...COMMON_CONFIG,
  surveys: false,
  ...facts,
}
const values = {
  featureFlags: { on: true, off: false, blue: 'b' },
  featureFlagPayloads: { on: '{"x":1}' },
}

test('answers /decide of each version in its shape', () => {
  expect(decideAnswer(evaluated())).toEqual({ ...shell, ...values })
  expect(decideAnswer(evaluated(), '3')).toEqual({ ...shell, ...values })
  expect(decideAnswer(evaluated(), 'x')).toEqual({ ...shell, ...values })
  expect(decideAnswer(evaluated(), '2')).toEqual({
    ...shell,
    featureFlags: { on: true, blue: 'b' },
  })
  expect(decideAnswer(evaluated(), '1')).toEqual({ ...shell, featureFlags: ['on', 'blue'] })
  expect(decideAnswer(evaluated(), '4')).toEqual({ ...shell, flags: flagsAnswer(evaluated(), '2').flags })
})

test('answers /flags without a version, or with the first, by values and payloads', () => {
  expect(flagsAnswer(evaluated())).toEqual({ ...facts, ...values })
  expect(flagsAnswer(evaluated(), '1')).toEqual({ ...facts, ...values })
})

test('tells of each flag in /flags/?v=2 why it has its value, and of a failed one what is wrong', () => {
  const { flags } = flagsAnswer(evaluated(), '2')
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

test('tells the remote config with every /decide, and with /flags where it is given', () => {
  expect(decideAnswer(evaluated(), '3', true)).toEqual({ ...shell, surveys: true, ...values })
  expect(flagsAnswer(evaluated(), '1', answeredConfig(true))).toEqual({
    ...facts,
    ...values,
    ...COMMON_CONFIG,
    surveys: true,
  })
})

test('says in every shape that the quota is used up, and that short called events are enough', () => {
  const change = { results: [], isPaused: true, minimalFlagCalledEvents: true }
  const said = { quotaLimited: ['feature_flags'], minimalFlagCalledEvents: true, errorsWhileComputingFlags: false }
  expect(decideAnswer(evaluated(change))).toMatchObject({ ...said, featureFlags: {}, featureFlagPayloads: {} })
  expect(flagsAnswer(evaluated(change))).toMatchObject({ ...said, featureFlags: {}, featureFlagPayloads: {} })
  expect(flagsAnswer(evaluated(change), '2')).toMatchObject({ ...said, flags: {} })
})

test('quotes what flags and payloads may be called', () => {
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
  for (let answered = 0; answered < 2; answered++) {
    expect(decideAnswer(evaluated({ results }))).toMatchObject({
      featureFlags: { [key]: 'b"' },
      featureFlagPayloads: { [key]: '{"say":"\\"hi\\"\\n"}' },
    })
    expect(flagsAnswer(evaluated({ results }), '2').flags![key]).toMatchObject({
      key,
      variant: 'b"',
      metadata: { description: 'Say "hi"', payload: '{"say":"\\"hi\\"\\n"}' },
    })
  }
})
