import { sql, Migrator } from 'kysely'
import type { Kysely, Migration } from 'kysely'
import { StartError } from '../../../data-folder.ts'
import { migrations } from '../migrations.ts'
import type { Database } from '../schema.ts'
import { up as notifyChanges } from './notify-changes.ts'
import { describePostgres } from './postgres-source.ts'
import type { PostgresSource } from './postgres-source.ts'

/** Migrations that SQLite does not have. Their names keep their place among the others. */
const ONLY_POSTGRES: Record<string, Migration> = { '017-notify-changes': { up: notifyChanges } }

const NOTHING: Migration = { up: () => Promise.resolve() }

/**
 * A migration with this in its name changes tables so that earlier versions cannot work with them. All others only add what earlier versions
 * leave alone.
 */
const BREAKING = '-breaking-'

/**
 * The migrations that a newer version has run. While nodes are upgraded one after the other, one of this version may start again. It ignores
 * them, unless it cannot work with the tables. Those that do not come after all of its own are left to Kysely, which refuses them.
 */
const readNewerMigrations = async (metadata: Kysely<Database>, own: readonly string[]): Promise<readonly string[]> => {
  const last = own.toSorted().at(-1)!
  const { rows } = await sql<{ name: string }>`select name from kysely_migration where name > ${last}`.execute(metadata)
  const newer = rows.map(({ name }) => name).filter((name) => !own.includes(name))
  const breaking = newer.find((name) => name.includes(BREAKING))
  if (breaking !== undefined)
    throw new Error(
      `a newer version has changed them (${breaking}), and this version cannot work with them; start the newer version`,
    )
  return newer
}

/**
 * Migrates the tables in one transaction. Several nodes may start at once: Kysely holds an advisory lock meanwhile. Throws `StartError` when
 * the database cannot be used.
 */
export const migratePostgres = async (metadata: Kysely<Database>, source: PostgresSource): Promise<void> => {
  try {
    const { error, results } = await new Migrator({
      db: metadata,
      provider: {
        // Called while the lock is held, when the table of migrations exists.
        async getMigrations() {
          const own = { ...migrations, ...ONLY_POSTGRES }
          const newer = await readNewerMigrations(metadata, Object.keys(own))
          return { ...own, ...Object.fromEntries(newer.map((name) => [name, NOTHING])) }
        },
      },
    }).migrateToLatest()
    if (error !== undefined) throw error
    // The first user has the id 1 from a migration, which the sequence of ids does not know. Does nothing when repeated.
    if (results?.some(({ migrationName }) => migrationName.startsWith('011'))) await alignUserIds(metadata)
  } catch (error) {
    if (error instanceof StartError) throw error
    throw new StartError(
      `The metadata in ${describePostgres(source)} cannot be used: ${error instanceof Error ? error.message : String(error)}. ` +
        'Nothing is lost. Check --metadata and the server, then start again.',
      { cause: error },
    )
  }
}

const alignUserIds = (metadata: Kysely<Database>) =>
  sql`select setval(pg_get_serial_sequence('users', 'id'), (select max(id) from users))`.execute(metadata)
