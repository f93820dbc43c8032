import type { Migration } from 'kysely'
import * as projectsAndKeys from './migration/001-projects-and-keys.ts'
import * as persons from './migration/002-persons.ts'
import * as flags from './migration/003-flags.ts'

/** Every migration by its name, run in the order of the names. A released one is never changed. */
export const migrations: Record<string, Migration> = {
  '001-projects-and-keys': projectsAndKeys,
  '002-persons': persons,
  '003-flags': flags,
}
