import type { DuckDBConnection } from '@duckdb/node-api'
import { DuckDBInstance } from '@duckdb/node-api'
import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { attachFile, attachNewFile } from './attach-file.ts'

/** Limits of one project's DuckDB instance. */
export interface DuckDbLimits {
  /** Megabytes of memory. A query that needs more spills to disk or fails with `memory`. */
  readonly memoryMb: number
  /** Megabytes that queries may spill to disk beside the file. */
  readonly spillMb: number
  readonly threads: number
}

/** The largest bound of `maxLogMb`. */
const MAX_LOG_MB = 32

/**
 * Megabytes of the write-ahead log from which there is a checkpoint. Fewer and larger ones cost less in total, but what waits for one is in
 * memory.
 */
export const maxLogMb = (memoryMb: number): number => Math.min(MAX_LOG_MB, Math.ceil(memoryMb / 8))

/** The name of a project's file as a catalog of its instance. */
export const CATALOG = 'events_file'

/** A project's file in a DuckDB instance of its own. */
export interface EventFile {
  /** Connects to the file: names without a catalog are its tables. */
  connect(): Promise<DuckDBConnection>
  /** Throws `ReplacedFileError` if the file no longer has its name. */
  checkFile(): void
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
 *
 * @param options.mustExist Whether a missing file is an error. Default: it is created.
 */
export const openInstance = async (
  file: string,
  { mustExist = false, ...limits }: DuckDbLimits & { readonly mustExist?: boolean },
): Promise<EventFile> => {
  mkdirSync(dirname(file), { recursive: true })
  const instance = await openCached(file, limits)
  let checkFile: () => void
  try {
    checkFile = await attachAlone(instance, file, mustExist)
  } catch (error) {
    instance.closeSync()
    throw error
  }
  return {
    checkFile,
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
    checkpoint_threshold: `${maxLogMb(limits.memoryMb)}MB`,
    // Compresses a row group when it is full; by default five of them gather in memory.
    write_buffer_row_group_count: '1',
    // Groups by two columns of a byte, such as a day and a place, are counted in an array, not in a hash table; by default those by one are.
    perfect_ht_threshold: '18',
    // Row groups that a checkpoint merges, three at a time. By default it may rewrite a table of ten million rows, which takes a minute and a
    // gigabyte of memory and disk, at the end of the process.
    max_vacuum_tasks: '2',
  })

/** Attaches the file, which may be new, and locks the settings. */
const attachAlone = async (instance: DuckDBInstance, file: string, mustExist: boolean): Promise<() => void> => {
  const connection = await instance.connect()
  try {
    const checkFile =
      mustExist || existsSync(file)
        ? await attachFile(connection, file, CATALOG)
        : await attachNewFile(connection, file, CATALOG)
    await connection.run('SET GLOBAL enable_external_access = false')
    // GLOBAL also applies to the connections of queries: a time without a zone is UTC everywhere.
    await connection.run("SET GLOBAL TimeZone = 'UTC'")
    // "The newest 100 events" reads the time of all events, and the other columns of 100. By default DuckDB does so up to 50 rows.
    await connection.run('SET GLOBAL late_materialization_max_rows = 10000')
    await connection.run(`SET GLOBAL dynamic_or_filter_threshold = ${MAX_LOOKED_UP}`)
    // For `cached-blocks.ts`: a query is one SELECT, which changes no setting.
    await connection.run("SET GLOBAL allowed_configs = ['memory_limit']")
    await connection.run('SET GLOBAL lock_configuration = true')
    return checkFile
  } finally {
    connection.closeSync()
  }
}
