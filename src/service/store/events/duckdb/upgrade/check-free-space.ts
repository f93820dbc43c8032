import { statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'

/** The write-ahead log of a copy is at most about as large as one commit. */
const MAX_LOG_BYTES = 64 * 1024 * 1024

/**
 * Rejects if the disk has no space for what is missing of a copy, which takes at most as much as the file and a write-ahead log. Without this
 * check an upgrade would fill the disk before it fails, and stop everything else that is stored there.
 */
export const checkFreeSpace = async (file: string, newFile: string): Promise<void> => {
  const size = sizeOf(file)
  const neededBytes = Math.max(0, size - sizeOf(newFile)) + Math.min(size, MAX_LOG_BYTES)
  const { bavail, bsize } = await statfs(dirname(file))
  const freeBytes = bavail * bsize
  if (freeBytes < neededBytes)
    throw new Error(
      `No space left on device to copy ${file} into the format of this version: ` +
        `${toMegabytes(neededBytes)} MB are needed, ${toMegabytes(freeBytes)} MB are free`,
    )
}

/** The size of a file with its write-ahead log. */
const sizeOf = (file: string): number =>
  [file, `${file}.wal`].reduce((sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0), 0)

const toMegabytes = (bytes: number): number => Math.ceil(bytes / 1024 / 1024)
