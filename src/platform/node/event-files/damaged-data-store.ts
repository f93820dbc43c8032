import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Keeps damaged lines and files that cannot be delivered, for the operator to inspect. */
export interface DamagedDataStore {
  /** Appends a line that is not a valid event to the log's text file. */
  saveLine(log: string, line: string): void
  /** Moves an unreadable segment file out of its log. */
  moveFile(log: string, file: string, segment: number): void
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
      // The caller has already warned about the damaged data; a disk that also refuses the copy changes nothing.
    }
  }
  return {
    saveLine: (log, line) =>
      tryToSave(() => {
        const file = join(folder, `${log}.txt`)
        if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) < MAX_LINES_FILE_BYTES) {
          appendFileSync(file, `${line}\n`, { mode: 0o600 })
        }
      }),
    moveFile: (log, file, segment) => tryToSave(() => renameSync(file, join(folder, `${log}-${segment}.jsonl`))),
  }
}
