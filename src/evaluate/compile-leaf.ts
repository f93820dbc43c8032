import type { JsonObject } from '../wire/json.ts'
import { compileDependency } from './compile-dependency.ts'
import { compileProperty } from './compile-property.ts'
import type { CompiledFilter } from './compiled-flag.ts'
import { readString, readStringOr } from './read-value.ts'
import { createUnsupportedFilter } from './scope.ts'
import type { FilterScope } from './scope.ts'

/**
 * Compiles a filter on a property or on another flag. A malformed filter throws `MalformedDefinitionError`. A well-formed
 * filter that this evaluator does not support becomes one that is always inconclusive, so that later condition groups are
 * still tried.
 */
export const compileLeaf = (filter: JsonObject, path: string, scope: FilterScope): CompiledFilter => {
  const type = readStringOr(filter['type'], 'person', `${path}.type`)
  const key = readString(filter['key'], `${path}.key`)
  if (type === 'flag') scope.findings.comparisons++
  if (type === 'flag') return compileDependency(filter, key, path, scope)
  if (type !== 'person' && type !== 'group')
    return createUnsupportedFilter(`${path}: filters of type "${type}" are not supported`, scope)
  scope.findings.keys.add(key)
  const operator = readStringOr(filter['operator'], 'exact', `${path}.operator`)
  return compileProperty(key, operator, filter['value'] ?? null, path, scope)
}
