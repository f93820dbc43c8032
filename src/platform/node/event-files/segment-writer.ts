import { ftruncateSync, openSync, writeSync } from 'node:fs'
import { segmentPath } from './segment-path.ts'
import type { Syncer } from './syncer.ts'

/** Appends to the segments of one log. */
export interface SegmentWriter {
  /**
   * Writes whole lines, in one system call where possible. Throws when the disk does not take all of them; then none is written.
   *
   * @returns The segment that was written to, and the bytes added.
   */
  append(lines: string): { readonly segment: number; readonly bytes: number }
  /** Bytes in the current segment. */
  size(): number
  /** Ends the current segment; the next append starts another. */
  seal(): void
}

export const createSegmentWriter = (folder: string, syncer: Syncer): SegmentWriter => {
  let nextSegment = 0
  let file: { readonly segment: number; readonly fd: number; size: number } | undefined

  const open = (): { readonly segment: number; readonly fd: number; size: number } => {
    const segment = nextSegment
    const fd = openSync(segmentPath(folder, segment), 'ax', 0o600)
    nextSegment++
    syncer.markFolder(folder)
    return { segment, fd, size: 0 }
  }

  const seal = (): void => {
    if (file) syncer.closeAfterSync(file.fd)
    file = undefined
  }

  return {
    append(lines) {
      file ??= open()
      const { segment, fd, size } = file
      try {
        const bytes = writeAll(fd, Buffer.from(lines))
        file.size += bytes
        syncer.markFile(fd)
        return { segment, bytes }
      } catch (error) {
        // A disk that becomes full may have taken a part of the lines.
        if (!tryTruncate(fd, size)) seal()
        throw error
      }
    },
    size: () => file?.size ?? 0,
    seal,
  }
}

const writeAll = (fd: number, bytes: Buffer): number => {
  for (let written = 0; written < bytes.length;) written += writeSync(fd, bytes, written)
  return bytes.length
}

const tryTruncate = (fd: number, size: number): boolean => {
  try {
    ftruncateSync(fd, size)
    return true
  } catch {
    return false
  }
}
