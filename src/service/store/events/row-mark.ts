import { open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'

const fileIn = (eventsFolder: string): string => join(eventsFolder, 'inbox-mark')

/**
 * The mark that lies with the event stores: no inbox row above it is in any of them. 0 where there is none, or none that can
 * be read.
 */
export const readRowMark = async (eventsFolder: string): Promise<number> => {
  const text = await readFile(fileIn(eventsFolder), 'utf8').catch(() => '')
  const mark = /^\d+\n$/.test(text) ? Number(text) : 0
  return Number.isSafeInteger(mark) ? mark : 0
}

/** Writes the mark; it is on the disk, whole, when the promise resolves. */
export const saveRowMark = async (eventsFolder: string, mark: number): Promise<void> => {
  const path = fileIn(eventsFolder)
  const file = await open(`${path}.new`, 'w', 0o600)
  try {
    await file.writeFile(`${mark}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(`${path}.new`, path)
}
