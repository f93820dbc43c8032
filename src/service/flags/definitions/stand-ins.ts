import type { CohortDefinition, FlagDefinition } from '../../../wire/definition.ts'
import type { Reference } from './references.ts'

/** The key of a flag that is compiled beside stand-ins: none has a control character in its own. */
export const PROBE = '\0'

/** Definitions of what a definition looks at, for compiling it by itself: flags that are off, cohorts of everybody. */
export interface StandIns {
  readonly flags: readonly FlagDefinition[]
  readonly cohorts: Readonly<Record<string, CohortDefinition>>
}

export const standIns = (references: readonly Reference[]): StandIns => {
  const namesOf = (wanted: Reference['kind']): string[] =>
    references.flatMap(({ kind, name }) => (kind === wanted ? [name] : []))
  return {
    flags: namesOf('flag').map((key) => ({ id: 0, key, active: false, filters: { groups: [] } })),
    cohorts: Object.fromEntries(namesOf('cohort').map((id) => [id, {}])),
  }
}
