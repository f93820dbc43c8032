import { ExportError } from './export-error.ts'

/** The bytes that the contents of all exports have: complete ones, and those that are being written. */
export interface ContentSpace {
  /** Sets the bytes of the complete contents, as they are stored. */
  setComplete(bytes: number): void
  /**
   * Begins to count a content that is being written.
   *
   * @param share What its project may have.
   */
  open(share: ProjectShare): OpenContent
}

/** The part of the space that is for one project. */
export interface ProjectShare {
  /** Of its complete contents. It has no others that are being written. */
  readonly usedBytes: number
  readonly maxBytes: number
}

/** The most bytes of a project: all of the space, or half of it where there are others, so that it leaves them some. */
export const maxBytesOfProject = (maxBytes: number, projectCount: number): number =>
  projectCount > 1 ? Math.floor(maxBytes / 2) : maxBytes

/** The space of a content that is being written. */
export interface OpenContent {
  /** Counts bytes. Throws `ExportError` when there is no space left for all contents, or for those of the project. */
  add(bytes: number): void
  /** The bytes so far; 0 once it is closed. */
  bytes(): number
  /** Closes it, and counts its bytes as those of a complete content. */
  complete(): void
  /** Gives the space back. */
  close(): void
}

/** @param maxBytes of all contents together. */
export const createContentSpace = (maxBytes: number): ContentSpace => {
  let completeBytes = 0
  let openBytes = 0
  return {
    setComplete(bytes) {
      completeBytes = bytes
    },
    open(share) {
      let ownBytes = 0
      const close = (): void => {
        openBytes -= ownBytes
        ownBytes = 0
      }
      return {
        add(bytes) {
          ownBytes += bytes
          openBytes += bytes
          if (share.usedBytes + ownBytes > share.maxBytes)
            throw new ExportError(
              'The export is larger than the space that the exports of this project have left. Export less, or delete others.',
            )
          if (completeBytes + openBytes > maxBytes)
            throw new ExportError(
              'The export is larger than the space that exports have left. Export less, or delete others.',
            )
        },
        bytes: () => ownBytes,
        complete() {
          completeBytes += ownBytes
          close()
        },
        close,
      }
    },
  }
}
