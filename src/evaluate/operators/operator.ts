import type { Json } from '../../wire/json.ts'

/** Whether a filter holds; undefined when that cannot be known here. */
export type Verdict = boolean | undefined

/** What a definition says beside its filters. */
export interface MatchingRules {
  /** 2: `exact` and `is_not` compare texts. Anything else: a boolean filter value compares truthiness. */
  readonly propertyMatchingVersion?: number | undefined
}

/** What an operator may ask beside the property. */
export interface OperatorContext {
  /** True for the service: nothing is inconclusive there but a search that is not supported. */
  readonly complete: boolean
  /** Milliseconds since 1970; relative dates count from it. */
  readonly now: number
}

/** One operator with its filter value built in. */
export interface Operator {
  /** @param property Never undefined. */
  readonly test: (property: Json, context: OperatorContext) => Verdict
  /** The verdict for somebody who does not have the property, where all properties are known. */
  readonly absent: boolean
  /** Only presence counts: a property that is there with the value undefined is there. */
  readonly presenceOnly?: boolean | undefined
  /** No verdict away from the service, whatever the property. */
  readonly serviceOnly?: boolean | undefined
  /** How large its pattern is (see `compilePattern`): what one flag may have of it is bounded. */
  readonly cells?: number | undefined
  /** Why no property can pass with this filter value: to be told to whoever writes the definition. */
  readonly problem?: string | undefined
}

/** Builds an operator for a filter value, once per definition. A text says why that is not possible. */
export type OperatorFactory = (value: Json, rules: MatchingRules) => Operator | string

/** The keys of objects in order, as the protocol's services print them. */
const inOrder = (_key: string, value: Json): Json =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
    : value

/**
 * As the protocol's services print a value for comparison: texts as they are, everything else as JSON, objects with their
 * keys in order. Undefined for what JSON cannot carry, such as an object that contains itself.
 */
export const textOf = (value: Json): string | undefined => {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'null'
  if (typeof value !== 'object' || value === null) return String(value)
  try {
    // What JSON makes of it first: a date becomes its text, as on the wire.
    const sent: Json = JSON.parse(JSON.stringify(value))
    return typeof sent === 'string' ? sent : JSON.stringify(sent, inOrder)
  } catch {
    return undefined
  }
}

const changed =
  (factory: OperatorFactory, change: (operator: Operator) => Operator): OperatorFactory =>
  (value, rules) => {
    const operator = factory(value, rules)
    return typeof operator === 'string' ? operator : change(operator)
  }

/** The opposite of an operator: its verdict turned round, also for those without the property. */
export const negated = (factory: OperatorFactory): OperatorFactory =>
  changed(factory, (operator) => ({
    ...operator,
    absent: !operator.absent,
    test: (property, context) => {
      const verdict = operator.test(property, context)
      return verdict === undefined ? undefined : !verdict
    },
  }))

/** An operator that only the service answers: no client of the protocol knows it, so that each leaves it to the service. */
export const serviceOnly = (factory: OperatorFactory): OperatorFactory =>
  changed(factory, (operator) => ({
    ...operator,
    serviceOnly: true,
    test: (property, context) => (context.complete ? operator.test(property, context) : undefined),
  }))
