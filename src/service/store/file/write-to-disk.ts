import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'

/** Writes a small file, and returns when the disk has it. A kill may leave a part of it. Only the owner may read it. */
export const writeToDisk = (path: string, content: string): void => {
  const file = openSync(path, 'w', 0o600)
  try {
    writeSync(file, content)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
