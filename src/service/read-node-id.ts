import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { StartError } from './data-folder.ts'
import { nullIfMissing } from './null-if-missing.ts'
import { renameDurably } from './store/file/rename-durably.ts'
import { writeToDisk } from './store/file/write-to-disk.ts'

/** File of a data folder whose metadata is in PostgreSQL. */
export const nodeIdFile = (folder: string): string => join(folder, 'node-id')

/** File with the id that a folder is to have. */
const plannedFile = (folder: string): string => `${nodeIdFile(folder)}.new`

/** Reads the id by which PostgreSQL knows the inbox of a locked data folder; null for a folder that has none. Throws `StartError`. */
export const findNodeId = (folder: string): string | null => {
  const path = nodeIdFile(folder)
  const content = nullIfMissing(() => readFileSync(path, 'utf8'))
  if (content === null) return null
  const id = parseId(content)
  if (id !== null) return id
  throw new StartError(`The file ${path} has no node id. Restore it from your backup, or choose another --data-folder.`)
}

/** Like `findNodeId`, but gives an id to a folder that has none. */
export const readNodeId = (folder: string): string => findNodeId(folder) ?? createNodeId(folder)

const createNodeId = (folder: string): string => {
  const id = planNodeId(folder)
  assignPlannedId(folder)
  return id
}

/** Returns the id that a folder without one is to have. It is the same until the folder has it. */
export const planNodeId = (folder: string): string => {
  const path = plannedFile(folder)
  const planned = parseId(nullIfMissing(() => readFileSync(path, 'utf8')) ?? '')
  if (planned !== null) return planned
  const id = randomUUID()
  writeToDisk(path, `${id}\n`)
  return id
}

/** Gives the planned id to the folder. */
export const assignPlannedId = (folder: string): void => renameDurably(plannedFile(folder), nodeIdFile(folder))

const parseId = (content: string): string | null => /^([\da-f-]{36})\n?$/.exec(content)?.[1] ?? null
