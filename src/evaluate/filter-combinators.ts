import type { CompiledFilter } from './compiled-flag.ts'
import type { Inconclusive } from './evaluation.ts'
import { combineInconclusive } from './inconclusive.ts'

/** Matches everyone. */
export const always: CompiledFilter = () => true

/** AND: one filter that does not match decides, even when other filters are unknown. */
export const every = (filters: readonly CompiledFilter[]): CompiledFilter => {
  if (filters.length < 2) return filters[0] ?? always
  return (properties, state) => {
    let unknownResult: Inconclusive | undefined
    for (let index = 0; index < filters.length; index++) {
      const result = filters[index]!(properties, state)
      if (result === false) return false
      if (result !== true) unknownResult = combineInconclusive(unknownResult, result)
    }
    return unknownResult ?? true
  }
}

/** OR: one filter that matches decides, even when other filters are unknown. An empty list never matches. */
export const some =
  (filters: readonly CompiledFilter[]): CompiledFilter =>
  (properties, state) => {
    let unknownResult: Inconclusive | undefined
    for (let index = 0; index < filters.length; index++) {
      const result = filters[index]!(properties, state)
      if (result === true) return true
      if (result !== false) unknownResult = combineInconclusive(unknownResult, result)
    }
    return unknownResult ?? false
  }

/** Negates a result; an unknown result stays unknown. */
export const not =
  (filter: CompiledFilter): CompiledFilter =>
  (properties, state) => {
    const result = filter(properties, state)
    return typeof result === 'boolean' ? !result : result
  }
