import type { Config } from './config.ts'
import type { DataFolder } from './data-folder.ts'
import { hasMetadataFile, StartError } from './data-folder.ts'
import { findNodeId, readNodeId } from './read-node-id.ts'
import { ONLY_NODE } from './store/metadata/node-id.ts'
import type { MetadataSource } from './store/metadata/open.ts'

/** The metadata of a node, and the id of the node in it. */
export interface ChosenMetadata {
  readonly source: MetadataSource
  readonly nodeId: string
}

/** The database of the settings; null for the file of the data folder. */
export const toPostgresSource = ({
  metadata: url,
  metadataPasswordFile: passwordFile,
}: Pick<Config, 'metadata' | 'metadataPasswordFile'>): Exclude<MetadataSource, string> | null =>
  url === null ? null : { url, passwordFile }

/** The metadata file of a data folder. Throws `StartError` when the folder's metadata is in PostgreSQL. */
export const findMetadataFile = ({ path, metadata }: DataFolder): string => {
  if (findNodeId(path) === null) return metadata
  throw new StartError(
    `The metadata of the data folder ${path} is in PostgreSQL; set --metadata as before, or choose another --data-folder.`,
  )
}

/**
 * Chooses the metadata of a locked data folder by the settings. Throws `StartError` when the folder belongs to other metadata: its events
 * would get the projects and persons of another installation.
 */
export const chooseMetadata = (
  folder: DataFolder,
  config: Pick<Config, 'metadata' | 'metadataPasswordFile'>,
): ChosenMetadata => {
  const { path, metadata: file } = folder
  const postgres = toPostgresSource(config)
  if (findNodeId(path) !== null && hasMetadataFile(folder))
    throw new StartError(
      `The metadata of the data folder ${path} is both in PostgreSQL and in ${file}: a migration was interrupted. Run "waymark-service ` +
        'migrate" again.',
    )
  if (postgres === null) return { source: findMetadataFile(folder), nodeId: ONLY_NODE }
  if (hasMetadataFile(folder))
    throw new StartError(
      `The data folder ${path} has metadata of its own, in ${file}; start without --metadata, move it with "waymark-service migrate", ` +
        'or choose another --data-folder.',
    )
  return { source: postgres, nodeId: readNodeId(path) }
}
