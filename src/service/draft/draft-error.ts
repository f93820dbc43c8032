/** Thrown for a question that is not understood. The message is for users and quotes the words. */
export class DraftError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'DraftError'
  }
}
