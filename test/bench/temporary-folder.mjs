import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atExit } from './at-exit.mjs'

/** Creates a folder that `remove` removes, or the end of this process. */
export const createTemporaryFolder = () => {
  const path = mkdtempSync(join(tmpdir(), 'waymark-bench-'))
  const removeFolder = () => rmSync(path, { recursive: true, force: true })
  const forget = atExit(removeFolder)
  return {
    path,
    remove() {
      removeFolder()
      forget()
    },
  }
}
