import { ftruncateSync, openSync, writeSync } from 'node:fs'
import { segmentFile } from './segment-file.ts'
import type { Syncer } from './syncer.ts'

/** Appends to the segments of one log. */
export interface SegmentWriter {
  /**
   * Hands whole lines to the operating system, in one call where it takes them. Throws when it does not take all; then none counts.
   *
   * @returns The segment that has grown, and by how many bytes.
   */
  append(text: string): { readonly segment: number; readonly bytes: number }
  /** Bytes in the running segment. */
  size(): number
  /** Ends the running segment; the next append begins another. */
  seal(): void
}

export const createSegmentWriter = (folder: string, syncer: Syncer): SegmentWriter => {
  let next = 0
  let file: { readonly segment: number; readonly fd: number; size: number } | undefined

  const open = (): { readonly segment: number; readonly fd: number; size: number } => {
    const segment = next
    const fd = openSync(segmentFile(folder, segment), 'ax', 0o600)
    next++
    syncer.named(folder)
    return { segment, fd, size: 0 }
  }

  const seal = (): void => {
    if (file) syncer.retire(file.fd)
    file = undefined
  }

  return {
    append(text) {
      file ??= open()
      const { segment, fd, size } = file
      try {
        const bytes = writeAll(fd, Buffer.from(text))
        file.size += bytes
        syncer.written(fd)
        return { segment, bytes }
      } catch (error) {
        // A disk that gets full takes a part.
        if (!isCut(fd, size)) seal()
        throw error
      }
    },
    size: () => file?.size ?? 0,
    seal,
  }
}

const writeAll = (fd: number, bytes: Buffer): number => {
  for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done)
  return bytes.length
}

const isCut = (fd: number, size: number): boolean => {
  try {
    ftruncateSync(fd, size)
    return true
  } catch {
    return false
  }
}
