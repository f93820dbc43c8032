import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { StartError } from '../data-folder.ts'
import type { DataFolder } from '../data-folder.ts'
import { salvagedPath } from '../start-checks.ts'
import { checkSqliteFile } from '../store/sqlite/check-file.ts'
import { fileFault } from '../store/sqlite/file-fault.ts'
import { salvageInbox } from './salvage-inbox.ts'
import type { SalvagedRows } from './salvage-inbox.ts'
import { salvageMetadata } from './salvage-metadata.ts'
import type { SalvagedTable } from './salvage-metadata.ts'

/** What became of one file. */
export type Salvaged =
  | { readonly file: 'inbox' | 'metadata'; readonly path: string; readonly kind: 'whole' }
  /** An earlier salvage had only to put its file in place. */
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
 * Makes the inbox and the metadata of a locked data folder usable again: what is damaged is copied, as far as it can be read,
 * into a new file that takes its place, and kept beside it. It may be interrupted at any moment and run again. Throws
 * `StartError` for metadata of which nothing can be read.
 *
 * @param stamp Told apart by it, damaged files are kept as `<file>.damaged-<stamp>`.
 */
export const salvageFolder = (folder: DataFolder, stamp: string): readonly Salvaged[] => {
  const aside = (path: string): string => `${path}.damaged-${stamp}`
  const inPlace = <Found>(path: string, copy: (to: string) => Found): Found => {
    const found = viaTemporary(path, copy)
    replace(folder.path, path, aside(path))
    return found
  }
  const known = (file: 'inbox' | 'metadata'): Salvaged | null => {
    const path = folder[file]
    if (existsSync(salvagedPath(path))) {
      replace(folder.path, path, aside(path))
      return { file, path, kind: 'finished', aside: aside(path) }
    }
    return isWhole(path) ? { file, path, kind: 'whole' } : null
  }
  const { inbox, metadata } = folder
  return [
    known('metadata') ?? {
      file: 'metadata',
      path: metadata,
      kind: 'copied',
      aside: aside(metadata),
      found: inPlace(metadata, (to) => salvageTables(metadata, to)),
    },
    known('inbox') ?? {
      file: 'inbox',
      path: inbox,
      kind: 'copied',
      aside: aside(inbox),
      found: inPlace(inbox, (to) => salvageInbox(inbox, to)),
    },
  ]
}

const isWhole = (path: string): boolean => {
  try {
    checkSqliteFile(path)
    return true
  } catch (error) {
    if (fileFault(error) !== 'damaged') throw error
    return false
  }
}

const salvageTables = (path: string, to: string): readonly SalvagedTable[] => {
  const work = `${path}.work`
  try {
    const tables = salvageMetadata(path, to, work)
    if (tables.length === 0) throw new Error('it holds no tables')
    return tables
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new StartError(
      `Nothing of the metadata ${path} can be read (${reason}): put your backup of it in its place, then start again. The events are not lost.`,
      { cause: error },
    )
  } finally {
    for (const end of FILE_ENDS) rmSync(`${work}${end}`, { force: true })
  }
}

const FILE_ENDS = ['', '-wal', '-shm', '-journal']

/** Makes the new file under a name that says that it is not complete, and gives it the one that says so. */
const viaTemporary = <Found>(path: string, copy: (to: string) => Found): Found => {
  const temporary = `${path}.salvaging`
  for (const end of FILE_ENDS) rmSync(`${temporary}${end}`, { force: true })
  const found = copy(temporary)
  renameSync(temporary, salvagedPath(path))
  return found
}

/** Sets the damaged file and its log aside and puts the salvaged one in its place, a step at a time. */
const replace = (folder: string, path: string, aside: string): void => {
  for (const end of ['-wal', '']) {
    // What a start has made where the file was moved already.
    const isThere = (statSync(`${path}${end}`, { throwIfNoEntry: false })?.size ?? 0) > 0
    if (isThere) renameSync(`${path}${end}`, `${aside}${end}`)
  }
  rmSync(`${path}-shm`, { force: true })
  renameSync(salvagedPath(path), path)
  const directory = openSync(folder, 'r')
  fsyncSync(directory)
  closeSync(directory)
}
