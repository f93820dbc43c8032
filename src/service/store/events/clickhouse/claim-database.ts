import { StoreServerError } from '../store-server-error.ts'
import type { ClickHouseConnection } from './connect.ts'
import { encodeRow } from './event-rows.ts'
import { readRows } from './read-rows.ts'
import { runCommand } from './run-command.ts'
import { writeBlock } from './write-block.ts'

/**
 * Claims the database for a project of the metadata. Rejects with `StoreServerError` when it belongs to another project: of another
 * installation, whose events and persons would be mixed with these.
 *
 * @param owner The uuid of the project.
 */
export const claimDatabase = async (connection: ClickHouseConnection, owner: string): Promise<void> => {
  const { administrator, database } = connection
  const readOwners = async (): Promise<readonly string[]> =>
    (await readRows<[string]>(administrator, 'SELECT DISTINCT project_uuid FROM owner')).flat()
  await runCommand(
    administrator,
    'CREATE TABLE IF NOT EXISTS owner (project_uuid String) ENGINE = ReplacingMergeTree ORDER BY project_uuid',
  )
  if ((await readOwners()).length === 0)
    await writeBlock(administrator, {
      table: 'owner',
      columns: ['project_uuid'],
      rows: Buffer.from(encodeRow([owner])),
    })
  if ((await readOwners()).some((each) => each !== owner))
    throw new StoreServerError(
      `The database ${database} in ClickHouse belongs to a project of other metadata. Choose another prefix in the URL of --events, or ` +
        'restore the metadata that it belongs to.',
    )
}
