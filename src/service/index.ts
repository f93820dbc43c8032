import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import { createApp } from './app.ts'
import { withDefaults } from './config.ts'
import type { Config } from './config.ts'
import { lockDataFolder, openDataFolder, StartError } from './data-folder.ts'
import { createDecide } from './flags/decide.ts'
import { loadFlagFile } from './flags/load-flag-file.ts'
import { startIndexer } from './indexer/supervisor.ts'
import { startJanitor } from './ingest/janitor.ts'
import { openSqliteInbox } from './store/inbox/sqlite.ts'
import { createPersonalApiKey } from './store/metadata/keys.ts'
import { openMetadata } from './store/metadata/open.ts'
import type { Metadata } from './store/metadata/open.ts'
import { createProject, listProjects } from './store/metadata/projects.ts'
import type { Project } from './store/metadata/projects.ts'

export type { Config } from './config.ts'
export { ConfigError } from './config.ts'
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
  /** A key that may do everything in this project: given on the very first start, null on every later one. */
  readonly personalApiKey: string | null
}

/** Opens a service on its data folder, which is created when it is not there. Rejects with `StartError`. */
export const openService = async (given: Partial<Config> = {}): Promise<Service> => {
  const config = withDefaults(given)
  const now = (): number => Date.now()
  const onError = (error: unknown): void => console.error('waymark-service:', error)

  const closers: (() => unknown)[] = []
  const close = async (): Promise<void> => {
    for (let closer = closers.pop(); closer !== undefined; closer = closers.pop()) await closer()
  }

  try {
    const folder = openDataFolder(config.dataFolder)
    closers.push(lockDataFolder(folder))
    const metadata = await openMetadata(folder.metadata)
    closers.push(() => metadata.destroy())
    const project = await firstProject(metadata, now())
    if (config.flags !== null) await loadFlagFile(metadata, project.id, config.flags, now())

    let wake = (): void => {}
    const inbox = openSqliteInbox({ path: folder.inbox, synchronous: config.inboxSynchronous, onCommit: () => wake() })
    closers.push(() => inbox.close())
    const indexer = await startIndexer({
      settings: {
        inboxFile: folder.inbox,
        metadataFile: folder.metadata,
        eventsFolder: folder.events,
        memoryMb: config.storeMemoryMb,
        maxOpenStores: config.maxOpenStores,
      },
      script: indexerScript(),
      onProgress: () => {},
      logger: { info: () => {}, warn: (message) => console.warn(`waymark-service: ${message}`) },
    })
    closers.push(() => indexer.stop())
    wake = () => indexer.wake()
    // What an earlier run left.
    indexer.wake()
    const janitor = startJanitor({
      inbox,
      position: () => indexer.status().position,
      limitBytes: config.inboxLimitBytes,
      onError,
    })
    closers.push(janitor.stop)

    const app = await createApp({
      config,
      inbox,
      metadata,
      indexer,
      decide: createDecide({ metadata, now, onError }),
      isFull: janitor.isFull,
      now,
      onError,
    })
    closers.push(() => app.close())

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

/** The built indexer: beside this file, or, where this file is run as TypeScript or from a chunk, in the folder of the build. */
const indexerScript = (): string => {
  const places = ['./indexer.js', '../indexer.js', './dist/indexer.js'].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  )
  const script = places.find((path) => existsSync(path))
  if (script === undefined) throw new StartError('The indexer is missing; build the service first (npm run build).')
  return script
}

const firstProject = async (metadata: Metadata, now: number): Promise<ServiceProject> => {
  const [first] = await listProjects(metadata)
  if (first !== undefined) return { ...first, personalApiKey: null }
  // Both or none: a project whose key was never shown could only be read after a detour.
  return metadata.transaction().execute(async (transaction) => {
    const project = await createProject(transaction, 'Default project', now)
    const { key } = await createPersonalApiKey(transaction, {
      projectId: project.id,
      label: 'First key',
      scopes: ['query:read', 'feature_flag:read', 'feature_flag:write'],
      now,
    })
    return { ...project, personalApiKey: key }
  })
}

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
