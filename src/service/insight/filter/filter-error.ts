/** Thrown for an invalid filter. The message names the path of the filter and what to change. */
export class FilterError extends Error {
  override readonly name: string = 'FilterError'
  /** Path of the wrong part in the input, such as `properties[0].value`. */
  readonly path: string

  /** @param rule Continues the path: "must be a string". */
  constructor(path: string, rule: string) {
    super(`${path} ${rule}`)
    this.path = path
  }
}

/** Thrown for a filter that the protocol has, but that cannot be applied to events here. */
export class UnsupportedFilterError extends FilterError {
  override readonly name: string = 'UnsupportedFilterError'
}
