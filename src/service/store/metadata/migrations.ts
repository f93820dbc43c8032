import type { Migration } from 'kysely'
import * as projectsAndKeys from './migration/001-projects-and-keys.ts'

/** Every migration by its name, run in the order of the names. A released one is never changed. */
export const migrations: Record<string, Migration> = {
  '001-projects-and-keys': projectsAndKeys,
}
