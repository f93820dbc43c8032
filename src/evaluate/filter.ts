import type { JsonObject } from '../wire/json.ts'
import type { EvaluationContext, Inconclusive } from './evaluation.ts'
import { combined } from './inconclusive.ts'

/** Whether a condition holds, or why that cannot be known here. */
export type Outcome = boolean | Inconclusive

/** One compiled condition: about these properties, of the person or group that a condition group looks at. */
export type Filter = (properties: JsonObject, context: EvaluationContext) => Outcome

export const always: Filter = () => true

/** AND: one that fails decides, whatever is unknown about the others. */
export const every = (filters: readonly Filter[]): Filter => {
  if (filters.length < 2) return filters[0] ?? always
  return (properties, context) => {
    let unknown: Inconclusive | undefined
    for (let at = 0; at < filters.length; at++) {
      const outcome = filters[at]!(properties, context)
      if (outcome === false) return false
      if (outcome !== true) unknown = combined(unknown, outcome)
    }
    return unknown ?? true
  }
}

/** OR: one that holds decides; of none, none does. */
export const some =
  (filters: readonly Filter[]): Filter =>
  (properties, context) => {
    let unknown: Inconclusive | undefined
    for (let at = 0; at < filters.length; at++) {
      const outcome = filters[at]!(properties, context)
      if (outcome === true) return true
      if (outcome !== false) unknown = combined(unknown, outcome)
    }
    return unknown ?? false
  }

/** Turns a result round; what is unknown stays so. */
export const not =
  (filter: Filter): Filter =>
  (properties, context) => {
    const outcome = filter(properties, context)
    return typeof outcome === 'boolean' ? !outcome : outcome
  }
