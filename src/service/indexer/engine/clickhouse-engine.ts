import { QueryError } from '../query-error.ts'
import { parseClickHouseUrl, readClickHouseOptions } from '../../store/events/clickhouse/clickhouse-source.ts'
import type { ClickHouseSource } from '../../store/events/clickhouse/clickhouse-source.ts'
import { openClickHouseStore } from '../../store/events/clickhouse/open-store.ts'
import { isLoginError, isMissingError } from '../../store/events/clickhouse/server-error.ts'
import { ALL_WRITTEN, createWrittenBases } from '../../store/events/clickhouse/written-bases.ts'
import { StoreServerError } from '../../store/events/store-server-error.ts'
import { findProjectById } from '../../store/metadata/projects.ts'
import type { Metadata } from '../../store/metadata/open.ts'
import type { StoreEngine } from './store-engine.ts'

export interface ClickHouseEngineOptions {
  readonly source: ClickHouseSource
  readonly metadata: Metadata
  /** Whether other nodes change the metadata, too. */
  readonly isShared: boolean
  /** The node whose inbox is stored. */
  readonly nodeId: string
}

/** Stores events on a ClickHouse server, in a database for each project. */
export const createClickHouseEngine = ({
  source,
  metadata,
  isShared,
  nodeId,
}: ClickHouseEngineOptions): StoreEngine => {
  const placeOf = (projectId: number): string => `${parseClickHouseUrl(source.url).databasePrefix}_${projectId}`
  const bases = isShared ? createWrittenBases() : ALL_WRITTEN
  return {
    async open(projectId) {
      const project = await findProjectById(metadata, projectId)
      if (project === undefined) throw new Error(`the metadata has no project ${projectId}`)
      const server = await readClickHouseOptions(source)
      return openClickHouseStore({ server, projectId, owner: project.uuid, node: nodeId, bases })
    },
    hasStore: () => true,
    listStores: () => [],
    placeOf,
    describeRecovery: (projectId) =>
      `Its body is kept in the table rejected of the database ${placeOf(projectId)}, in base64. To store it, send it to /batch/ again: ` +
      'events that have a uuid are not stored twice.',
    // The password has changed: it is read again with the next store.
    isInvalidated: (error) => error instanceof QueryError && isLoginError(error.cause),
    // With another password, or tables that somebody has dropped. Otherwise the same store goes on: nothing of it is broken, and opening it
    // would be more work for a server that may have too much already.
    mustReopen: (error) =>
      error instanceof StoreServerError && (isLoginError(error.cause) || isMissingError(error.cause)),
    ping: () => Promise.resolve(),
    stop: () => Promise.resolve(),
  }
}
