import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { onTestFinished } from 'vitest'

/** An indexer whose front was killed may write for a moment yet: three seconds, and more on a busy machine. */
const MAX_REMOVE_MS = 15_000

/** A folder that is gone when the test has ended. */
export const createTempFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-'))
  onTestFinished(() => remove(folder))
  return folder
}

/** Not by `maxRetries`, which looks for new files in no folder twice. */
const remove = async (folder: string): Promise<void> => {
  const until = performance.now() + MAX_REMOVE_MS
  for (;;) {
    try {
      rmSync(folder, { recursive: true, force: true })
      return
    } catch (error) {
      if (performance.now() > until) throw error
      await wait(100)
    }
  }
}
