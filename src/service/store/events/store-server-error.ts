/** Thrown when a server does not do what a project's store needs. The message says which server, and why; `cause` is the error of its client. */
export class StoreServerError extends Error {
  override readonly name = 'StoreServerError'
}
