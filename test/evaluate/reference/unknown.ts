/** Why a result is unknown. Of several reasons, the first in the order of `REASONS` is reported. */
export type UnknownReason = 'unsupported_definition' | 'unresolved_dependency' | 'missing_context'

/** A filter result that is unknown without the service. */
export interface Unknown {
  readonly reason: UnknownReason
  /** The result depends on a static cohort, which only the service has. Later conditions are not evaluated either. */
  readonly requiresServer?: boolean | undefined
  /** The result depends on a regular expression that is not evaluated here. It blocks later conditions with another value. */
  readonly blocks?: boolean | undefined
}

/** The strongest reason first. */
const REASONS: readonly UnknownReason[] = ['unsupported_definition', 'unresolved_dependency', 'missing_context']

/** Combines two unknown results: the stronger reason, and the consequences of both. */
export const combineUnknown = (first: Unknown | undefined, second: Unknown): Unknown => ({
  reason: first && REASONS.indexOf(first.reason) < REASONS.indexOf(second.reason) ? first.reason : second.reason,
  requiresServer: (first?.requiresServer ?? false) || (second.requiresServer ?? false),
  blocks: (first?.blocks ?? false) || (second.blocks ?? false),
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
export const throwUnsupported = (fields?: Partial<Unknown>): never => {
  throw new UnknownError({ reason: 'unsupported_definition', ...fields })
}

/** The property cannot be compared with the filter value. */
export const throwMissingContext = (): never => {
  throw new UnknownError({ reason: 'missing_context' })
}
