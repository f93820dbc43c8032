import type { CohortDefinition, FlagDefinition } from '../../../wire/definition.ts'
import type { Reference } from './references.ts'

/** Key of a flag that is compiled with placeholders. Real keys cannot contain a control character. */
export const CHECKED_FLAG_KEY = '\0'

/** Minimal definitions of what a definition refers to, for compiling it alone: inactive flags and cohorts without conditions. */
export interface Placeholders {
  readonly flags: readonly FlagDefinition[]
  readonly cohorts: Readonly<Record<string, CohortDefinition>>
}

export const createPlaceholders = (references: readonly Reference[]): Placeholders => {
  const namesOf = (requestedKind: Reference['kind']): string[] =>
    references.flatMap(({ kind, name }) => (kind === requestedKind ? [name] : []))
  return {
    flags: namesOf('flag').map((key) => ({ id: 0, key, active: false, filters: { groups: [] } })),
    cohorts: Object.fromEntries(namesOf('cohort').map((id) => [id, {}])),
  }
}
