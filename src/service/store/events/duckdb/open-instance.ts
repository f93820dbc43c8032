import { DuckDBInstance } from '@duckdb/node-api'
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

/** Limits of one project's DuckDB instance. */
export interface DuckDbLimits {
  /** Megabytes of memory. A query that needs more spills to disk or fails with `memory`. */
  readonly memoryMb: number
  /** Megabytes that queries may spill to disk beside the file. */
  readonly spillMb: number
  readonly threads: number
}

/**
 * The oldest DuckDB that can read a new file. Version 1.2 brought zstd, 1.4 brought DICT_FSST, which stores an id of a session
 * in a tenth of the bytes. Fixed, so that a newer DuckDB does not silently write files that this one cannot read.
 */
export const STORAGE_VERSION = 'v1.5.0'

/**
 * Most values of a join for which DuckDB leaves out the parts of the other table without any of them; of more, it looks at the least and the
 * greatest alone, by default of more than 50. A hundred events that are far apart are read in 32 ms, not in 70 to 260. Each vector is compared
 * with all values.
 */
export const MAX_LOOKED_UP = 1000

/**
 * Opens a project's file so that SQL cannot reach anything else: no other files, no network, no extensions, and no way to
 * change these settings (https://duckdb.org/docs/stable/operations_manual/securing_duckdb/overview).
 *
 * There is never a second instance on the same file: it would see a frozen snapshot, and closing it would release the lock of the file
 * and delete the first instance's write-ahead log. `fromCache` waits until the instance before is closed, which happens late if a result
 * keeps it open (see `streamChunks`). Rejects with nothing left open.
 */
export const openInstance = async (file: string, limits: DuckDbLimits): Promise<DuckDBInstance> => {
  mkdirSync(dirname(file), { recursive: true })
  const instance = await DuckDBInstance.fromCache(file, {
    memory_limit: `${limits.memoryMb}MB`,
    threads: String(limits.threads),
    storage_compatibility_version: STORAGE_VERSION,
    temp_directory: `${file}.spill`,
    max_temp_directory_size: `${limits.spillMb}MB`,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
    // Each checkpoint rewrites the last row group, so fewer and larger checkpoints cost less in total.
    checkpoint_threshold: '64MB',
    enable_external_access: 'false',
  })
  try {
    await lockSettings(instance)
  } catch (error) {
    instance.closeSync()
    throw error
  }
  return instance
}

const lockSettings = async (instance: DuckDBInstance): Promise<void> => {
  const connection = await instance.connect()
  try {
    // GLOBAL also applies to the connections of queries: a time without a zone is UTC everywhere.
    await connection.run("SET GLOBAL TimeZone = 'UTC'")
    // "The newest 100 events" reads the time of all events, and the other columns of 100. By default DuckDB does so up to 50 rows.
    await connection.run('SET GLOBAL late_materialization_max_rows = 10000')
    await connection.run(`SET GLOBAL dynamic_or_filter_threshold = ${MAX_LOOKED_UP}`)
    await connection.run('SET GLOBAL lock_configuration = true')
  } finally {
    connection.closeSync()
  }
}
