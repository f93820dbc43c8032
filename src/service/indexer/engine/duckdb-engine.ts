import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { findBuiltScript } from '../../find-built-script.ts'
import { isInvalidated } from '../../store/events/duckdb/is-invalidated.ts'
import type { DuckDbLimits } from '../../store/events/duckdb/open-instance.ts'
import { listEventFiles } from '../../store/events/list-event-files.ts'
import { StoreFileError } from '../../store/events/store-file-error.ts'
import { createFileGuard, ReplacedFileError } from '../../store/file/file-guard.ts'
import { startStoreThread } from '../../store/events/duckdb/thread/start-store-thread.ts'
import type { StoreEngine } from './store-engine.ts'

/** Megabytes that queries of one project may spill to disk. */
const SPILL_MB = 4096

/** Processors that a store may use. */
const THREADS = 2

/** How files are opened. */
export const duckDbLimits = (memoryMb: number): DuckDbLimits => ({ memoryMb, spillMb: SPILL_MB, threads: THREADS })

export interface DuckDbEngineOptions {
  /** Has a file for each project. */
  readonly folder: string
  /** Memory limit of each open store, in megabytes. */
  readonly memoryMb: number
  /** Called when a damaged part is created again, or an older file upgraded. */
  readonly warn: (message: string) => void
}

/** Stores events in files, in a thread of this process. */
export const startDuckDbEngine = ({ folder, memoryMb, warn }: DuckDbEngineOptions): StoreEngine => {
  const thread = startStoreThread(findBuiltScript('store-thread'))
  const placeOf = (projectId: number): string => join(folder, `${projectId}.duckdb`)
  const checkFolder = createFileGuard([folder])
  /** The projects whose file was there once. */
  const known = new Set(existsSync(folder) ? listEventFiles(folder) : [])
  /** Throws if a new, empty store would take the place of one that was deleted or moved away while the service runs. */
  const requireFile = (projectId: number): void => {
    const file = placeOf(projectId)
    try {
      checkFolder()
      if (known.has(projectId) && !existsSync(file)) throw new ReplacedFileError(file)
    } catch (error) {
      throw new StoreFileError(file, error)
    }
  }
  return {
    async open(projectId, isBrief) {
      requireFile(projectId)
      const file = {
        file: placeOf(projectId),
        projectId,
        isBrief,
        mustExist: known.has(projectId),
        ...duckDbLimits(memoryMb),
      }
      const store = await thread.open(file, warn).catch((error: unknown) => {
        // The file may have been moved away since the check above.
        requireFile(projectId)
        throw error
      })
      known.add(projectId)
      return store
    },
    hasStore: (projectId) => existsSync(placeOf(projectId)),
    listStores: () => (existsSync(folder) ? listEventFiles(folder) : []),
    placeOf,
    describeRecovery: (projectId) =>
      `Its body is kept in the table internal.rejected of ${placeOf(projectId)}. To store it, stop the service, read the body with DuckDB, ` +
      'start the service with more memory and send the body to /batch/ again: events that have a uuid are not stored twice.',
    isInvalidated,
    // After some errors DuckDB refuses everything until the file is opened again, and not all of them are known.
    mustReopen: () => true,
    ping: () => thread.ping(),
    stop: () => thread.stop(),
  }
}
