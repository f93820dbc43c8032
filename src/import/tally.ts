import type { Reject, RejectReason } from './reject.ts'

/** Rejected rows by reason. */
export type Tally = Readonly<Partial<Record<RejectReason, number>>>

/** The tally with these rejects in it. */
export const counted = (tally: Tally, rejects: readonly Reject[]): Tally => {
  const next: Partial<Record<RejectReason, number>> = { ...tally }
  for (const { reason } of rejects) next[reason] = (next[reason] ?? 0) + 1
  return next
}

/** All of them together. */
export const total = (tally: Tally): number => Object.values(tally).reduce((sum, count) => sum + count, 0)
