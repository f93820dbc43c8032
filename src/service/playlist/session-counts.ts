import type { Indexer } from '../indexer/indexer.ts'
import { QueryError } from '../indexer/query-error.ts'
import type { FilterContext } from '../insight/filter/filter-context.ts'
import { FilterError } from '../insight/filter/filter-error.ts'
import { loadFilterContext } from '../insight/filter/load-filter-context.ts'
import { parseSessionFilter } from '../insight/session/parse-session-filter.ts'
import { writeSessionCount } from '../insight/session/write-session-count.ts'
import type { Engine } from '../store/events/question/engine.ts'
import type { Metadata } from '../store/metadata/open.ts'
import type { Playlist } from '../store/metadata/playlists.ts'

/** How many sessions match the filters of a playlist. */
export interface SessionCount {
  /** Null if it was never counted: the filters cannot be applied to events, or counting failed or took too long. */
  readonly count: number | null
  /** Whether it has grown since the count before. */
  readonly hasIncreased: boolean
  /** When it was counted; milliseconds since 1970. Null if it never was. */
  readonly countedAt: number | null
}

/** Counts the sessions of playlists, and remembers the counts. */
export interface SessionCounts {
  /** The counts of playlists of one project, in their order. Never rejects because of a playlist. */
  readonly read: (projectId: number, playlists: readonly Playlist[]) => Promise<readonly SessionCount[]>
}

/** Dependencies of `createSessionCounts`. */
export interface SessionCountsOptions {
  readonly metadata: Metadata
  readonly indexer: Pick<Indexer, 'query' | 'status'>
  /** That of the event stores. */
  readonly engine: Engine
  /** Milliseconds until a request is answered with the counts that there are; the counts of a list share them. */
  readonly timeoutMs: number
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** A count is not repeated sooner than this, however many events arrive. */
const MIN_AGE_MS = 1_000
/** Without new events a count is repeated after this time: relative dates move on, persons and cohorts change. */
const MAX_AGE_MS = 30_000
/** Playlists whose counts are remembered; the least recently counted one is forgotten for another. */
const MAX_REMEMBERED = 10_000

const NOT_COUNTED: SessionCount = { count: null, hasIncreased: false, countedAt: null }

interface Entry {
  readonly version: number
  readonly count: SessionCount
  /** The position of the indexer, and the time, when counting began. */
  readonly position: number
  readonly startedAt: number
}

export const createSessionCounts = ({
  metadata,
  indexer,
  engine,
  timeoutMs,
  now,
}: SessionCountsOptions): SessionCounts => {
  // In the order of counting: a Map iterates in insertion order.
  const entries = new Map<number, Entry>()
  /** Counts in flight, by playlist and version, which requests at the same time share. */
  const running = new Map<string, Promise<void>>()

  const remember = (id: number, entry: Entry): void => {
    entries.delete(id)
    entries.set(id, entry)
    const [oldest] = entries.keys()
    if (entries.size > MAX_REMEMBERED) entries.delete(oldest!)
  }

  const isFresh = ({ version, position, startedAt }: Entry, playlist: Playlist): boolean => {
    // Negative if the clock was set back; the count may then be old.
    const age = now() - startedAt
    const isUnchanged = position === indexer.status().position
    return version === playlist.version && age >= 0 && age < (isUnchanged ? MAX_AGE_MS : MIN_AGE_MS)
  }

  const count = async (
    projectId: number,
    { id, version, filters }: Playlist,
    context: FilterContext,
    remainingMs: number,
  ): Promise<void> => {
    const { position } = indexer.status()
    const startedAt = now()
    const previous = entries.get(id)
    const isSameVersion = previous?.version === version
    let result = isSameVersion ? previous.count : NOT_COUNTED
    try {
      const sql = writeSessionCount(parseSessionFilter(filters, 'filters', context), 'filters', context, engine)
      const { rows } = await indexer.query({ projectId, sql, timeoutMs: remainingMs, maxRows: 1 })
      const total = Number(rows[0]?.[0])
      const previousTotal = isSameVersion ? previous.count.count : null
      result = { count: total, hasIncreased: previousTotal !== null && total > previousTotal, countedAt: now() }
    } catch (error) {
      // What cannot be counted stays unknown; a count that failed is repeated like any other.
      if (error instanceof FilterError) result = NOT_COUNTED
      else if (!(error instanceof QueryError)) throw error
      // It had less time than others, so it stays the oldest and is the first of the next request.
      else if (remainingMs < timeoutMs) return
    }
    remember(id, { version, count: result, position, startedAt })
  }

  const countOnce = (
    projectId: number,
    playlist: Playlist,
    context: FilterContext,
    remainingMs: number,
  ): Promise<void> => {
    const key = `${playlist.id} ${playlist.version}`
    const counting =
      running.get(key) ?? count(projectId, playlist, context, remainingMs).finally(() => running.delete(key))
    running.set(key, counting)
    return counting
  }

  /** When a playlist was counted last as it is now; -Infinity for never. */
  const lastCountOf = ({ id, version }: Playlist): number => {
    const entry = entries.get(id)
    return entry?.version === version ? entry.startedAt : -Infinity
  }

  return {
    async read(projectId, playlists) {
      const stale = playlists.filter((playlist) => {
        const entry = entries.get(playlist.id)
        return playlist.type === 'filters' && (entry === undefined || !isFresh(entry, playlist))
      })
      if (stale.length > 0) {
        const context = await loadFilterContext(metadata, projectId, now())
        const deadline = now() + timeoutMs
        // The oldest count first: in the order of the page, the last ones would never have time while events arrive.
        const byAge = stale.map((playlist) => ({ playlist, lastCount: lastCountOf(playlist) }))
        byAge.sort((a, b) => (a.lastCount === b.lastCount ? 0 : a.lastCount - b.lastCount))
        // One after the other: each query uses all threads of the store.
        for (const { playlist } of byAge) {
          const remainingMs = deadline - now()
          if (remainingMs <= 0) break
          await countOnce(projectId, playlist, context, remainingMs)
        }
      }
      return playlists.map(({ id, version, type }) => {
        const entry = entries.get(id)
        return type === 'filters' && entry?.version === version ? entry.count : NOT_COUNTED
      })
    },
  }
}
