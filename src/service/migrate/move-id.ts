import { randomUUID } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { nullIfMissing } from '../null-if-missing.ts'
import { writeDurably } from '../store/file/write-durably.ts'

/** File in the folder of the events with the id of a move that is not complete. */
const moveIdFile = (folder: string): string => join(folder, 'move-id')

/** The id by which the databases know how far the move of a folder is. It is the same until the move ends. */
export const readMoveId = (folder: string): string => {
  const stored = /^[\da-f-]{36}$/.exec(nullIfMissing(() => readFileSync(moveIdFile(folder), 'utf8'))?.trim() ?? '')
  if (stored !== null) return stored[0]
  const id = randomUUID()
  writeDurably(moveIdFile(folder), `${id}\n`)
  return id
}

/** The next move begins anew. */
export const removeMoveId = (folder: string): void => rmSync(moveIdFile(folder), { force: true })
