/** A flag or cohort that cannot be stored, or could not be evaluated. The message names the place and the rule. */
export class DefinitionError extends Error {
  override readonly name: string = 'DefinitionError'
  /** Where in the definition, such as `filters.groups[0].rollout_percentage`; null for the whole of it. */
  readonly attr: string | null

  /** @param rule What the place must be, to be read after its name: "must be a text". */
  constructor(attr: string | null, rule: string) {
    super(attr === null ? rule : `${attr} ${rule}`)
    this.attr = attr
  }
}

/**
 * What the engine cannot evaluate, as an error. Its problems name a place of their own, in front.
 *
 * @param cohort Where the definition keeps what the engine knows as the cohort 0.
 */
export const evaluationError = (problem: string, cohort = 'cohorts.0'): DefinitionError => {
  const [, place, reason] = /^(filters[^\s:]*|cohorts\.0[^\s:]*):? (.*)$/s.exec(problem) ?? []
  return place === undefined
    ? new DefinitionError('filters', `cannot be evaluated: ${problem}`)
    : new DefinitionError(place.replace(/^cohorts\.0/, cohort), `cannot be evaluated: ${reason}`)
}

/** A change that would take away what another definition needs. The message names that one. */
export class InUseError extends Error {
  override readonly name: string = 'InUseError'
}
