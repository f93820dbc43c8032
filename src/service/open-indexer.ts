import { statSync } from 'node:fs'
import { findChosenEvents } from './choose-events.ts'
import { chooseMetadata } from './choose-metadata.ts'
import { withDefaults } from './config.ts'
import type { Config } from './config.ts'
import { lockDataFolder, openDataFolder, StartError } from './data-folder.ts'
import { findBuiltScript } from './find-built-script.ts'
import { indexerSocketPath } from './indexer/remote/remote-protocol.ts'
import { serveIndexer } from './indexer/remote/serve-indexer.ts'
import type { ServedIndexer } from './indexer/remote/serve-indexer.ts'
import { startIndexer } from './indexer/start-indexer.ts'
import { toIndexerSettings } from './indexer-settings.ts'
import { createCloseSteps } from './close-steps.ts'
import { createClaimError, MAX_CLAIM_MS } from './claim-error.ts'
import { createLogs } from './log/create-logs.ts'
import { noop } from './noop.ts'
import { watchMetadata } from './store/metadata/watch-changes.ts'

/** The indexer of a data folder, for a front in another process. */
export interface IndexerService {
  /** Ends running queries and the indexer; resolves when every file is closed. */
  close(): Promise<void>
}

/**
 * Starts to store the events that a front has acknowledged, or will, on the same data folder. A front of the same version must have started on
 * it before; this goes on while the front does not run. Rejects with `StartError`.
 *
 * @param options Settings; all others have their defaults.
 */
export const openIndexer = async (options: Partial<Config> = {}): Promise<IndexerService> => {
  const config = withDefaults(options)
  const closeSteps = createCloseSteps()
  try {
    const path = indexerSocketPath(config.dataFolder)
    const folder = openDataFolder(config.dataFolder, { mustExist: true })
    // A front creates it last.
    if (statSync(folder.inbox).size === 0)
      throw new StartError(`The data folder ${folder.path} has no inbox yet; start the front first, with --role front.`)
    closeSteps.add(lockDataFolder(folder, ['indexer']))
    const chosen = chooseMetadata(folder, config)
    const events = findChosenEvents(folder, config)
    const changes = watchMetadata(chosen.source, `indexer of ${chosen.nodeId}`)
    closeSteps.add(changes.close)
    if (!(await changes.claim(MAX_CLAIM_MS))) throw createClaimError(folder, chosen)
    let served: ServedIndexer | null = null
    const indexer = await startIndexer({
      settings: toIndexerSettings(config, folder, chosen, events),
      script: findBuiltScript('indexer'),
      onProgress: noop,
      onStoreAhead: (projectId, row) => served?.onStoreAhead(projectId, row),
      logger: createLogs()('indexer'),
    })
    closeSteps.add(() => indexer.stop())
    served = await serveIndexer(path, indexer)
    closeSteps.add(served.close)
    // Requests of a front that does not run may wait.
    indexer.wake()
    return { close: closeSteps.close }
  } catch (error) {
    await closeSteps.close()
    throw error
  }
}
