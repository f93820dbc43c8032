import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { onTestFinished } from 'vitest'

/** An indexer whose front was killed may keep writing for three seconds, longer on a busy machine. */
const MAX_REMOVE_MS = 15_000

/** Creates a folder that is removed at the end of the test. */
export const createTempFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-'))
  onTestFinished(() => remove(folder))
  return folder
}

/** Retries itself, because `maxRetries` of `rmSync` lists each folder only once and misses new files. */
const remove = async (folder: string): Promise<void> => {
  const deadline = performance.now() + MAX_REMOVE_MS
  for (;;) {
    try {
      rmSync(folder, { recursive: true, force: true })
      return
    } catch (error) {
      if (performance.now() > deadline) throw error
      await wait(100)
    }
  }
}
