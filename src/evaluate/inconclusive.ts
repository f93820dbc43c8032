import type { Inconclusive, InconclusiveReason } from './evaluation.ts'

const STRENGTH: Readonly<Record<InconclusiveReason, number>> = {
  missing_context: 0,
  unresolved_dependency: 1,
  unsupported_definition: 2,
  experience_continuity: 3,
}

/** Frozen, because evaluations share it. */
export const createInconclusive = (
  reason: InconclusiveReason,
  detail: string,
  consequences: Pick<Inconclusive, 'requiresServer' | 'blocks'> = {},
): Inconclusive => Object.freeze({ value: undefined, reason, detail, ...consequences })

/** Combines two unknowns: the stronger reason (of equals the first) with the consequences of both. */
export const combineInconclusive = (first: Inconclusive | undefined, second: Inconclusive): Inconclusive => {
  if (first === undefined || first === second) return second
  const [stronger, weaker] = STRENGTH[second.reason] > STRENGTH[first.reason] ? [second, first] : [first, second]
  const requiresServer = stronger.requiresServer || weaker.requiresServer
  const blocks = stronger.blocks || weaker.blocks
  if (stronger.requiresServer === requiresServer && stronger.blocks === blocks) return stronger
  return createInconclusive(stronger.reason, stronger.detail, { requiresServer, blocks })
}
