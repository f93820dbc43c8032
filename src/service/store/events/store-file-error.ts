/** A file of a project's store that cannot be used. `cause` is what the engine said. */
export class StoreFileError extends Error {
  override readonly name: string = 'StoreFileError'
  readonly file: string

  constructor(file: string, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.file = file
  }
}
