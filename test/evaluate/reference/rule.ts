import type { Json } from '../../../src/wire/json.ts'
import type { Deviations } from './deviation.ts'

/** What a rule may know beside the filter and the property. */
export interface Knowledge {
  /** True for the service. */
  readonly complete: boolean
  /** Milliseconds since 1970. */
  readonly now: number
  /** `property_matching_version` of the definitions. */
  readonly version: number | undefined
  readonly deviations: Deviations
}

/** Of a property that is there. Throws `Unreadable`. */
export type Test = (given: Json) => boolean

/** Reads the value of a filter and gives the test of a property. Throws `Unreadable`. */
export type Rule = (wanted: Json, knowledge: Knowledge) => Test

/** The opposite; what is open stays so. */
export const negated =
  (rule: Rule): Rule =>
  (wanted, knowledge) => {
    const test = rule(wanted, knowledge)
    return (given) => !test(given)
  }

/** JSON with the keys of objects in order, but text as it is. */
export const printed = (value: Json): string => {
  if (typeof value === 'string') return value
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}

const byString: (value: unknown) => string = String

/** A value as text. */
export const textOf = (value: Json, { deviations }: Knowledge): string =>
  typeof value === 'object' && value !== null && deviations.has('String() prints lists and objects')
    ? byString(value)
    : printed(value)
