import type { DuckDBConnection } from '@duckdb/node-api'
import type { DuckDbLimits } from './open-instance.ts'

/** Blocks of the file in DuckDB's memory. It keeps those that it writes, too, up to its limit, although no query may ever read them. */
export interface CachedBlocks {
  /** Notes events that are written. */
  onWrite(events: number): void
  /** Notes that a query begins: its blocks are kept, because more queries may follow. */
  onQuery(): void
  /** Gives up the blocks after many events without a query. No transaction may be open, and no query running. */
  freeNext(): Promise<void>
}

export interface CachedBlocksOptions extends Pick<DuckDbLimits, 'memoryMb'> {
  /** Events without a query after which blocks are given up. Default: 250,000, whose blocks take 20 MB. */
  readonly freeAfterEvents?: number | undefined
}

const FREE_AFTER_EVENTS = 250_000

/** Megabytes that remain, for the open row group and what look-ups read. With less, DuckDB would write the open group to its spill files. */
const REMAINING_MB = 64

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
    async freeNext() {
      if (events < freeAfterEvents || memoryMb <= REMAINING_MB) return
      events = 0
      const limitTo = (megabytes: number) => connection.run(`SET GLOBAL memory_limit = '${megabytes}MB'`)
      // DuckDB frees blocks until it meets the new limit. It refuses one that it cannot meet, after it has freed what it can.
      await limitTo(REMAINING_MB).catch(() => undefined)
      await limitTo(memoryMb)
    },
  }
}
