import type { Json, JsonObject } from '../wire/json.ts'
import { compileDependency } from './compile-dependency.ts'
import { compileProperty } from './compile-property.ts'
import type { Filter } from './compiled-flag.ts'
import { isAbsent, textAt } from './malformed.ts'
import { unsupported } from './scope.ts'
import type { Site } from './scope.ts'

/** The text, `otherwise` where there is none. Throws `Malformed`. */
export const textOr = (value: Json | undefined, otherwise: string, place: string): string =>
  isAbsent(value) ? otherwise : textAt(value, place)

/**
 * Compiles a filter on a property or on another flag. What has the wrong shape throws `Malformed`; what has the right one,
 * but cannot be run here, becomes a filter that never knows, so that the next condition group is tried.
 */
export const compileLeaf = (filter: JsonObject, place: string, site: Site): Filter => {
  const type = textOr(filter['type'], 'person', `${place}.type`)
  const key = textAt(filter['key'], `${place}.key`)
  if (type === 'flag') return compileDependency(filter, key, place, site)
  if (type !== 'person' && type !== 'group')
    return unsupported(`${place}: filters of type "${type}" are not supported`, site)
  site.findings.keys.add(key)
  const operator = textOr(filter['operator'], 'exact', `${place}.operator`)
  return compileProperty(key, operator, filter['value'] ?? null, place, site)
}
