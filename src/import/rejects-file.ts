import { open, stat, truncate } from 'node:fs/promises'
import { ImportError, messageOf, systemCode } from './import-error.ts'
import { rejectLine } from './reject.ts'
import type { Reject } from './reject.ts'

/** Where rejected rows are written down. */
export interface RejectsFile {
  /** Resolves when they are on disk; answers how long the file then is. */
  append(rejects: readonly Reject[]): Promise<number>
}

/**
 * Opens the file of rejects, and cuts off what an earlier run wrote there without coming to write its journal.
 *
 * @param keptBytes What the journal knows of; 0: the file begins anew. There is none until there is a reject.
 */
export const openRejectsFile = async (path: string, keptBytes: number): Promise<RejectsFile> => {
  const unusable = (error: unknown): never => {
    throw new ImportError('unusable_file', `The file of rejects ${path} cannot be written: ${messageOf(error)}`, error)
  }
  const found = await look(path).catch(unusable)
  if (found === 'another') {
    throw new ImportError(
      'unusable_file',
      `${path} holds something else than rejects, and is left as it is. Name another with --rejects.`,
    )
  }
  let length = found === 'none' || found === 'no_file' ? 0 : Math.min(found, keptBytes)
  if (typeof found === 'number' && found > keptBytes) await truncate(path, keptBytes).catch(unusable)

  const write = async (text: string): Promise<void> => {
    const file = await open(path, 'a')
    try {
      await file.writeFile(text)
      // What is no file (/dev/null, a pipe) has no disk.
      if (found !== 'no_file') await file.sync()
    } finally {
      await file.close()
    }
  }

  return {
    async append(rejects) {
      if (rejects.length === 0) return length
      const text = rejects.map(rejectLine).join('')
      await write(text).catch(unusable)
      length += Buffer.byteLength(text)
      return length
    },
  }
}

/** How long the file of rejects is. `no_file`: the path is of a device or a pipe, which is written to and never cut. */
const look = async (path: string): Promise<number | 'none' | 'no_file' | 'another'> => {
  const found = await stat(path).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return null
    throw error
  })
  if (found === null) return 'none'
  if (!found.isFile()) return 'no_file'
  return found.size === 0 || (await beginsWith(path, BEGIN)) ? found.size : 'another'
}

/** Whatever else a path names by mistake, an input perhaps, is not to be cut off. */
const BEGIN = '{"line":'

const beginsWith = async (path: string, text: string): Promise<boolean> => {
  const file = await open(path)
  try {
    const { buffer } = await file.read({ buffer: Buffer.alloc(text.length), position: 0 })
    return buffer.toString() === text
  } finally {
    await file.close()
  }
}
