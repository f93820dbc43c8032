import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { renameDurably } from './rename-durably.ts'

/** Writes a small file, or replaces it, and returns when the disk has it. Only the owner may read it. */
export const writeDurably = (path: string, content: string): void => {
  const temporary = `${path}.new`
  const file = openSync(temporary, 'w', 0o600)
  try {
    writeSync(file, content)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameDurably(temporary, path)
}
