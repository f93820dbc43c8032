import { renameDurably } from './rename-durably.ts'
import { writeToDisk } from './write-to-disk.ts'

/** Writes a small file, or replaces it as a whole, and returns when the disk has it. Only the owner may read it. */
export const writeDurably = (path: string, content: string): void => {
  const temporary = `${path}.new`
  writeToDisk(temporary, content)
  renameDurably(temporary, path)
}
