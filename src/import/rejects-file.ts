import { open, rm, stat } from 'node:fs/promises'
import { ImportError, messageOf, systemCode } from './import-error.ts'
import { type Reject, rejectLine } from './reject.ts'

/** Where rejected rows are written down. */
export interface RejectsFile {
  /** Resolves when they are on disk; answers how long the file then is. */
  append(rejects: readonly Reject[]): Promise<number>
}

/**
 * Opens the file of rejects, and cuts off what an earlier run wrote there without coming to write its journal.
 *
 * @param keptBytes What the journal knows of; 0: the file begins anew, and there is none until there is a reject.
 */
export const openRejectsFile = async (path: string, keptBytes: number): Promise<RejectsFile> => {
  const unusable = (error: unknown): never => {
    throw new ImportError('unusable_file', `The file of rejects ${path} cannot be written: ${messageOf(error)}`, error)
  }
  let length = await cut(path, keptBytes).catch(unusable)

  const write = async (text: string): Promise<void> => {
    const file = await open(path, 'a')
    try {
      await file.writeFile(text)
      await file.sync()
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

/** Answers how long the file is: shorter than what is kept where somebody has taken it away meanwhile. */
const cut = async (path: string, keptBytes: number): Promise<number> => {
  if (keptBytes === 0) {
    await rm(path, { force: true })
    return 0
  }
  const found = await stat(path).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return null
    throw error
  })
  if (found === null) return 0
  if (found.size <= keptBytes) return found.size
  const file = await open(path, 'r+')
  try {
    await file.truncate(keptBytes)
  } finally {
    await file.close()
  }
  return keptBytes
}
