import { existsSync, rmSync } from 'node:fs'
import type { DuckDbLimits } from '../open-instance.ts'
import { openInstance } from '../open-instance.ts'
import { listTables } from './event-layout.ts'

/** Deletes a copy that an earlier upgrade left, if it is damaged. */
export const removeDamagedCopy = async (file: string, limits: DuckDbLimits): Promise<void> => {
  if (!existsSync(file)) return
  try {
    await readEverything(file, limits)
  } catch (error) {
    if (!PASSING_ERROR.test(String(error))) removeCopy(file)
  }
}

/** Deletes a copy with its write-ahead log. */
export const removeCopy = (file: string): void => {
  for (const path of [file, `${file}.wal`]) rmSync(path, { force: true })
}

/** Errors of a copy that may be sound: of memory, space, locks and open files. */
const PASSING_ERROR = /out of memory|allocate|no space left|set lock|too many open files|already attached/i

/** DuckDB checks what it reads. */
const readEverything = async (file: string, limits: DuckDbLimits): Promise<void> => {
  const instance = await openInstance(file, limits)
  try {
    const connection = await instance.connect()
    try {
      for (const table of await listTables(connection))
        await connection.run(`SELECT max(hash(row_values)) FROM ${table} AS row_values`)
    } finally {
      connection.closeSync()
    }
  } finally {
    instance.closeSync()
  }
}
