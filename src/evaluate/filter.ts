import type { Filter } from './compiled-flag.ts'
import type { Inconclusive } from './evaluation.ts'
import { combined } from './inconclusive.ts'

export const always: Filter = () => true

/** AND: one that fails decides, whatever is unknown about the others. */
export const every = (filters: readonly Filter[]): Filter => {
  if (filters.length < 2) return filters[0] ?? always
  return (properties, run) => {
    let unknown: Inconclusive | undefined
    for (let at = 0; at < filters.length; at++) {
      const outcome = filters[at]!(properties, run)
      if (outcome === false) return false
      if (outcome !== true) unknown = combined(unknown, outcome)
    }
    return unknown ?? true
  }
}

/** OR: one that holds decides; of none, none does. */
export const some =
  (filters: readonly Filter[]): Filter =>
  (properties, run) => {
    let unknown: Inconclusive | undefined
    for (let at = 0; at < filters.length; at++) {
      const outcome = filters[at]!(properties, run)
      if (outcome === true) return true
      if (outcome !== false) unknown = combined(unknown, outcome)
    }
    return unknown ?? false
  }

/** Turns a result round; what is unknown stays so. */
export const not =
  (filter: Filter): Filter =>
  (properties, run) => {
    const outcome = filter(properties, run)
    return typeof outcome === 'boolean' ? !outcome : outcome
  }
