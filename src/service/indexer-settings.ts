import type { ChosenMetadata } from './choose-metadata.ts'
import type { Config } from './config.ts'
import type { DataFolder } from './data-folder.ts'
import type { IndexerSettings } from './indexer/protocol.ts'
import type { EventsSource } from './store/events/events-source.ts'

/** The settings of the indexer of a data folder. */
export const toIndexerSettings = (
  config: Config,
  folder: DataFolder,
  { source, nodeId }: ChosenMetadata,
  events: EventsSource,
): IndexerSettings => ({
  inboxFile: folder.inbox,
  metadata: source,
  nodeId,
  events,
  memoryMb: config.storeMemoryMb,
  maxOpenStores: config.maxOpenStores,
  geoDatabase: config.geoDatabase,
  storeAddresses: config.storeAddresses,
})
