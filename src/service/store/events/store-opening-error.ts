/** Thrown instead of waiting longer for a project's store that is still opening, for example because its file is upgraded. */
export class StoreOpeningError extends Error {
  override readonly name = 'StoreOpeningError'
  /** Resolves when the store is open or has failed to open. */
  readonly settled: Promise<void>

  constructor(projectId: number, settled: Promise<void>) {
    super(`The event store of project ${projectId} is still opening.`)
    this.settled = settled
  }
}
