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

/** A change that would take away what another definition needs. The message names that one. */
export class InUseError extends Error {
  override readonly name: string = 'InUseError'
}
