import type { Operator, OperatorResult } from '../../../src/evaluate/operators/operator.ts'
import { operatorTable } from '../../../src/evaluate/operators/operator-table.ts'
import type { Json } from '../../../src/wire/json.ts'

/** The results of an operator in the service and elsewhere. */
export type Results = readonly [service: OperatorResult, elsewhere: OperatorResult]

/** The same result in both. */
export const yes: Results = [true, true]
export const no: Results = [false, false]
/** No match in the service, unknown elsewhere. */
export const unknown: Results = [false, undefined]

/** An operator with its filter value, a property and the expected results. */
export type Case = readonly [operator: string, value: Json, property: Json, expected: Results]

export interface Rules {
  readonly now?: number
  readonly propertyMatchingVersion?: number
}

export const createOperator = (operator: string, value: Json, rules: Rules = {}): Operator => {
  const operatorOrReason = operatorTable.get(operator)!(value, rules)
  if (typeof operatorOrReason === 'string') throw new Error(operatorOrReason)
  return operatorOrReason
}

export const evaluateOperator = (operator: string, value: Json, property: Json, rules: Rules = {}): Results => {
  const { test } = createOperator(operator, value, rules)
  const now = rules.now ?? 0
  return [test(property, { complete: true, now }), test(property, { complete: false, now })]
}
