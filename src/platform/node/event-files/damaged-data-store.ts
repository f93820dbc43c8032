import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Keeps damaged lines and files that cannot be delivered, for the operator to inspect. */
export interface DamagedDataStore {
  /** Appends a line that is not a valid event to the text file of the log `logName`. */
  saveLine(logName: string, line: string): void
  /** Moves an unreadable segment (one of the numbered files of a log) out of its log. */
  moveFile(logName: string, filePath: string, segment: number): void
}

/** Limit for the saved lines of one log; further lines are discarded. */
const MAX_LINES_FILE_BYTES = 2 ** 20

/** @param folder Created on first use. */
export const createDamagedDataStore = (folder: string): DamagedDataStore => {
  const tryToSave = (save: () => void): void => {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      save()
    } catch {
      // The caller has already warned about the damaged data. If saving fails too, nothing more can be done.
    }
  }
  return {
    saveLine: (logName, line) =>
      tryToSave(() => {
        const filePath = join(folder, `${logName}.txt`)
        if ((statSync(filePath, { throwIfNoEntry: false })?.size ?? 0) < MAX_LINES_FILE_BYTES) {
          appendFileSync(filePath, `${line}\n`, { mode: 0o600 })
        }
      }),
    moveFile: (logName, filePath, segment) =>
      tryToSave(() => renameSync(filePath, join(folder, `${logName}-${segment}.jsonl`))),
  }
}
