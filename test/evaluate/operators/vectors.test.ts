import { describe, expect, it } from 'vitest'
import { compile } from '../../../src/evaluate/compile.ts'
import { evaluateFlag } from '../../../src/evaluate/evaluate-flag.ts'
import { evaluationContext } from '../../../src/evaluate/evaluation.ts'
import { operatorTable } from '../../../src/evaluate/operators/operator-table.ts'
import type { PropertyFilter } from '../../../src/wire/definition.ts'
import type { Json, JsonObject } from '../../../src/wire/json.ts'
import { hasVectors, readVectors } from '../../support/vectors.ts'

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

describe.skipIf(!hasVectors)('vectors of other implementations', () => {
  it('agree on every operator that is supported', () => {
    const words = new Map<unknown, string>([
      [true, 'match'],
      [false, 'no_match'],
      [undefined, 'inconclusive'],
    ])
    const differences: unknown[] = []
    let compared = 0
    const { rows } = readVectors('property-operators.json') as OperatorVectors
    for (const row of rows) {
      if (!row.validated || !operatorTable.has(row.filter.operator ?? 'exact')) continue
      const properties = Object.fromEntries(
        Object.entries(row.properties).map(([key, value]) => [key, isUndefined(value) ? undefined : value]),
      ) as JsonObject
      const { flags } = compile({
        flags: [{ id: 1, key: 'f', active: true, filters: { groups: [{ properties: [row.filter] }] } }],
        property_matching_version: row.property_matching_version ?? null,
      })
      const context = evaluationContext({ distinctId: 'u', personProperties: properties, complete: false, now: 0 })
      const verdict = words.get(evaluateFlag(flags.get('f')!, context).value)
      compared++
      if (verdict !== row.expected) differences.push([row.id, row.filter, row.properties, row.expected, verdict])
    }
    expect(differences).toEqual([])
    expect(compared).toBeGreaterThan(250)
  })
})
