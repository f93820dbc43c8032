import { sql } from 'kysely'
import type { Metadata } from '../open.ts'

/** The lock of a project's persons has this number and that of the project. */
const PERSON_LOCK = 7_723_462

/**
 * Runs a transaction that no other of the same project runs beside, on any node: it sees what those before it have committed. It takes one
 * lock instead of one for each person, so that transactions neither wait for each other in a circle nor exceed the locks of the server.
 */
export const withPersonLock = <Result>(
  metadata: Metadata,
  projectId: number,
  run: (transaction: Metadata) => Promise<Result>,
): Promise<Result> =>
  metadata
    .transaction()
    .setIsolationLevel('read committed')
    .execute(async (transaction) => {
      await sql`select pg_advisory_xact_lock(${PERSON_LOCK}, ${projectId})`.execute(transaction)
      return run(transaction)
    })
