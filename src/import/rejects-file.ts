import { open, stat, truncate } from 'node:fs/promises'
import { ImportError, messageOf, systemErrorCode } from './import-error.ts'
import { formatReject } from './reject.ts'
import type { Reject } from './reject.ts'

/** The file that rejected rows are written to. */
export interface RejectsFile {
  /** Appends rows; resolves with the size of the file in bytes when they are on disk. */
  append(rejects: readonly Reject[]): Promise<number>
}

/**
 * Opens the rejects file, and truncates what an earlier run wrote after its last journal entry. A missing file is created with the first
 * reject.
 *
 * @param keptBytes Bytes that the journal accounts for; 0 empties the file.
 * @throws {ImportError} `unusable_file` if the file has other content than rejects, or cannot be written.
 */
export const openRejectsFile = async (path: string, keptBytes: number): Promise<RejectsFile> => {
  const throwUnusable = (error: unknown): never => {
    throw new ImportError('unusable_file', `The rejects file ${path} cannot be written: ${messageOf(error)}`, error)
  }
  const content = await inspectFile(path).catch(throwUnusable)
  if (content.kind === 'other_content') {
    throw new ImportError(
      'unusable_file',
      `${path} contains something other than rejects and was not changed. Choose another path with --rejects.`,
    )
  }
  let size = content.kind === 'rejects' ? Math.min(content.size, keptBytes) : 0
  if (content.kind === 'rejects' && content.size > keptBytes) await truncate(path, keptBytes).catch(throwUnusable)

  const write = async (lines: string): Promise<void> => {
    const file = await open(path, 'a')
    try {
      await file.writeFile(lines)
      // A device or a pipe (/dev/null) cannot be synced to disk.
      if (content.kind !== 'device') await file.sync()
    } finally {
      await file.close()
    }
  }

  return {
    async append(rejects) {
      if (rejects.length === 0) return size
      const lines = rejects.map(formatReject).join('')
      await write(lines).catch(throwUnusable)
      size += Buffer.byteLength(lines)
      return size
    },
  }
}

type FileContent =
  | { readonly kind: 'missing' }
  /** A device or a pipe, which can be written to but not truncated. */
  | { readonly kind: 'device' }
  | { readonly kind: 'other_content' }
  | { readonly kind: 'rejects'; readonly size: number }

const inspectFile = async (path: string): Promise<FileContent> => {
  const stats = await stat(path).catch((error: unknown) => {
    if (systemErrorCode(error) === 'ENOENT') return null
    throw error
  })
  if (stats === null) return { kind: 'missing' }
  if (!stats.isFile()) return { kind: 'device' }
  const hasRejects = stats.size === 0 || (await startsWith(path, FIRST_BYTES))
  return hasRejects ? { kind: 'rejects', size: stats.size } : { kind: 'other_content' }
}

/** The start of every rejects file. A path set by mistake, for example that of an input, must not be truncated. */
const FIRST_BYTES = '{"line":'

const startsWith = async (path: string, prefix: string): Promise<boolean> => {
  const file = await open(path)
  try {
    const { buffer } = await file.read({ buffer: Buffer.alloc(prefix.length), position: 0 })
    return buffer.toString() === prefix
  } finally {
    await file.close()
  }
}
