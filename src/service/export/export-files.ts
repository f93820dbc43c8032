import { open, readdir, rm, statfs } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { join } from 'node:path'
import type { ByteRange } from '../http/parse-byte-range.ts'
import { renameDurably } from '../store/file/rename-durably.ts'
import { ExportError } from './export-error.ts'
import { joinChunks } from './join-chunks.ts'
import { isMissingFileError } from '../null-if-missing.ts'

/** The contents of exports, by the ids of these. */
export interface ExportFiles {
  /**
   * Writes a content. It is there as a whole or not at all. Rejects with what `chunks` or `onBytes` throws, when `signal` is aborted, with
   * `ExportError` when the disk is nearly full, and with errors of the disk.
   */
  write(id: number, chunks: AsyncIterable<string | Uint8Array>, control: WriteControl): Promise<void>
  /**
   * Null for a content that is not there.
   *
   * @param findRange Finds the part that is read; null, as by default, for the whole. It may throw.
   */
  read(id: number, findRange?: (file: StoredFile) => ByteRange | null): Promise<StoredContent | null>
  remove(id: number): Promise<void>
  /** The ids of all contents, also of unfinished ones. */
  list(): Promise<readonly number[]>
}

/** The file of a content. */
export interface StoredFile {
  /** Of the whole. */
  readonly bytes: number
  /** When it was completed: milliseconds since 1970, with a fraction. */
  readonly completedAt: number
}

/** A content, or a part of it, as it is read. */
export interface StoredContent extends StoredFile {
  readonly stream: Readable
  /** Null for the whole. */
  readonly range: ByteRange | null
}

/** Follows and ends a write. */
export interface WriteControl {
  readonly signal: AbortSignal
  /** Called with the number of bytes before these are written. It may throw. */
  readonly onBytes: (bytes: number) => void
}

/** Space of the disk that exports leave to events. */
const RESERVE_BYTES = 256 * 2 ** 20

/** The space is looked at again after this many bytes. */
const CHECK_BYTES = 8 * 2 ** 20

const FILE_NAME = /^(\d+)(?:\.part)?$/

/** Keeps contents as files of a folder, which must exist. Other files in it stay as they are. */
export const createExportFiles = (folder: string): ExportFiles => {
  const fileOf = (id: number): string => join(folder, String(id))
  const partOf = (id: number): string => `${fileOf(id)}.part`

  const checkSpace = async (): Promise<void> => {
    const { bavail, bsize } = await statfs(folder)
    if (bavail * bsize < RESERVE_BYTES)
      throw new ExportError('The disk of the service is nearly full. Export again when it has space.')
  }

  return {
    async write(id, chunks, { signal, onBytes }) {
      const watch = async function* (): AsyncGenerator<Buffer> {
        let unchecked = CHECK_BYTES
        for await (const chunk of joinChunks(chunks)) {
          onBytes(chunk.length)
          unchecked += chunk.length
          if (unchecked >= CHECK_BYTES) {
            await checkSpace()
            unchecked = 0
          }
          yield chunk
        }
      }
      // Opened before the first chunk: a stream that opens it itself could create it after a failure has removed it.
      const part = await open(partOf(id), 'w', 0o600)
      try {
        await pipeline(watch, part.createWriteStream({ flush: true }), { signal })
        renameDurably(partOf(id), fileOf(id))
      } catch (error) {
        await rm(partOf(id), { force: true })
        throw error
      }
    },
    async read(id, findRange = () => null) {
      // Opened at once, so that a removal cannot come between its size and its bytes.
      const file = await open(fileOf(id)).catch((error: unknown) => {
        if (isMissingFileError(error)) return null
        throw error
      })
      if (file === null) return null
      try {
        const { size: bytes, mtimeMs: completedAt } = await file.stat()
        const range = findRange({ bytes, completedAt })
        const part = range === null ? {} : { start: range.first, end: range.last }
        return { stream: file.createReadStream(part), bytes, completedAt, range }
      } catch (error) {
        await file.close()
        throw error
      }
    },
    async remove(id) {
      for (const file of [fileOf(id), partOf(id)]) await rm(file, { force: true })
    },
    async list() {
      const ids = (await readdir(folder)).flatMap((name) => FILE_NAME.exec(name)?.[1] ?? [])
      return [...new Set(ids.map(Number))]
    },
  }
}
