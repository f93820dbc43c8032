import type { PgClient } from './pg-package.ts'

/**
 * Claims a node id for as long as a connection lasts, with a lock that the server releases at its end. Resolves to false while another
 * connection has it: of this node before it was restarted, or of a copy of its data folder.
 */
export const tryClaimNode = async (client: PgClient, nodeId: string): Promise<boolean> => {
  const { rows } = await client.query(
    `select pg_try_advisory_lock(hashtextextended('waymark node ${nodeId}', 0)) as is_claimed`,
  )
  return rows[0]?.['is_claimed'] === true
}

/** The server notices within 25 seconds that the machine of a connection is gone (https://www.postgresql.org/docs/current/runtime-config-connection.html). */
export const NOTICE_LOST_CLIENT =
  'set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3'
