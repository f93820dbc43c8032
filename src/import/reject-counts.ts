import type { Reject, RejectReason } from './reject.ts'

/** Number of rejected rows by reason. */
export type RejectCounts = Readonly<Partial<Record<RejectReason, number>>>

/** Returns the counts with these rejects added. */
export const addRejects = (counts: RejectCounts, rejects: readonly Reject[]): RejectCounts => {
  const newCounts: Partial<Record<RejectReason, number>> = { ...counts }
  for (const { reason } of rejects) newCounts[reason] = (newCounts[reason] ?? 0) + 1
  return newCounts
}

/** Returns the number of rejects of all reasons. */
export const totalRejects = (counts: RejectCounts): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0)
