import { describe, expect, it } from 'vitest'
import { compile } from '../../src/evaluate/compile.ts'
import { evaluateFlag } from '../../src/evaluate/evaluate-flag.ts'
import { evaluationContext } from '../../src/evaluate/evaluation.ts'
import type { FlagDefinition } from '../../src/wire/definition.ts'
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

describe.skipIf(!hasVectors)('vectors of other implementations', () => {
  it('agree on every rollout and every variant', () => {
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
})
