import { open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Puts a text in the place of a file: whoever reads it, also after a crash or power loss, finds the old one or the new one. */
export const writeFileAtomically = async (path: string, text: string): Promise<void> => {
  const next = `${path}.tmp`
  const file = await open(next, 'w')
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(next, path)
  await syncFolder(dirname(path))
}

/** The new name is on disk when the folder is. Windows has no such thing. */
const syncFolder = async (path: string): Promise<void> => {
  if (process.platform === 'win32') return
  const folder = await open(path)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
