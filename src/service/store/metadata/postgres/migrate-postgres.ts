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

/**
 * Migrates the tables in one transaction. Several nodes may start at once: Kysely holds an advisory lock meanwhile. Throws `StartError` when
 * the database cannot be used.
 */
export const migratePostgres = async (metadata: Kysely<Database>, source: PostgresSource): Promise<void> => {
  try {
    const { error, results } = await new Migrator({
      db: metadata,
      provider: { getMigrations: () => Promise.resolve({ ...migrations, ...ONLY_POSTGRES }) },
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
