import { readdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { getErrorCode } from './get-error-code.ts'
import { parseLogFolderName } from './log-folder-name.ts'

/**
 * Whether any owner has a folder for this log. False means that the folder was deleted, or that its last owner delivered all events.
 *
 * @param path Last known path of the log's folder.
 */
export const isLogPresent = (log: string, path: string): boolean => {
  try {
    return readdirSync(dirname(path)).some((name) => parseLogFolderName(name)?.log === log)
  } catch (error) {
    // Only a user deletes the folder of all logs. Other errors say nothing about this log.
    return getErrorCode(error) !== 'ENOENT'
  }
}
