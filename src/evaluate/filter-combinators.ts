import type { CompiledFilter } from './compiled-flag.ts'
import type { Inconclusive } from './evaluation.ts'
import { combineInconclusive } from './inconclusive.ts'

export const always: CompiledFilter = () => true

/** AND: one filter that fails decides, even when others are unknown. */
export const every = (filters: readonly CompiledFilter[]): CompiledFilter => {
  if (filters.length < 2) return filters[0] ?? always
  return (properties, state) => {
    let unknown: Inconclusive | undefined
    for (let index = 0; index < filters.length; index++) {
      const result = filters[index]!(properties, state)
      if (result === false) return false
      if (result !== true) unknown = combineInconclusive(unknown, result)
    }
    return unknown ?? true
  }
}

/** OR: one filter that matches decides. An empty list never matches. */
export const some =
  (filters: readonly CompiledFilter[]): CompiledFilter =>
  (properties, state) => {
    let unknown: Inconclusive | undefined
    for (let index = 0; index < filters.length; index++) {
      const result = filters[index]!(properties, state)
      if (result === true) return true
      if (result !== false) unknown = combineInconclusive(unknown, result)
    }
    return unknown ?? false
  }

/** Negates a result; an unknown result stays unknown. */
export const not =
  (filter: CompiledFilter): CompiledFilter =>
  (properties, state) => {
    const result = filter(properties, state)
    return typeof result === 'boolean' ? !result : result
  }
