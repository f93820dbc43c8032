import type { FastifyInstance } from 'fastify'
import { createApp } from './app.ts'
import { chooseEvents } from './choose-events.ts'
import { createClaimError, MAX_CLAIM_MS } from './claim-error.ts'
import { chooseMove } from './choose-move.ts'
import type { MoveTarget } from './choose-move.ts'
import { chooseMetadata } from './choose-metadata.ts'
import { chooseStoreSql } from './choose-store-sql.ts'
import { withDefaults } from './config.ts'
import { createExportFiles } from './export/export-files.ts'
import { createRenderer } from './export/picture/renderer.ts'
import { findBuiltScript } from './find-built-script.ts'
import type { Config } from './config.ts'
import { lockDataFolder, openDataFolder, StartError } from './data-folder.ts'
import { createDecide } from './flags/decide/decide.ts'
import { createFlagSets } from './flags/definitions/flag-sets.ts'
import { loadFlagFile } from './flags/definitions/load-flag-file.ts'
import { openGeoDatabase } from './geo/open-geo-database.ts'
import { connectIndexer } from './indexer/remote/connect-indexer.ts'
import { indexerSocketPath } from './indexer/remote/remote-protocol.ts'
import { startIndexer } from './indexer/start-indexer.ts'
import { toIndexerSettings } from './indexer-settings.ts'
import { createBodyReader } from './ingest/body-reader.ts'
import { startInboxCleaner } from './ingest/inbox-cleaner.ts'
import { startQuotaTracker } from './ingest/quota-tracker.ts'
import { reserveRowIds, roundUpToReserved } from './ingest/row-id-reservation.ts'
import { withStartErrorsAsync, checkDataFiles, withStartErrors } from './start-checks.ts'
import { shareLimits } from './share-limits.ts'
import { openSqliteInbox } from './store/inbox/sqlite-inbox.ts'
import { ALL_SCOPES } from './permission/scopes.ts'
import { createPersonalApiKey, listPersonalApiKeys } from './store/metadata/keys.ts'
import { createErrorLogger } from './error-logger.ts'
import { noop } from './noop.ts'
import { claimMetadata } from './store/metadata/claim-metadata.ts'
import { openMetadata } from './store/metadata/open.ts'
import type { Metadata } from './store/metadata/open.ts'
import { watchMetadata } from './store/metadata/watch-changes.ts'
import { createProject, listProjects } from './store/metadata/projects.ts'
import type { Project } from './store/metadata/projects.ts'
import { listUsers } from './store/metadata/users.ts'

export type { Config } from './config.ts'
export { ConfigError } from './read-config.ts'
export { StartError } from './data-folder.ts'
export { openIndexer } from './open-indexer.ts'
export type { IndexerService } from './open-indexer.ts'
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

export interface ServiceProject extends Project {
  /** A key of the first user, with all scopes. Only the very first start creates one and returns it; later starts return null. */
  readonly personalApiKey: string | null
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
  onFirstKey: (project: ServiceProject) => void = noop,
  { now = () => Date.now(), moveEventsTo }: ServiceParts & ServiceTask = {},
): Promise<Service> => {
  const settings = withDefaults(options)
  /** Those of the service once the events are where they are moved to. */
  const config = moveEventsTo === 'duckdb' ? { ...settings, events: null } : settings
  const onWarning = (message: string): void => console.warn(`waymark-service: ${message}`)
  const onError = createErrorLogger(
    (error, suppressed) =>
      console.error(
        'waymark-service:',
        error,
        ...(suppressed === 0 ? [] : [`(${suppressed} more like it since the last one)`]),
      ),
    () => performance.now(),
  )

  const closeSteps: (() => unknown)[] = []
  const close = async (): Promise<void> => {
    for (let step = closeSteps.pop(); step !== undefined; step = closeSteps.pop()) await step()
  }

  try {
    if (moveEventsTo !== undefined && config.role !== 'all')
      throw new StartError('The whole service moves events: leave out WAYMARK_ROLE, and stop what runs by itself.')
    if (config.role === 'indexer') throw new StartError('A service without a front is opened with "openIndexer".')
    const folder = openDataFolder(config.dataFolder)
    closeSteps.push(lockDataFolder(folder, config.role === 'front' ? ['front'] : undefined))
    const chosen = chooseMetadata(folder, config)
    const { source, nodeId } = chosen
    const move = moveEventsTo && (await chooseMove(folder, settings, moveEventsTo, onWarning))
    const events = move?.events ?? (await chooseEvents(folder, settings, onWarning))
    const moveFrom = move?.moveFrom
    checkDataFiles(folder)
    const geo = await openGeoDatabase(config.geoDatabase)
    const metadata = await withStartErrorsAsync(folder, 'metadata', () => openMetadata(source))
    closeSteps.push(() => metadata.destroy())
    await withStartErrorsAsync(folder, 'metadata', () =>
      // Until the events are moved, no other node may begin to use the metadata.
      claimMetadata(metadata, { nodeId, embedsEvents: typeof events === 'string' || typeof moveFrom === 'string' }),
    )

    const changes = watchMetadata(source, nodeId)
    closeSteps.push(changes.close)
    if (!(await changes.claim(MAX_CLAIM_MS))) throw createClaimError(folder, chosen)

    let onCommit = (_id: number): void => {}
    const inbox = withStartErrors(folder, 'inbox', () =>
      openSqliteInbox({
        path: folder.inbox,
        synchronous: config.inboxSynchronous,
        onCommit: (id) => onCommit(id),
      }),
    )
    closeSteps.push(() => inbox.close())
    const continueAbove = (id: number): number => withStartErrors(folder, 'inbox', () => inbox.continueAbove(id))
    const rowIds = await withStartErrorsAsync(folder, 'metadata', () =>
      reserveRowIds({ metadata, nodeId }, folder.events, continueAbove, onError),
    )
    closeSteps.push(rowIds.whenSaved)
    const onStoreAhead = (projectId: number, row: number): void => {
      try {
        rowIds.recordId(inbox.renumberAbove(projectId, roundUpToReserved(row)))
      } catch (error) {
        // The indexer calls again at its next attempt.
        onError(error)
      }
    }
    const indexer =
      config.role === 'front'
        ? connectIndexer({ path: indexerSocketPath(config.dataFolder), onStoreAhead })
        : await startIndexer({
            settings: { ...toIndexerSettings(config, folder, chosen, events), moveFrom },
            script: findBuiltScript('indexer'),
            onProgress: noop,
            onMoved: move?.finish ?? noop,
            onStoreAhead,
            logger: { info: noop, warn: onWarning },
          })
    closeSteps.push(() => indexer.stop())
    onCommit = (id) => {
      rowIds.recordId(id)
      indexer.wake()
    }
    // Rows of an earlier run may wait.
    indexer.wake()
    const inboxCleaner = startInboxCleaner({
      inbox,
      position: () => indexer.status().position,
      limitBytes: config.inboxLimitBytes,
      onError,
    })
    closeSteps.push(inboxCleaner.stop)
    const quota = startQuotaTracker({ indexer, engine: chooseStoreSql(config).engine, now, onWarning })
    closeSteps.push(quota.stop)

    const bodyReader = createBodyReader(findBuiltScript('body-thread'))
    closeSteps.push(() => bodyReader.close())
    const watchChanges = changes.watch
    const limits = shareLimits({ source, metadata, changes, now })
    closeSteps.push(() => limits?.stop())
    const flagSets = createFlagSets({ metadata, now, watchChanges, onError })
    const renderer = createRenderer({
      script: findBuiltScript('picture-thread'),
      fontsFolder: config.fontsFolder,
      onWarning,
    })
    closeSteps.push(() => renderer.close())
    const app = await createApp({
      config,
      inbox,
      bodyReader,
      metadata,
      nodeId,
      watchChanges,
      shareCounts: limits?.share,
      indexer,
      decide: createDecide({ metadata, flagSets, geo, now, onError }),
      flagSets,
      exportFiles: createExportFiles(folder.exports),
      renderer,
      isFull: inboxCleaner.isFull,
      quota,
      now,
      random: Math.random,
      onError,
      onWarning,
    })
    // Both at once: stopping the indexer ends the requests that wait for a query.
    closeSteps.push(() => Promise.all([app.close(), indexer.stop()]))
    const project = await withStartErrorsAsync(folder, 'metadata', () =>
      openFirstProject(metadata, config, now(), onFirstKey),
    )

    const listen = async (): Promise<{ readonly url: string }> => {
      try {
        return { url: await app.listen({ host: config.host, port: config.port }) }
      } catch (error) {
        throw toListenError(error, config)
      }
    }
    return { app, listen, close, project }
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * In one transaction: reads or creates the first project, saves the configured flags, and creates a personal API key unless
 * one was ever created.
 */
const openFirstProject = (
  metadata: Metadata,
  { flags }: Config,
  now: number,
  onFirstKey: (project: ServiceProject) => void,
): Promise<ServiceProject> =>
  metadata.transaction().execute(async (transaction) => {
    const [first] = await listProjects(transaction)
    const project = first ?? (await createProject(transaction, 'Default project', now))
    if (flags !== null) await loadFlagFile(transaction, project.id, flags, now)
    const [anyKey] = await listPersonalApiKeys(transaction)
    if (anyKey !== undefined) return { ...project, personalApiKey: null }
    const [owner] = await listUsers(transaction)
    if (owner === undefined) throw new StartError('There is no user; create one with "waymark-service user create".')
    const { key } = await createPersonalApiKey(transaction, {
      userId: owner.id,
      label: 'First key',
      scopes: [ALL_SCOPES],
      now,
    })
    const projectWithKey = { ...project, personalApiKey: key }
    onFirstKey(projectWithKey)
    return projectWithKey
  })

const toListenError = (error: unknown, { host, port }: Config): unknown => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE')
    return new StartError(`Port ${port} on ${host} is in use; choose another with --port.`, { cause: error })
  if (code === 'EACCES')
    return new StartError(`This user may not open port ${port}; choose one above 1023 with --port.`, { cause: error })
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new StartError(`${host} is not an address of this machine; choose another with --host.`, { cause: error })
  }
  return error
}
