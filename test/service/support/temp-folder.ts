import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { removeFolder } from '../../support/remove-folder.ts'

/** Creates a folder that is removed at the end of the test. */
export const createTempFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-'))
  onTestFinished(() => removeFolder(folder))
  return folder
}
