import { rmSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'

/** An indexer whose front was killed may keep writing for three seconds, longer on a busy machine. */
const MAX_REMOVE_MS = 15_000

/** Removes a folder to which a process may still write: a child of one that was killed, as an indexer or a part of a browser. */
export const removeFolder = async (folder: string): Promise<void> => {
  const deadline = performance.now() + MAX_REMOVE_MS
  for (;;) {
    try {
      // Not by its `maxRetries`, which lists each folder only once and misses new files.
      rmSync(folder, { recursive: true, force: true })
      return
    } catch (error) {
      if (performance.now() > deadline) throw error
      await wait(100)
    }
  }
}
