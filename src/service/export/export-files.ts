import { createReadStream, createWriteStream } from 'node:fs'
import { readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { joinChunks } from './join-chunks.ts'

/** The contents of exports, by the ids of these. */
export interface ExportFiles {
  /**
   * Writes a content and returns its bytes. It is there as a whole or not at all. Rejects with what `chunks` or `signal` throws, with
   * `ExportTooLargeError`, and with errors of the disk.
   */
  write(
    id: number,
    chunks: AsyncIterable<string | Uint8Array>,
    limits: { readonly maxBytes: number; readonly signal: AbortSignal },
  ): Promise<number>
  /** Null for a content that is not there. */
  read(id: number): Promise<{ readonly stream: Readable; readonly bytes: number } | null>
  remove(id: number): Promise<void>
  /** Removes all contents except these, and what unfinished writes of others have left. */
  keepOnly(ids: ReadonlySet<number>): Promise<void>
}

/** Thrown when a content has more bytes than it may have. */
export class ExportTooLargeError extends Error {
  override readonly name: string = 'ExportTooLargeError'
}

/** Keeps contents as files of a folder, which must exist. */
export const createExportFiles = (folder: string): ExportFiles => {
  const fileOf = (id: number): string => join(folder, String(id))
  const partOf = (id: number): string => `${fileOf(id)}.part`
  return {
    async write(id, chunks, { maxBytes, signal }) {
      let bytes = 0
      const count = async function* (): AsyncGenerator<Buffer> {
        for await (const chunk of joinChunks(chunks)) {
          bytes += chunk.length
          if (bytes > maxBytes) throw new ExportTooLargeError()
          yield chunk
        }
      }
      try {
        await pipeline(count, createWriteStream(partOf(id), { mode: 0o600, flush: true }), { signal })
        await rename(partOf(id), fileOf(id))
        return bytes
      } catch (error) {
        await rm(partOf(id), { force: true })
        throw error
      }
    },
    async read(id) {
      try {
        const { size } = await stat(fileOf(id))
        return { stream: createReadStream(fileOf(id)), bytes: size }
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
        throw error
      }
    },
    remove: (id) => rm(fileOf(id), { force: true }),
    async keepOnly(ids) {
      const kept = new Set([...ids].flatMap((id) => [fileOf(id), partOf(id)]))
      for (const name of await readdir(folder))
        if (!kept.has(join(folder, name))) await rm(join(folder, name), { force: true })
    },
  }
}
