import { StoreServerError } from '../store-server-error.ts'
import type { ClickHouseConnection } from './connect.ts'
import { encodeRow } from './event-rows.ts'
import { readRows } from './read-rows.ts'
import { runCommand } from './run-command.ts'
import { createOwnerTable } from './schema.ts'
import { writeBlock } from './write-block.ts'

/**
 * Claims the database for a project of the metadata. Rejects with `StoreServerError` when it belongs to another project: of another
 * installation, whose events and persons would be mixed with these.
 *
 * @param owner The uuid of the project.
 */
export const claimDatabase = async (connection: ClickHouseConnection, owner: string): Promise<void> => {
  const { administrator } = connection
  await runCommand(administrator, createOwnerTable(connection))
  if ((await readOwners(connection)).length === 0)
    await writeBlock(administrator, {
      table: 'owner',
      columns: ['project_uuid'],
      rows: Buffer.from(encodeRow([owner])),
    })
  requireOwner(connection, owner, await readOwners(connection))
}

/** The uuids of the projects that have claimed a database. */
export const readOwners = async ({ administrator }: ClickHouseConnection): Promise<readonly string[]> =>
  (await readRows<[string]>(administrator, 'SELECT DISTINCT project_uuid FROM owner')).flat()

/** Throws `StoreServerError` when another project has claimed a database. */
export const requireOwner = (
  { database }: Pick<ClickHouseConnection, 'database'>,
  owner: string,
  owners: readonly string[],
): void => {
  if (owners.some((each) => each !== owner))
    throw new StoreServerError(
      `The database ${database} in ClickHouse belongs to a project of other metadata. Choose another prefix in the URL of --events, or ` +
        'restore the metadata that it belongs to.',
    )
}
