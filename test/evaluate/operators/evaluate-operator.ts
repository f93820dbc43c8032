import type { Operator, OperatorResult } from '../../../src/evaluate/operators/operator.ts'
import { operatorTable } from '../../../src/evaluate/operators/operator-table.ts'
import type { Json } from '../../../src/wire/json.ts'

/** The results of an operator in the service and elsewhere. */
export type Results = readonly [service: OperatorResult, elsewhere: OperatorResult]

/** A match in the service and elsewhere. */
export const yes: Results = [true, true]
/** No match in either. */
export const no: Results = [false, false]
/** No match in the service, unknown elsewhere. */
export const unknown: Results = [false, undefined]

/** An operator with its filter value, a property and the expected results. */
export type Case = readonly [operator: string, value: Json, property: Json, expected: Results]

/** The settings on which some operators depend. */
export interface Rules {
  /** Milliseconds since 1970. Default 0. */
  readonly now?: number
  readonly propertyMatchingVersion?: number
}

/** Creates an operator. Throws when the filter value is not supported. */
export const createOperator = (operator: string, value: Json, rules: Rules = {}): Operator => {
  const operatorOrReason = operatorTable.get(operator)!(value, rules)
  if (typeof operatorOrReason === 'string') throw new Error(operatorOrReason)
  return operatorOrReason
}

/** Tests a property in the service and elsewhere. */
export const evaluateOperator = (operator: string, value: Json, property: Json, rules: Rules = {}): Results => {
  const { test } = createOperator(operator, value, rules)
  const now = rules.now ?? 0
  return [test(property, { complete: true, now }), test(property, { complete: false, now })]
}
