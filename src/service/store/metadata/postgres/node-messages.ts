import { sql } from 'kysely'
import type { Metadata } from '../open.ts'

/** The channel of `LISTEN` on which nodes send each other texts. */
export const MESSAGES_CHANNEL = 'waymark_messages'

/** Longest text: PostgreSQL takes less than 8,000 bytes (https://www.postgresql.org/docs/current/sql-notify.html). */
export const MAX_MESSAGE_BYTES = 7_900

/** Sends a text to all nodes that listen, this one too. */
export const sendMessage = async (metadata: Metadata, text: string): Promise<void> => {
  await sql`select pg_notify(${MESSAGES_CHANNEL}, ${text})`.execute(metadata)
}
