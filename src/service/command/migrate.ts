import { Option } from 'commander'
import type { Command } from 'commander'
import { toPostgresSource } from '../choose-metadata.ts'
import type { DataFolder } from '../data-folder.ts'
import { lockDataFolder, openDataFolder, StartError } from '../data-folder.ts'
import { migrateToFile, migrateToPostgres } from '../migrate/migrate-metadata.ts'
import type { Migration } from '../migrate/migrate-metadata.ts'
import { readConfig } from '../read-config.ts'
import type { PostgresSource } from '../store/metadata/postgres/postgres-source.ts'

/** Adds `migrate`, which moves the metadata of a data folder to PostgreSQL, or back. */
export const addMigrateCommand = (program: Command): void => {
  program
    .command('migrate')
    .description('move the metadata to the PostgreSQL database of --metadata, or back; stop the service first')
    .addOption(new Option('--to <place>').choices(['postgres', 'file']).makeOptionMandatory())
    .action(async ({ to }: { readonly to: 'postgres' | 'file' }, command: Command) => {
      const config = readConfig(process.env, command.optsWithGlobals())
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
