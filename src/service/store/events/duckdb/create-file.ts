import { existsSync, rmSync } from 'node:fs'
import { renameDurably } from '../../file/rename-durably.ts'
import type { DuckDbLimits } from './open-instance.ts'
import { openInstance } from './open-instance.ts'

/**
 * Creates a project's file without tables, unless it is there.
 *
 * If the disk is full or the process ends, DuckDB leaves a part of a new file, which it later refuses as damaged. So the file gets its
 * name only when it is complete.
 */
export const createFile = async (
  file: string,
  { mustExist = false, ...limits }: DuckDbLimits & { readonly mustExist?: boolean },
): Promise<void> => {
  if (existsSync(file)) return
  if (mustExist) throw new Error(`${file} is missing.`)
  const unfinished = `${file}.unfinished`
  rmSync(unfinished, { force: true })
  const instance = await openInstance(unfinished, limits)
  instance.closeSync()
  // That of a file which was moved away; DuckDB would apply it to the new one. With the file it has the last events.
  if (existsSync(`${file}.wal`)) renameDurably(`${file}.wal`, `${file}.wal.orphan`)
  renameDurably(unfinished, file)
}
