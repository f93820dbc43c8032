import { open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'

const watermarkPath = (eventsFolder: string): string => join(eventsFolder, 'inbox-mark')

/** Reads the watermark beside the event stores: none of them has an inbox row above it. 0 if it is missing or unreadable. */
export const readEventsWatermark = async (eventsFolder: string): Promise<number> => {
  const content = await readFile(watermarkPath(eventsFolder), 'utf8').catch(() => '')
  const watermark = /^\d+\n$/.test(content) ? Number(content) : 0
  return Number.isSafeInteger(watermark) ? watermark : 0
}

/** Writes the watermark atomically; it is on the disk when the promise resolves. */
export const saveEventsWatermark = async (eventsFolder: string, watermark: number): Promise<void> => {
  const path = watermarkPath(eventsFolder)
  const file = await open(`${path}.new`, 'w', 0o600)
  try {
    await file.writeFile(`${watermark}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(`${path}.new`, path)
}
