import { randomUUID } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { StartError } from './data-folder.ts'
import { nullIfMissing } from './null-if-missing.ts'
import { renameDurably } from './store/file/rename-durably.ts'

/** File of a data folder whose metadata is in PostgreSQL. */
const nodeIdFile = (folder: string): string => join(folder, 'node-id')

/** Reads the id by which PostgreSQL knows the inbox of a locked data folder; null for a folder that has none. Throws `StartError`. */
export const findNodeId = (folder: string): string | null => {
  const path = nodeIdFile(folder)
  const content = nullIfMissing(() => readFileSync(path, 'utf8'))
  if (content === null) return null
  const id = content.trim()
  if (/^[\da-f-]{36}$/.test(id)) return id
  throw new StartError(`The file ${path} has no node id. Restore it from your backup, or choose another --data-folder.`)
}

/** Like `findNodeId`, but gives an id to a folder that has none. */
export const readNodeId = (folder: string): string => findNodeId(folder) ?? createNodeId(folder)

const createNodeId = (folder: string): string => {
  const id = randomUUID()
  const path = nodeIdFile(folder)
  const file = openSync(`${path}.new`, 'w', 0o600)
  try {
    writeSync(file, `${id}\n`)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameDurably(`${path}.new`, path)
  return id
}
