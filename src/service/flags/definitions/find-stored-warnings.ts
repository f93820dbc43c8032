import type { FlagDefinitions } from '../../../wire/definition.ts'
import type { JsonObject } from '../../../wire/json.ts'
import { findMisspelled } from '../../fields/find-misspelled.ts'
import { COHORT_TREE_SHAPE } from './condition-shape.ts'
import { FLAG_SHAPE } from './flag-shape.ts'

/** Definitions that the warnings of a project name. */
const MAX_NAMED = 10

/**
 * Finds stored flags and cohorts with a field that is probably meant to be another one: earlier versions took them, and `flag set` does. It
 * yields after each definition, so that callers can yield to the event loop in between.
 *
 * @returns A warning for each, at most 10.
 */
export const findStoredWarnings = function* ({
  flags,
  cohorts,
}: FlagDefinitions): Generator<undefined, readonly string[]> {
  const warnings: string[] = []
  const definitions = [
    ...flags.map((flag) => [`Flag "${flag.key}"`, flag as unknown as JsonObject, FLAG_SHAPE, ''] as const),
    ...Object.entries(cohorts ?? {}).map(
      ([id, cohort]) => [`Cohort ${id}`, cohort as JsonObject, COHORT_TREE_SHAPE, 'filters.properties'] as const,
    ),
  ]
  for (const [name, definition, shape, path] of definitions) {
    if (warnings.length === MAX_NAMED) break
    const found = findMisspelled(definition, path, shape)
    if (found) warnings.push(`${name}: "${found.path}" is not a field and has no effect; use "${found.meant}".`)
    yield
  }
  return warnings
}
