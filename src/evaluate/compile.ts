import type { FlagDefinition } from '../wire/definition.ts'
import { type CompiledFlag, compileFlag, type CompileOptions } from './compile-flag.ts'

/** Definitions ready to run, by key, in the order given. Deleted flags are left out; of two with one key the last holds. */
export type CompiledSet = ReadonlyMap<string, CompiledFlag>

export const compile = (definitions: readonly FlagDefinition[], options: CompileOptions = {}): CompiledSet =>
  new Map(
    definitions
      .filter((definition) => !definition.deleted)
      .map((definition) => [definition.key, compileFlag(definition, options)]),
  )
