import type { DuckDBConnection } from '@duckdb/node-api'
import type { DuckDbLimits } from './open-instance.ts'

/** Blocks of the file in DuckDB's memory. It keeps those that it writes, too, up to its limit, although no query may ever read them. */
export interface CachedBlocks {
  /** Notes events that are written. */
  onWrite(events: number): void
  /** Notes that a query begins or ends: its blocks are kept, because more queries may follow. */
  onQuery(): void
  /** Whether many events were written since the last query, or since the blocks were given up. */
  areUnused(): boolean
  /** Gives up the blocks. Nothing else may run in this instance meanwhile. */
  free(): Promise<void>
}

export interface CachedBlocksOptions extends Pick<DuckDbLimits, 'memoryMb'> {
  /** Events without a query after which blocks are given up. Default: 250,000, whose blocks take 20 MB. */
  readonly freeAfterEvents?: number | undefined
}

const FREE_AFTER_EVENTS = 250_000

/** Megabytes of blocks that remain, among them those that look-ups of persons read again and again. */
const REMAINING_MB = 8

/** @param connection may change the limit of memory (`open-instance.ts`). */
export const createCachedBlocks = (
  connection: DuckDBConnection,
  { memoryMb, freeAfterEvents = FREE_AFTER_EVENTS }: CachedBlocksOptions,
): CachedBlocks => {
  let events = 0
  return {
    onWrite(count) {
      events += count
    },
    onQuery() {
      events = 0
    },
    areUnused: () => events >= freeAfterEvents,
    async free() {
      events = 0
      const limitMb = (await readOtherMegabytes(connection)) + REMAINING_MB
      if (limitMb < memoryMb) await freeDownTo(connection, limitMb, memoryMb)
    },
  }
}

/** Memory beside blocks, such as the open row group. To give that up, DuckDB would write it to its spill files. */
const readOtherMegabytes = async (connection: DuckDBConnection): Promise<number> => {
  const reader = await connection.runAndReadAll(
    "SELECT ceil(sum(memory_usage_bytes) / 1e6)::INTEGER FROM duckdb_memory() WHERE tag <> 'BASE_TABLE'",
  )
  return Number(reader.getRows()[0]![0])
}

/** DuckDB frees blocks until it meets a new limit. It refuses one that it cannot meet, after it has freed what it can. */
const freeDownTo = async (connection: DuckDBConnection, lowMb: number, limitMb: number): Promise<void> => {
  try {
    await connection.run(`SET GLOBAL memory_limit = '${lowMb}MB'; SET GLOBAL memory_limit = '${limitMb}MB'`)
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith('Out of Memory'))) throw error
  }
}
