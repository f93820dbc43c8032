import { describe, expect, it } from 'vitest'
import { compile } from '../../src/evaluate/compile.ts'
import { evaluateFlag } from '../../src/evaluate/evaluate-flag.ts'
import { evaluationContext } from '../../src/evaluate/evaluation.ts'
import type { Evaluation, GivenContext } from '../../src/evaluate/evaluation.ts'
import type { FlagDefinition } from '../../src/wire/definition.ts'
import { readFlagCases, reviveUndefined } from '../support/flag-cases.ts'
import type { FlagCase } from '../support/flag-cases.ts'
import { hasVectors, readVectors } from '../support/vectors.ts'

interface RolloutVectors {
  readonly vectors: readonly {
    readonly name: string
    readonly definitions: { readonly flags: readonly FlagDefinition[] }
    readonly flag_key: string
    readonly distinct_id: string
    readonly count: number
    readonly expected_bits?: string
    readonly expected?: readonly (string | boolean)[]
  }[]
}

interface CallOptions extends Partial<Pick<GivenContext, 'groups' | 'personProperties' | 'groupProperties'>> {
  readonly onlyEvaluateLocally?: boolean
}

interface CallResult {
  readonly value: unknown
  readonly remoteCalls: number
}

const evaluateAll = (row: FlagCase, distinctId: string, options: CallOptions): ReadonlyMap<string, Evaluation> => {
  const { groups, personProperties, groupProperties } = options
  const context = evaluationContext({
    distinctId,
    complete: false,
    now: 0,
    ...(groups && { groups }),
    ...(personProperties && { personProperties }),
    ...(groupProperties && { groupProperties }),
  })
  const { flags } = compile(row.definitions)
  return new Map([...flags].map(([key, flag]) => [key, evaluateFlag(flag, context)]))
}

/** Simulates a client: returns the result of the call, and the number of requests. */
const simulateCall = (row: FlagCase): CallResult => {
  const { method } = row.call
  const args = reviveUndefined(row.call.args) as unknown[]
  const options = ((method === 'getFeatureFlagPayload' ? args[3] : method === 'getAllFlags' ? args[1] : args[2]) ??
    {}) as CallOptions
  const canRequest = !(options.onlyEvaluateLocally ?? row.client_options?.strictLocalEvaluation ?? false)
  const remote = row.remote?.featureFlags ?? {}

  if (method === 'getAllFlags') {
    const evaluations = evaluateAll(row, args[0] as string, options)
    const conclusive = [...evaluations].filter(([, { value }]) => value !== undefined)
    const values = Object.fromEntries(conclusive.map(([key, { value }]) => [key, value]))
    const sendsRequest = canRequest && (conclusive.length < evaluations.size || evaluations.size === 0)
    return { value: sendsRequest ? { ...values, ...remote } : values, remoteCalls: sendsRequest ? 1 : 0 }
  }
  const key = args[0] as string
  const evaluation = evaluateAll(row, args[1] as string, options).get(key)
  if (evaluation?.value !== undefined) {
    const value = method === 'getFeatureFlagPayload' ? evaluation.payload : evaluation.value
    return { value, remoteCalls: 0 }
  }
  if (!canRequest) return { value: undefined, remoteCalls: 0 }
  const [value, payload] = [remote[key], row.remote?.payloads?.[key]]
  if (method === 'getFeatureFlagPayload') return { value: payload, remoteCalls: 1 }
  if (method === 'getFeatureFlagResult')
    return { value: { key, enabled: value !== false, variant: value, payload }, remoteCalls: 1 }
  return { value, remoteCalls: 1 }
}

describe.skipIf(!hasVectors)('vectors of other implementations', () => {
  it('have the same rollouts and variants as this implementation', () => {
    const { vectors } = readVectors('rollout-consistency.json') as RolloutVectors
    for (const vector of vectors) {
      const flag = compile(vector.definitions).flags.get(vector.flag_key)!
      const values = Array.from({ length: vector.count }, (_, n) => {
        const distinctId = vector.distinct_id.replace('{i}', String(n))
        return evaluateFlag(flag, evaluationContext({ distinctId, complete: false, now: 0 })).value
      })
      const expected = vector.expected ?? Array.from(vector.expected_bits!, (bit) => bit === '1')
      expect(values).toEqual(expected)
    }
  })

  const cases = readFlagCases()

  it('have the same result for each undisputed call', () => {
    const undisputedCases = cases.filter((row) => row.validated)
    expect(undisputedCases.length).toBeGreaterThan(100)
    expect(undisputedCases.map((row) => ({ id: row.id, ...simulateCall(row) }))).toEqual(
      undisputedCases.map(({ id, expected, remote_calls: remoteCalls }) => ({
        id,
        value: reviveUndefined(expected),
        remoteCalls,
      })),
    )
  })

  // Our decisions where implementations differ are listed at `evaluateFlag`.
  it.each([
    ['case-001', 'a property with the value undefined is unknown; in the older client no condition matches'],
    ['case-075', 'an absent property may be set when only some are known; the older client treats it as not set'],
  ])('need a request for a disputed call (%s: %s)', (id) => {
    const row = cases.find((row) => row.id === id)!
    expect(row.validated).toBe(false)
    expect(simulateCall(row)).toEqual({ value: undefined, remoteCalls: 1 })
  })

  it('contain no other disputed call', () => {
    expect(cases.filter((row) => !row.validated).map(({ id }) => id)).toEqual(['case-001', 'case-075'])
  })
})
