import type { Metadata } from './open.ts'

/** Runs a change in the caller's transaction if there is one, and else in one of its own. */
export const inTransaction = <Result>(
  metadata: Metadata,
  change: (transaction: Metadata) => Promise<Result>,
): Promise<Result> => (metadata.isTransaction ? change(metadata) : metadata.transaction().execute(change))
