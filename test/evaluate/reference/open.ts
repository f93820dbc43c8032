/** Why a question stays open; the first of the order below is told. */
export type Why = 'unsupported_definition' | 'unresolved_dependency' | 'missing_context'

/** A question that cannot be answered here. */
export interface Open {
  readonly why: Why
  /** Asked of a cohort that only the service has: nothing after it can be decided here. */
  readonly requiresServer?: boolean | undefined
  /** A regular expression that is not run here. */
  readonly regex?: boolean | undefined
}

const order: readonly Why[] = ['unsupported_definition', 'unresolved_dependency', 'missing_context']

/** Two open questions as one. */
export const worse = (a: Open | undefined, b: Open): Open => ({
  why: a && order.indexOf(a.why) < order.indexOf(b.why) ? a.why : b.why,
  requiresServer: (a?.requiresServer ?? false) || (b.requiresServer ?? false),
  regex: (a?.regex ?? false) || (b.regex ?? false),
})

/** Thrown by what reads values and caught by `matches`: the definition, or the property, is not what the operator needs. */
export class Unreadable extends Error {
  readonly open: Open
  constructor(open: Open) {
    super(open.why)
    this.open = open
  }
}

/** The definition is not what can be run here. */
export const unsupported = (more?: Partial<Open>): never => {
  throw new Unreadable({ why: 'unsupported_definition', ...more })
}

/** The property is not what the definition can be compared with. */
export const unsuited = (): never => {
  throw new Unreadable({ why: 'missing_context' })
}
