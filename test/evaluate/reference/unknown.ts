/** Why a result is unknown. Of several reasons, the first in the order below is reported. */
export type UnknownReason = 'unsupported_definition' | 'unresolved_dependency' | 'missing_context'

/** A result that cannot be known here. */
export interface Unknown {
  readonly reason: UnknownReason
  /** It depends on a cohort that only the service has: nothing after it can be decided here. */
  readonly requiresServer?: boolean | undefined
  /** It depends on a regular expression that is not evaluated here. */
  readonly regex?: boolean | undefined
}

const order: readonly UnknownReason[] = ['unsupported_definition', 'unresolved_dependency', 'missing_context']

/** Combines two unknown results. */
export const combineUnknown = (a: Unknown | undefined, b: Unknown): Unknown => ({
  reason: a && order.indexOf(a.reason) < order.indexOf(b.reason) ? a.reason : b.reason,
  requiresServer: (a?.requiresServer ?? false) || (b.requiresServer ?? false),
  regex: (a?.regex ?? false) || (b.regex ?? false),
})

/** Thrown by rules and caught by `matches`: the definition or the property does not suit the operator. */
export class UnknownError extends Error {
  readonly unknown: Unknown
  constructor(unknown: Unknown) {
    super(unknown.reason)
    this.unknown = unknown
  }
}

/** The definition is not supported here. */
export const throwUnsupported = (more?: Partial<Unknown>): never => {
  throw new UnknownError({ reason: 'unsupported_definition', ...more })
}

/** The property cannot be compared with the filter value. */
export const throwMissingContext = (): never => {
  throw new UnknownError({ reason: 'missing_context' })
}
