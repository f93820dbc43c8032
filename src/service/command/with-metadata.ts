import { readConfig } from '../config.ts'
import { openDataFolder } from '../data-folder.ts'
import { openMetadata } from '../store/metadata/open.ts'
import type { Metadata } from '../store/metadata/open.ts'

/** Runs a command on the metadata of a data folder, beside a running service or without one. */
export const withMetadata = async (
  flags: Readonly<Record<string, string | undefined>>,
  run: (metadata: Metadata) => Promise<void>,
): Promise<void> => {
  const metadata = await openMetadata(openDataFolder(readConfig(process.env, flags).dataFolder).metadata)
  try {
    await run(metadata)
  } finally {
    await metadata.destroy()
  }
}
