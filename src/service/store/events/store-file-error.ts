/** Thrown when a file of a project's store cannot be used. `cause` is the error of the engine. */
export class StoreFileError extends Error {
  override readonly name: string = 'StoreFileError'
  readonly file: string

  constructor(file: string, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.file = file
  }
}
