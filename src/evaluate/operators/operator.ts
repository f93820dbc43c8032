import type { Json } from '../../wire/json.ts'

/** Whether a filter holds; undefined when that cannot be known here. */
export type Verdict = boolean | undefined

/** What an operator may ask beside the property. */
export interface OperatorContext {
  /** True where all properties are known: then there is a verdict for each. */
  readonly complete: boolean
  /** Milliseconds since 1970. */
  readonly now: number
}

/** What a definition says beside its filters. */
export interface MatchingRules {
  /** 2: `exact` and `is_not` compare texts. Anything else: a boolean filter value compares truthiness. */
  readonly propertyMatchingVersion?: number | undefined
}

/** One operator with its filter value built in. */
export interface Operator {
  /** @param property Never undefined. */
  readonly test: (property: Json, context: OperatorContext) => Verdict
  /** The verdict for somebody who does not have the property, where all properties are known. */
  readonly absent: boolean
  /** Only presence counts: a property that is there with the value undefined is there. */
  readonly presenceOnly?: boolean | undefined
}

/** Builds an operator for a filter value, once per definition. A text says why that is not possible. */
export type OperatorFactory = (value: Json, rules: MatchingRules) => Operator | string

/** As the protocol's services print a value for comparison. */
export const textOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** The opposite of an operator: its verdict turned round, also for those without the property. */
export const negated =
  (factory: OperatorFactory): OperatorFactory =>
  (value, rules) => {
    const operator = factory(value, rules)
    if (typeof operator === 'string') return operator
    return {
      absent: !operator.absent,
      presenceOnly: operator.presenceOnly,
      test: (property, context) => {
        const verdict = operator.test(property, context)
        return verdict === undefined ? undefined : !verdict
      },
    }
  }
