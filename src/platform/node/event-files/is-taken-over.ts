import { readdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { codeOf } from './error-code.ts'
import { parseFolderName } from './log-name.ts'

/** Whether a log lies under some owner's name; else its folder was deleted, or whoever had it has delivered all. `path`: where it was last. */
export const isTakenOver = (log: string, path: string): boolean => {
  try {
    return readdirSync(dirname(path)).some((name) => parseFolderName(name)?.log === log)
  } catch (error) {
    // Nobody but a user removes the folder of all logs.
    return codeOf(error) !== 'ENOENT'
  }
}
