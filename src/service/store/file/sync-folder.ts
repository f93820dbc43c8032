import { closeSync, fsyncSync, openSync } from 'node:fs'

/** Returns when the disk has the names of a folder's files. */
export const syncFolder = (path: string): void => {
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}
