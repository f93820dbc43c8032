import type { Inconclusive, InconclusiveReason } from './evaluation.ts'

/** When reasons are combined, the one with the higher number is kept. */
const STRENGTH: Readonly<Record<InconclusiveReason, number>> = {
  missing_context: 0,
  unresolved_dependency: 1,
  unsupported_definition: 2,
  experience_continuity: 3,
}

/** Creates a result without a value. It is frozen, because evaluations share it. */
export const createInconclusive = (
  reason: InconclusiveReason,
  detail: string,
  consequences: Pick<Inconclusive, 'requiresServer' | 'blocks'> = {},
): Inconclusive => Object.freeze({ value: undefined, reason, detail, ...consequences })

/** The flags of a request have more conditions, or longer values and ids, than may be compared for it (`shareWork`). */
export const WORK_EXCEEDED: Inconclusive = createInconclusive(
  'missing_context',
  'the flags of this request reach the work limit; send shorter values, or ask for fewer flags',
  // No later condition is tried.
  { requiresServer: true },
)

/** Combines two inconclusive results: the stronger reason (the first of equally strong ones) with the consequences of both. */
export const combineInconclusive = (first: Inconclusive | undefined, second: Inconclusive): Inconclusive => {
  if (first === undefined || first === second) return second
  const [stronger, weaker] = STRENGTH[second.reason] > STRENGTH[first.reason] ? [second, first] : [first, second]
  const requiresServer = stronger.requiresServer || weaker.requiresServer
  const blocks = stronger.blocks || weaker.blocks
  if (stronger.requiresServer === requiresServer && stronger.blocks === blocks) return stronger
  return createInconclusive(stronger.reason, stronger.detail, { requiresServer, blocks })
}
