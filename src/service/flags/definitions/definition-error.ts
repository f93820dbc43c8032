/** A flag or cohort that cannot be stored or evaluated. The message names the field and the rule. */
export class DefinitionError extends Error {
  override readonly name: string = 'DefinitionError'
  /** Path of the field, such as `filters.groups[0].rollout_percentage`; null for the definition as a whole. */
  readonly attr: string | null

  /** @param rule Continues the name of the field: "must be a string". */
  constructor(attr: string | null, rule: string) {
    super(attr === null ? rule : `${attr} ${rule}`)
    this.attr = attr
  }
}

/**
 * Turns a problem that the engine reports into an error. Problems may begin with the path of a field.
 *
 * @param cohort Path in the definition of what the engine was given as cohort 0.
 */
export const createEvaluationError = (problem: string, cohort = 'cohorts.0'): DefinitionError => {
  const [, path, reason] = /^(filters[^\s:]*|cohorts\.0[^\s:]*):? (.*)$/s.exec(problem) ?? []
  return path === undefined
    ? new DefinitionError('filters', `cannot be evaluated: ${problem}`)
    : new DefinitionError(path.replace(/^cohorts\.0/, cohort), `cannot be evaluated: ${reason}`)
}

/** A change that would remove something that another definition needs. The message names that definition. */
export class InUseError extends Error {
  override readonly name: string = 'InUseError'
}
