import { readConfig } from '../read-config.ts'
import { findMetadataFile, toPostgresSource } from '../choose-metadata.ts'
import { openDataFolder, StartError } from '../data-folder.ts'
import { HttpError } from '../http-error.ts'
import { openMetadata } from '../store/metadata/open.ts'
import type { Metadata } from '../store/metadata/open.ts'

/**
 * Runs a command on the metadata of a data folder, or of `--metadata`; a service may run at the same time. Without `mayCreate` a missing folder is
 * an error, so that a mistyped path is noticed.
 */
export const withMetadata = async (
  flags: Readonly<Record<string, string | undefined>>,
  run: (metadata: Metadata) => Promise<void>,
  { mayCreate = false }: { readonly mayCreate?: boolean } = {},
): Promise<void> => {
  // Not those of the command, such as the role of a user, which has the name of a setting.
  const { dataFolder, metadata: url, metadataPasswordFile } = flags
  const config = readConfig(process.env, { dataFolder, metadata: url, metadataPasswordFile })
  const metadata = await openMetadata(
    toPostgresSource(config) ?? findMetadataFile(openDataFolder(config.dataFolder, { mustExist: !mayCreate })),
  )
  try {
    await run(metadata)
  } catch (error) {
    // A rule of the service, in a sentence that names what to do.
    throw error instanceof HttpError ? new StartError(error.message, { cause: error }) : error
  } finally {
    await metadata.destroy()
  }
}
