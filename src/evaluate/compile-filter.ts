import { isRecord } from '../wire/json.ts'
import type { Json } from '../wire/json.ts'
import { compileCohortFilter } from './compile-cohort-filter.ts'
import { compileLeaf } from './compile-leaf.ts'
import type { CompiledFilter } from './compiled-flag.ts'
import { MalformedDefinitionError } from './malformed-definition-error.ts'
import type { FilterScope } from './scope.ts'

/** Compiles one filter of a condition group. Throws `MalformedDefinitionError`. */
export const compileFilter = (input: Json, path: string, scope: FilterScope): CompiledFilter => {
  if (!isRecord(input)) throw new MalformedDefinitionError(path, 'must be an object')
  return input['type'] === 'cohort' ? compileCohortFilter(input, path, scope).filter : compileLeaf(input, path, scope)
}
