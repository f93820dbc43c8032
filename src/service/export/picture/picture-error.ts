/** Why a picture could not be drawn. */
export type PictureErrorCode =
  /** It took too long. */
  | 'timeout'
  /** The thread ended, for example because the picture needs too much memory, or could not start. */
  | 'crashed'
  /** The request cannot be drawn. The same request fails again. */
  | 'failed'
  /** As many pictures wait as may wait. */
  | 'busy'
  /** The service stops. */
  | 'stopping'

/** A picture that was not drawn. The message is one sentence for users. */
export class PictureError extends Error {
  readonly code: PictureErrorCode

  constructor(code: PictureErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options)
    this.name = 'PictureError'
    this.code = code
  }
}
