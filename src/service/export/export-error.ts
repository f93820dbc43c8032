/** Why an export cannot be made. The message is one sentence, or a few, for users. */
export class ExportError extends Error {
  override readonly name: string = 'ExportError'
}
