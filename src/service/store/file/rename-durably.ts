import { renameSync } from 'node:fs'
import { dirname } from 'node:path'
import { syncFolder } from './sync-folder.ts'

/** Renames a file, replaces one of the new name, and returns when the disk has both names in their folder. */
export const renameDurably = (from: string, to: string): void => {
  renameSync(from, to)
  syncFolder(dirname(to))
}
