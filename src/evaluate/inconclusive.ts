import type { Inconclusive, InconclusiveReason } from './evaluation.ts'

const STRENGTH: Readonly<Record<InconclusiveReason, number>> = {
  missing_context: 0,
  unresolved_dependency: 1,
  unsupported_definition: 2,
  experience_continuity: 3,
}

/** Frozen, since evaluations share it. */
export const inconclusive = (
  reason: InconclusiveReason,
  detail: string,
  more: Pick<Inconclusive, 'requiresServer' | 'blocks'> = {},
): Inconclusive => Object.freeze({ value: undefined, reason, detail, ...more })

/** Two things unknown at once: the stronger reason tells why (of equals the first), the consequences of both hold. */
export const combined = (one: Inconclusive | undefined, other: Inconclusive): Inconclusive => {
  if (one === undefined || one === other) return other
  const [told, untold] = STRENGTH[other.reason] > STRENGTH[one.reason] ? [other, one] : [one, other]
  const requiresServer = told.requiresServer || untold.requiresServer
  const blocks = told.blocks || untold.blocks
  if (told.requiresServer === requiresServer && told.blocks === blocks) return told
  return inconclusive(told.reason, told.detail, { requiresServer, blocks })
}
