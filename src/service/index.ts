import type { FastifyInstance } from 'fastify'
import { createApp } from './app.ts'
import { chooseEvents } from './choose-events.ts'
import { createCloseSteps } from './close-steps.ts'
import { createClaimError, MAX_CLAIM_MS } from './claim-error.ts'
import { chooseMove } from './choose-move.ts'
import type { MoveTarget } from './choose-move.ts'
import { chooseMetadata } from './choose-metadata.ts'
import { withDefaults } from './config.ts'
import { createExportFiles } from './export/export-files.ts'
import { createRenderer } from './export/picture/renderer.ts'
import { findBuiltScript } from './find-built-script.ts'
import type { Config } from './config.ts'
import { lockDataFolder, openDataFolder, StartError } from './data-folder.ts'
import { createDecide } from './flags/decide/decide.ts'
import { createFlagSets } from './flags/definitions/flag-sets.ts'
import { openGeoDatabase } from './geo/open-geo-database.ts'
import { createBodyReader } from './ingest/body-reader.ts'
import { openIngestion } from './open-ingestion.ts'
import { checkDataFiles, requireUsablePath, withStartErrorsAsync } from './start-checks.ts'
import { shareLimits } from './share-limits.ts'
import { toListenError } from './listen-error.ts'
import { openFirstProject } from './open-first-project.ts'
import type { ServiceProject } from './open-first-project.ts'
import { createLogs } from './log/create-logs.ts'
import { noop } from './noop.ts'
import { claimMetadata } from './store/metadata/claim-metadata.ts'
import { openMetadata } from './store/metadata/open.ts'
import { watchMetadata } from './store/metadata/watch-changes.ts'

export type { Config } from './config.ts'
export { ConfigError } from './read-config.ts'
export { StartError } from './data-folder.ts'
export { openIndexer } from './open-indexer.ts'
export type { IndexerService } from './open-indexer.ts'
export type { ServiceProject } from './open-first-project.ts'
export { scriptTag } from './script/script-tag.ts'

/** A service that runs in this process; its indexer runs in another one. */
export interface Service {
  /** The HTTP server. Plugins and routes can be added before `listen`. */
  readonly app: FastifyInstance
  /** Starts to accept requests; resolves to the URL, with the actual port. Rejects with `StartError`. */
  listen(): Promise<{ readonly url: string }>
  /** Ends running requests, then the indexer; resolves when every file is closed. Can be called more than once. */
  close(): Promise<void>
  /** The first project. */
  readonly project: ServiceProject
}

/** Functions that replace those of the machine, for tests. */
export interface ServiceParts {
  /** Milliseconds since 1970. May jump forward or back. Default: the system clock. */
  readonly now?: () => number
}

/** What a service does once, before it indexes events. */
export interface ServiceTask {
  /**
   * Where the events are moved: from the data folder to the server of the setting `events`, or from there into the data folder. Requests are
   * acknowledged meanwhile and wait, and queries are refused. Default: they stay where they are.
   */
  readonly moveEventsTo?: MoveTarget
}

/**
 * Opens a service on its data folder, which is created when missing; with `role: 'front'`, without an indexer (`openIndexer`). Rejects with
 * `StartError`.
 *
 * @param options Settings; all others have their defaults.
 * @param onFirstKey Called on the very first start with the project and its keys, before they are saved. So a saved key was
 * always shown; after a failure, the next start creates another one. Default: nothing.
 */
export const openService = async (
  options: Partial<Config> = {},
  onFirstKey: (project: ServiceProject) => void | Promise<void> = noop,
  { now = () => Date.now(), moveEventsTo }: ServiceParts & ServiceTask = {},
): Promise<Service> => {
  const settings = withDefaults(options)
  /** Those of the service once the events are where they are moved to. */
  const config = moveEventsTo === 'duckdb' ? { ...settings, events: null } : settings
  const logOf = createLogs()
  const onWarning = logOf('start').warn

  const closeSteps = createCloseSteps()

  try {
    if (moveEventsTo !== undefined && config.role !== 'all')
      throw new StartError('The whole service moves events: leave out WAYMARK_ROLE, and stop what runs by itself.')
    if (config.role === 'indexer') throw new StartError('A service without a front is opened with "openIndexer".')
    const folder = openDataFolder(config.dataFolder)
    closeSteps.add(lockDataFolder(folder, config.role === 'front' ? ['front'] : undefined))
    const chosen = chooseMetadata(folder, config)
    const { source, nodeId } = chosen
    const move = moveEventsTo && (await chooseMove(folder, settings, moveEventsTo, onWarning))
    const events = move?.events ?? (await chooseEvents(folder, settings, onWarning))
    const moveFrom = move?.moveFrom
    if (typeof events === 'string' || typeof moveFrom === 'string') requireUsablePath(folder)
    checkDataFiles(folder)
    const geo = await openGeoDatabase(config.geoDatabase)
    const metadata = await withStartErrorsAsync(folder, 'metadata', () => openMetadata(source))
    closeSteps.add(() => metadata.destroy())
    await withStartErrorsAsync(folder, 'metadata', () =>
      // Until the events are moved, no other node may begin to use the metadata.
      claimMetadata(metadata, { nodeId, embedsEvents: typeof events === 'string' || typeof moveFrom === 'string' }),
    )

    const changes = watchMetadata(source, nodeId)
    closeSteps.add(changes.close)
    if (!(await changes.claim(MAX_CLAIM_MS))) throw createClaimError(folder, chosen)

    const { inbox, indexer, inboxCleaner, quota } = await openIngestion({
      config,
      folder,
      chosen,
      events,
      moveFrom,
      onMoved: move?.finish ?? noop,
      metadata,
      closeSteps,
      now,
      logOf,
    })

    const bodyReader = createBodyReader(findBuiltScript('body-thread'))
    closeSteps.add(() => bodyReader.close())
    const watchChanges = changes.watch
    const limits = shareLimits({ source, metadata, changes, now })
    closeSteps.add(() => limits?.stop())
    const flagLog = logOf('flags')
    const flagSets = createFlagSets({
      metadata,
      now,
      watchChanges,
      onError: flagLog.error,
      onWarning: flagLog.warn,
    })
    const renderer = createRenderer({
      script: findBuiltScript('picture-thread'),
      fontsFolder: config.fontsFolder,
      onWarning: logOf('exports').warn,
    })
    closeSteps.add(() => renderer.close())
    const app = await createApp({
      config,
      inbox,
      bodyReader,
      metadata,
      nodeId,
      watchChanges,
      shareCounts: limits?.share,
      indexer,
      decide: createDecide({ metadata, flagSets, geo, now, onError: logOf('flags').error }),
      flagSets,
      exportFiles: createExportFiles(folder.exports),
      renderer,
      isFull: inboxCleaner.isFull,
      quota,
      now,
      random: Math.random,
      onError: logOf('http').error,
      onExportError: logOf('exports').error,
      onWarning: logOf('ingest').warn,
    })
    // Both at once: stopping the indexer ends the requests that wait for a query.
    closeSteps.add(() => Promise.all([app.close(), indexer.stop()]))
    const project = await withStartErrorsAsync(folder, 'metadata', () =>
      openFirstProject(metadata, config, now(), onFirstKey, flagLog.warn),
    )

    const listen = async (): Promise<{ readonly url: string }> => {
      try {
        return { url: await app.listen({ host: config.host, port: config.port }) }
      } catch (error) {
        throw toListenError(error, config)
      }
    }
    return { app, listen, close: closeSteps.close, project }
  } catch (error) {
    await closeSteps.close()
    throw error
  }
}
