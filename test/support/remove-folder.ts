import { rmSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'

/** An indexer whose front was killed may keep writing for three seconds, longer on a busy machine. */
const MAX_REMOVE_MS = 15_000

/** Removes the data folder of a service, whose last process may still write. */
export const removeFolder = async (folder: string): Promise<void> => {
  const deadline = performance.now() + MAX_REMOVE_MS
  for (;;) {
    try {
      // Without its `maxRetries`, which lists each folder only once and misses new files.
      rmSync(folder, { recursive: true, force: true })
      return
    } catch (error) {
      if (performance.now() > deadline) throw error
      await wait(100)
    }
  }
}
