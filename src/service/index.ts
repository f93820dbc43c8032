import type { FastifyInstance } from 'fastify'
import { createApp } from './app.ts'
import { withDefaults } from './config.ts'
import { builtScript } from './built-script.ts'
import type { Config } from './config.ts'
import { lockDataFolder, openDataFolder, StartError } from './data-folder.ts'
import { createDecide } from './flags/decide/decide.ts'
import { createFlagSets } from './flags/definitions/flag-sets.ts'
import { loadFlagFile } from './flags/definitions/load-flag-file.ts'
import { openGeo } from './geo/open-geo.ts'
import { startIndexer } from './indexer/supervisor.ts'
import { createBodyReader } from './ingest/body-reader.ts'
import { startJanitor } from './ingest/janitor.ts'
import { startQuota } from './ingest/quota.ts'
import { reserveRowIds, wholeAbove } from './ingest/row-ids.ts'
import { awaitingFile, checkData, usingFile } from './start-checks.ts'
import { openSqliteInbox } from './store/inbox/sqlite.ts'
import { createPersonalApiKey, listPersonalApiKeys, SCOPES } from './store/metadata/keys.ts'
import { createTellErrors } from './tell-errors.ts'
import { openMetadata } from './store/metadata/open.ts'
import type { Metadata } from './store/metadata/open.ts'
import { createProject, listProjects } from './store/metadata/projects.ts'
import type { Project } from './store/metadata/projects.ts'

export type { Config } from './config.ts'
export { ConfigError } from './read-config.ts'
export { StartError } from './data-folder.ts'

/** A service that runs in this process, with its indexer beside it in another. */
export interface Service {
  /** The HTTP side. Plugins and routes may be added before `listen`. */
  readonly app: FastifyInstance
  /** Takes requests from now on; answers the address, with the port that was taken. Rejects with `StartError`. */
  listen(): Promise<{ readonly url: string }>
  /** Ends running requests, then the indexer; resolves when every file is closed. May be called twice. */
  close(): Promise<void>
  /** The first project. */
  readonly project: ServiceProject
}

export interface ServiceProject extends Project {
  /** A key that may do everything in this project: given on the start that creates it, the very first, null on every later one. */
  readonly personalApiKey: string | null
}

/** What a service may be given in the place of the machine's own. */
export interface ServiceParts {
  /** Milliseconds since 1970. May jump either way. Default the system's clock. */
  readonly now?: () => number
}

/**
 * Opens a service on its data folder, which is created when it is not there. Rejects with `StartError`.
 *
 * @param onFirstKey Called on the very first start with the project and its keys, before they are kept: whatever happens
 * afterwards, a key that is kept was shown, and one that was not is replaced at the next start. Default: nothing.
 */
export const openService = async (
  given: Partial<Config> = {},
  onFirstKey: (project: ServiceProject) => void = () => {},
  { now = () => Date.now() }: ServiceParts = {},
): Promise<Service> => {
  const config = withDefaults(given)
  const onWarning = (message: string): void => console.warn(`waymark-service: ${message}`)
  const onError = createTellErrors(
    (error, more) =>
      console.error('waymark-service:', error, ...(more === 0 ? [] : [`(${more} more like it since the last one)`])),
    () => performance.now(),
  )

  const closers: (() => unknown)[] = []
  const close = async (): Promise<void> => {
    for (let closer = closers.pop(); closer !== undefined; closer = closers.pop()) await closer()
  }

  try {
    const folder = openDataFolder(config.dataFolder)
    closers.push(lockDataFolder(folder))
    checkData(folder)
    const geo = await openGeo(config.geoDatabase)
    const metadata = await awaitingFile(folder, 'metadata', () => openMetadata(folder.metadata))
    closers.push(() => metadata.destroy())

    let onCommit = (_id: number): void => {}
    const inbox = usingFile(folder, 'inbox', () =>
      openSqliteInbox({
        path: folder.inbox,
        synchronous: config.inboxSynchronous,
        onCommit: (id) => onCommit(id),
      }),
    )
    closers.push(() => inbox.close())
    const raise = (mark: number): number => usingFile(folder, 'inbox', () => inbox.startAbove(mark))
    const rowIds = await awaitingFile(folder, 'metadata', () => reserveRowIds(metadata, folder.events, raise, onError))
    closers.push(rowIds.settled)
    const indexer = await startIndexer({
      settings: {
        inboxFile: folder.inbox,
        metadataFile: folder.metadata,
        eventsFolder: folder.events,
        memoryMb: config.storeMemoryMb,
        maxOpenStores: config.maxOpenStores,
        geoDatabase: config.geoDatabase,
        storeAddresses: config.storeAddresses,
      },
      script: builtScript('indexer'),
      onProgress: () => {},
      onAhead: (projectId, row) => {
        try {
          rowIds.given(inbox.moveAbove(projectId, wholeAbove(row)))
        } catch (error) {
          // Said again at the next try.
          onError(error)
        }
      },
      logger: { info: () => {}, warn: onWarning },
    })
    closers.push(() => indexer.stop())
    onCommit = (id) => {
      rowIds.given(id)
      indexer.wake()
    }
    // What an earlier run left.
    indexer.wake()
    const janitor = startJanitor({
      inbox,
      position: () => indexer.status().position,
      limitBytes: config.inboxLimitBytes,
      onError,
    })
    closers.push(janitor.stop)
    const quota = startQuota({ indexer, now, onWarning })
    closers.push(quota.stop)

    const bodyReader = createBodyReader(builtScript('body-thread'))
    closers.push(() => bodyReader.close())
    const flagSets = createFlagSets({ metadata, now, onError })
    const app = await createApp({
      config,
      inbox,
      bodyReader,
      metadata,
      indexer,
      decide: createDecide({ metadata, flagSets, geo, now, onError }),
      flagSets,
      isFull: janitor.isFull,
      quota,
      now,
      random: Math.random,
      onError,
      onWarning,
    })
    // Together: a request that waits for a query ends when the indexer does, not when the query would have.
    closers.push(() => Promise.all([app.close(), indexer.stop()]))
    const project = await awaitingFile(folder, 'metadata', () => firstProject(metadata, config, now(), onFirstKey))

    const listen = async (): Promise<{ readonly url: string }> => {
      try {
        return { url: await app.listen({ host: config.host, port: config.port }) }
      } catch (error) {
        throw listenError(error, config)
      }
    }
    return { app, listen, close, project }
  } catch (error) {
    await close()
    throw error
  }
}

/** The first project, with a key unless there ever was one, and with the configured flags: all of it or nothing. */
const firstProject = (
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
    const { key } = await createPersonalApiKey(transaction, {
      projectId: project.id,
      label: 'First key',
      scopes: SCOPES,
      now,
    })
    const shown = { ...project, personalApiKey: key }
    onFirstKey(shown)
    return shown
  })

const listenError = (error: unknown, { host, port }: Config): unknown => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE')
    return new StartError(`Port ${port} on ${host} is taken; choose another with --port.`, { cause: error })
  if (code === 'EACCES')
    return new StartError(`Port ${port} may not be opened by this user; choose one above 1023.`, { cause: error })
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new StartError(`${host} is no address of this machine; choose another with --host.`, { cause: error })
  }
  return error
}
