import { existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { StartError } from '../data-folder.ts'
import type { DataFolder } from '../data-folder.ts'
import { salvagedFilePath } from '../start-checks.ts'
import { checkSqliteFile } from '../store/sqlite/check-file.ts'
import { classifyFileError } from '../store/sqlite/classify-file-error.ts'
import { salvageInbox } from './salvage-inbox.ts'
import type { SalvagedRows } from './salvage-inbox.ts'
import { salvageMetadata } from './salvage-metadata.ts'
import type { SalvagedTable } from './salvage-metadata.ts'
import { renameDurably } from '../store/file/rename-durably.ts'

/** The result of the salvage of one file. `whole` means that it was not damaged. */
export type SalvageResult =
  | { readonly file: 'inbox' | 'metadata'; readonly path: string; readonly kind: 'whole' }
  /** An earlier salvage was interrupted after it wrote the new file; this one moved the new file to `path`. */
  | { readonly file: 'inbox' | 'metadata'; readonly path: string; readonly kind: 'finished'; readonly aside: string }
  | {
      readonly file: 'inbox'
      readonly path: string
      readonly kind: 'copied'
      readonly aside: string
      readonly found: SalvagedRows
    }
  | {
      readonly file: 'metadata'
      readonly path: string
      readonly kind: 'copied'
      readonly aside: string
      readonly found: readonly SalvagedTable[]
    }

/**
 * Makes the inbox and the metadata of a locked data folder usable again. It copies the readable part of a damaged file into a
 * new file, which replaces the damaged one. The salvage may be interrupted at any time and run again. Throws `StartError` if
 * nothing of the metadata can be read.
 *
 * @param stamp Damaged files are kept as `<file>.damaged-<stamp>`.
 */
export const salvageFolder = (folder: DataFolder, stamp: string): readonly SalvageResult[] => {
  const aside = (path: string): string => `${path}.damaged-${stamp}`
  const salvageFile = <Found>(path: string, copy: (to: string) => Found): Found => {
    const found = copyViaTemporary(path, copy)
    replace(path, aside(path))
    return found
  }
  const checkFile = (file: 'inbox' | 'metadata'): SalvageResult | null => {
    const path = folder[file]
    if (existsSync(salvagedFilePath(path))) {
      replace(path, aside(path))
      return { file, path, kind: 'finished', aside: aside(path) }
    }
    return isWhole(path) ? { file, path, kind: 'whole' } : null
  }
  const { inbox, metadata } = folder
  return [
    checkFile('metadata') ?? {
      file: 'metadata',
      path: metadata,
      kind: 'copied',
      aside: aside(metadata),
      found: salvageFile(metadata, (to) => salvageTables(metadata, to)),
    },
    checkFile('inbox') ?? {
      file: 'inbox',
      path: inbox,
      kind: 'copied',
      aside: aside(inbox),
      found: salvageFile(inbox, (to) => salvageInbox(inbox, to)),
    },
  ]
}

const isWhole = (path: string): boolean => {
  try {
    checkSqliteFile(path)
    return true
  } catch (error) {
    if (classifyFileError(error) !== 'damaged') throw error
    return false
  }
}

const salvageTables = (path: string, to: string): readonly SalvagedTable[] => {
  const workPath = `${path}.work`
  try {
    const tables = salvageMetadata(path, to, workPath)
    if (tables.length === 0) throw new Error('it contains no tables')
    return tables
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new StartError(
      `Nothing of the metadata file ${path} can be read (${reason}), so another salvage cannot help either. Replace it with your backup, remove ` +
        `${path}-wal and ${path}-shm, and start again. Without a backup, move the three files away: the next start creates new metadata, with new ` +
        'keys, and without flags and persons. The events are not lost.',
      { cause: error },
    )
  } finally {
    for (const suffix of FILE_SUFFIXES) rmSync(`${workPath}${suffix}`, { force: true })
  }
}

const FILE_SUFFIXES = ['', '-wal', '-shm', '-journal']

/** Writes the copy under a temporary name and renames it once it is complete. */
const copyViaTemporary = <Found>(path: string, copy: (to: string) => Found): Found => {
  const temporary = `${path}.salvaging`
  for (const suffix of FILE_SUFFIXES) rmSync(`${temporary}${suffix}`, { force: true })
  const found = copy(temporary)
  renameSync(temporary, salvagedFilePath(path))
  return found
}

/** Moves the damaged file and its WAL to `aside` and the salvaged file to `path`. Each step may be the last before a crash. */
const replace = (path: string, aside: string): void => {
  for (const suffix of ['-wal', '']) {
    // An empty file was created by a start after the damaged one had been moved.
    const hasContent = (statSync(`${path}${suffix}`, { throwIfNoEntry: false })?.size ?? 0) > 0
    if (hasContent) renameSync(`${path}${suffix}`, `${aside}${suffix}`)
  }
  rmSync(`${path}-shm`, { force: true })
  renameDurably(salvagedFilePath(path), path)
}
