import type { Operator, Verdict } from '../../../src/evaluate/operators/operator.ts'
import { operatorTable } from '../../../src/evaluate/operators/operator-table.ts'
import type { Json } from '../../../src/wire/json.ts'

/** What an operator says in the service, and what elsewhere. */
export type Verdicts = readonly [service: Verdict, elsewhere: Verdict]

/** Both the same. */
export const yes: Verdicts = [true, true]
export const no: Verdicts = [false, false]
/** No match in the service, no verdict elsewhere. */
export const unknown: Verdicts = [false, undefined]

/** A filter: operator and value, the property, what is expected. */
export type Case = readonly [operator: string, value: Json, property: Json, expected: Verdicts]

export interface Rules {
  readonly now?: number
  readonly propertyMatchingVersion?: number
}

export const operatorOf = (operator: string, value: Json, rules: Rules = {}): Operator => {
  const made = operatorTable.get(operator)!(value, rules)
  if (typeof made === 'string') throw new Error(made)
  return made
}

export const verdicts = (operator: string, value: Json, property: Json, rules: Rules = {}): Verdicts => {
  const { test } = operatorOf(operator, value, rules)
  const now = rules.now ?? 0
  return [test(property, { complete: true, now }), test(property, { complete: false, now })]
}
