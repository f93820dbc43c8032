import { open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Replaces a file atomically: a reader finds the old content or the new one, even after a crash or a power failure. */
export const writeFileAtomically = async (path: string, content: string): Promise<void> => {
  const temporaryPath = `${path}.tmp`
  const file = await open(temporaryPath, 'w')
  try {
    await file.writeFile(content)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(temporaryPath, path)
  await syncFolder(dirname(path))
}

/** Syncs the folder, without which the new name is not on disk. Windows cannot sync a folder. */
const syncFolder = async (path: string): Promise<void> => {
  if (process.platform === 'win32') return
  const folder = await open(path)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
