import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Where what cannot be delivered is put for the operator to look at. */
export interface Damaged {
  /** Keeps a line that is no event. */
  keepLine(log: string, line: string): void
  /** Moves a file away that cannot be read. */
  keepFile(log: string, file: string, segment: number): void
}

/** More lines of one log are not kept. */
const LINES_MAX_BYTES = 2 ** 20

/** @param folder Made when it is needed. */
export const createDamaged = (folder: string): Damaged => {
  const attempt = (work: () => void): void => {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      work()
    } catch {
      // The disk is at fault, as the warning says.
    }
  }
  return {
    keepLine: (log, line) =>
      attempt(() => {
        const file = join(folder, `${log}.txt`)
        if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) < LINES_MAX_BYTES) {
          appendFileSync(file, `${line}\n`, { mode: 0o600 })
        }
      }),
    keepFile: (log, file, segment) => attempt(() => renameSync(file, join(folder, `${log}-${segment}.jsonl`))),
  }
}
