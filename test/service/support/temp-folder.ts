import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A folder that is gone when the test has ended. */
export const tempFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-'))
  // An indexer whose front was killed may write for a moment yet.
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  return folder
}
