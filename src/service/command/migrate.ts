import { Option } from 'commander'
import type { Command } from 'commander'
import { toPostgresSource } from '../choose-metadata.ts'
import type { DataFolder } from '../data-folder.ts'
import { lockDataFolder, openDataFolder, StartError } from '../data-folder.ts'
import { migrateToFile, migrateToPostgres } from '../migrate/migrate-metadata.ts'
import type { Migration } from '../migrate/migrate-metadata.ts'
import { readConfig } from '../read-config.ts'
import type { ConfigKey } from '../read-config.ts'
import { serve } from './serve.ts'
import type { PostgresSource } from '../store/metadata/postgres/postgres-source.ts'

/** The metadata are moved to PostgreSQL or back to their file, events to ClickHouse or back to their DuckDB files. */
const PLACES = ['postgres', 'file', 'clickhouse', 'duckdb'] as const

interface MigrateOptions {
  readonly to: (typeof PLACES)[number]
}

/** Adds `migrate`, which moves the metadata or the events of a data folder to a server, or back. */
export const addMigrateCommand = (program: Command, settings: readonly ConfigKey[]): void => {
  const command = program
    .command('migrate')
    .description('move metadata or events to a server, or back; stop the service first')
    .addOption(
      new Option(
        '--to <place>',
        'metadata: postgres, file; events: clickhouse, duckdb, where this command is the service and goes on after the move',
      )
        .choices(PLACES)
        .makeOptionMandatory(),
    )
    .action(async ({ to }: MigrateOptions, self: Command) => {
      if (to === 'clickhouse' || to === 'duckdb') {
        await serve(self.optsWithGlobals(), { moveEventsTo: to })
        return
      }
      const config = readConfig(process.env, self.optsWithGlobals())
      const postgres = toPostgresSource(config)
      if (postgres === null) throw new StartError('Name the database with --metadata postgres://…')
      const folder = openDataFolder(config.dataFolder, { mustExist: true })
      const releaseLock = lockDataFolder(folder)
      try {
        console.log(describe(await (to === 'file' ? toFile(folder, postgres) : toPostgres(folder, postgres))))
      } finally {
        releaseLock()
      }
    })
  for (const { flag, description } of settings) command.option(flag, description)
}

const toFile = async (folder: DataFolder, postgres: PostgresSource): Promise<readonly [Migration, string]> => [
  await migrateToFile(folder, postgres),
  'Start the service without --metadata. The database stays as it is.',
]

const toPostgres = async (folder: DataFolder, postgres: PostgresSource): Promise<readonly [Migration, string]> => {
  const aside = `${folder.metadata}.migrated-${new Date().toISOString().replaceAll(/[:.]/g, '')}`
  const migration = await migrateToPostgres(folder, postgres, aside)
  const kept = migration.kind === 'already' ? '' : ` The file is kept as ${aside}.`
  return [migration, `Start the service with --metadata.${kept}`]
}

const describe = ([migration, next]: readonly [Migration, string]): string => {
  if (migration.kind === 'copied') return `${migration.rows} rows were copied, read again and compared. ${next}`
  return migration.kind === 'already'
    ? `The metadata is there already; nothing was changed. ${next}`
    : `An interrupted migration had already copied all rows; it is finished now. ${next}`
}
