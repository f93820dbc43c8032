import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { compile } from '../../src/evaluate/compile.ts'
import { compileFlag } from '../../src/evaluate/compile-flag.ts'
import { evaluateFlag } from '../../src/evaluate/evaluate-flag.ts'
import { evaluationContext } from '../../src/evaluate/evaluation.ts'
import { operatorTable } from '../../src/evaluate/operators/operator-table.ts'
import type { FlagDefinition, PropertyFilter } from '../../src/wire/definition.ts'
import type { Json, JsonObject } from '../../src/wire/json.ts'

/** Vectors recorded from other implementations; not part of this repository. */
const folder = process.env['WAYMARK_VECTORS'] ?? new URL('../../../shared/vectors', import.meta.url).pathname
const there = existsSync(folder)
if (!there)
  console.warn(`Skipped: no vectors of other implementations in ${folder} (WAYMARK_VECTORS names another folder).`)

const read = (name: string): string => readFileSync(`${folder}/${name}`, 'utf8')

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

interface OperatorVectors {
  readonly rows: readonly {
    readonly id: string
    readonly filter: PropertyFilter
    readonly properties: Readonly<Record<string, Json | { readonly $undefined: true }>>
    readonly expected: 'match' | 'no_match' | 'inconclusive'
    readonly validated: boolean
    readonly property_matching_version?: number
  }[]
}

const isUndefined = (value: unknown): boolean => typeof value === 'object' && value !== null && '$undefined' in value

describe.skipIf(!there)('vectors of other implementations', () => {
  it('agree on every rollout and every variant', () => {
    const { vectors }: RolloutVectors = JSON.parse(read('rollout-consistency.json'))
    for (const vector of vectors) {
      const flag = compile(vector.definitions.flags).get(vector.flag_key)!
      const values = Array.from({ length: vector.count }, (_, n) => {
        const distinctId = vector.distinct_id.replace('{i}', String(n))
        return evaluateFlag(flag, evaluationContext({ distinctId, complete: false })).value
      })
      const expected = vector.expected ?? Array.from(vector.expected_bits!, (bit) => bit === '1')
      expect(values).toEqual(expected)
    }
  })

  it('agree on every operator that is supported', () => {
    const words = new Map<unknown, string>([
      [true, 'match'],
      [false, 'no_match'],
      [undefined, 'inconclusive'],
    ])
    const differences: unknown[] = []
    let compared = 0
    const { rows }: OperatorVectors = JSON.parse(read('property-operators.json'))
    for (const row of rows) {
      if (!row.validated || !operatorTable.has(row.filter.operator ?? 'exact')) continue
      const properties = Object.fromEntries(
        Object.entries(row.properties).map(([key, value]) => [key, isUndefined(value) ? undefined : value]),
      ) as JsonObject
      const flag = compileFlag(
        { id: 1, key: 'f', active: true, filters: { groups: [{ properties: [row.filter] }] } },
        { propertyMatchingVersion: row.property_matching_version },
      )
      const context = evaluationContext({ distinctId: 'u', personProperties: properties, complete: false })
      const verdict = words.get(evaluateFlag(flag, context).value)
      compared++
      if (verdict !== row.expected) differences.push([row.id, row.filter, row.properties, row.expected, verdict])
    }
    expect(differences).toEqual([])
    expect(compared).toBeGreaterThan(250)
  })
})
