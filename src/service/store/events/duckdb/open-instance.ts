import type { DuckDBConnection } from '@duckdb/node-api'
import { DuckDBInstance } from '@duckdb/node-api'
import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { quoteString } from '../../../sql/quote.ts'

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
 * Rows of a group, the unit in which DuckDB compresses rows. It keeps an open group in memory uncompressed, and writes the rows of a commit that
 * is smaller than a group twice (to its write-ahead log first). The default, 122,880, takes four times the memory. Groups of 12,288 rows take
 * 14 bytes more of the disk per event.
 */
export const ROW_GROUP_ROWS = 30_720

/** Megabytes of the write-ahead log from which a commit begins a checkpoint. */
const MAX_LOG_MB = 32

/** The name of a project's file as a catalog of its instance. */
export const CATALOG = 'events_file'

/** A project's file in a DuckDB instance of its own. */
export interface EventFile {
  /** Connects to the file: names without a catalog are its tables. */
  connect(): Promise<DuckDBConnection>
  /** Closes the file at once, if no connection or result keeps it open. */
  closeSync(): void
}

/**
 * Most values of a join for which DuckDB leaves out the parts of the other table without any of them; of more, it looks at the least and the
 * greatest alone, by default of more than 50. A hundred events that are far apart are read in 32 ms, not in 70 to 260. Each vector is compared
 * with all values.
 */
export const MAX_LOOKED_UP = 1000

/**
 * Opens a project's file so that SQL cannot reach anything else: no other files, no network, no extensions, and no way to
 * change settings but the limit of memory (https://duckdb.org/docs/stable/operations_manual/securing_duckdb/overview).
 *
 * The file is attached to an instance in memory, because only ATTACH takes the size of row groups. The instance has the file's name: there is
 * never a second one on the same file (an upgrade opens its own only after this one is closed), which would see a frozen snapshot, and closing it would release the lock of the file and delete the
 * first instance's write-ahead log. `fromCache` waits until the instance before is closed, which happens late if a result keeps it
 * open (see `streamChunks`). Rejects with nothing left open.
 */
export const openInstance = async (file: string, limits: DuckDbLimits): Promise<EventFile> => {
  mkdirSync(dirname(file), { recursive: true })
  const instance = await openCached(file, limits)
  try {
    await attachFile(instance, file)
  } catch (error) {
    instance.closeSync()
    throw error
  }
  return {
    async connect() {
      const connection = await instance.connect()
      try {
        await connection.run(`USE ${CATALOG}`)
        return connection
      } catch (error) {
        // It would keep the instance open.
        connection.closeSync()
        throw error
      }
    },
    closeSync: () => instance.closeSync(),
  }
}

/** The instance of a file, without the file. */
export const openCached = (file: string, limits: DuckDbLimits): Promise<DuckDBInstance> =>
  DuckDBInstance.fromCache(`:memory:${file}`, {
    memory_limit: `${limits.memoryMb}MB`,
    threads: String(limits.threads),
    temp_directory: `${file}.spill`,
    max_temp_directory_size: `${limits.spillMb}MB`,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
    // Fewer and larger checkpoints cost less in total, but what waits for one is in memory.
    checkpoint_threshold: `${Math.min(MAX_LOG_MB, Math.ceil(limits.memoryMb / 8))}MB`,
    // Compresses a row group when it is full; by default five of them gather in memory.
    write_buffer_row_group_count: '1',
    // Groups by two columns of a byte, such as a day and a place, are counted in an array, not in a hash table; by default those by one are.
    perfect_ht_threshold: '18',
    // Row groups that a checkpoint merges, three at a time. By default it may rewrite a table of ten million rows, which takes a minute and a
    // gigabyte of memory and disk, at the end of the process.
    max_vacuum_tasks: '2',
  })

/** The clause of ATTACH for a new file. For an older file it would change the version at the next checkpoint (`needsUpgrade`). */
export const NEW_FILE_OPTIONS = `(ROW_GROUP_SIZE ${ROW_GROUP_ROWS}, STORAGE_VERSION '${STORAGE_VERSION}')`

/** The clause of ATTACH for a file that is there. */
export const EXISTING_FILE_OPTIONS = `(ROW_GROUP_SIZE ${ROW_GROUP_ROWS})`

/** Attaches the file and locks the settings. */
const attachFile = async (instance: DuckDBInstance, file: string): Promise<void> => {
  const connection = await instance.connect()
  try {
    const options = existsSync(file) ? EXISTING_FILE_OPTIONS : NEW_FILE_OPTIONS
    await connection.run(`ATTACH ${quoteString(file)} AS ${CATALOG} ${options}`)
    await connection.run('SET GLOBAL enable_external_access = false')
    // GLOBAL also applies to the connections of queries: a time without a zone is UTC everywhere.
    await connection.run("SET GLOBAL TimeZone = 'UTC'")
    // "The newest 100 events" reads the time of all events, and the other columns of 100. By default DuckDB does so up to 50 rows.
    await connection.run('SET GLOBAL late_materialization_max_rows = 10000')
    await connection.run(`SET GLOBAL dynamic_or_filter_threshold = ${MAX_LOOKED_UP}`)
    // For `cached-blocks.ts`: a query is one SELECT, which changes no setting.
    await connection.run("SET GLOBAL allowed_configs = ['memory_limit']")
    await connection.run('SET GLOBAL lock_configuration = true')
  } finally {
    connection.closeSync()
  }
}
