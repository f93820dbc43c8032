import type { DateRange } from '../time/date-range.ts'

/** An answer, and what tells whether it still holds. */
export interface CachedAnswer {
  /** What the query means for clients; see `InsightAnswer.results`. */
  readonly results: unknown
  /** When it was computed. Milliseconds since 1970. */
  readonly computedAt: number
  /**
   * From then on, the dates that the query names are other ones. For an answer whose filters, or whose cohorts, have a relative date that is
   * always so; it holds for `GRACE_MS` nevertheless. Milliseconds since 1970.
   */
  readonly validBefore: number
  /** The events that it depends on, with their number right before they were read. */
  readonly counts: readonly EventCount[]
}

/** How many events there are in a range. */
export interface EventCount {
  readonly range: DateRange
  readonly count: number
}

/** Answers in memory; the least recently used ones are forgotten. */
export interface AnswerCache {
  find(key: string): CachedAnswer | undefined
  /** Replaces the answer with this key. An answer that is larger than the cache is not kept. */
  add(key: string, answer: CachedAnswer): void
}

/** Size of an answer besides its results, in bytes: more than most have. */
const OVERHEAD_BYTES = 1000

/** @param maxBytes of all answers, as JSON. */
export const createAnswerCache = (maxBytes: number): AnswerCache => {
  // In the order of use: a Map iterates in insertion order.
  const entries = new Map<string, { readonly answer: CachedAnswer; readonly bytes: number }>()
  let totalBytes = 0
  const remove = (key: string): void => {
    totalBytes -= entries.get(key)?.bytes ?? 0
    entries.delete(key)
  }
  return {
    find(key) {
      const entry = entries.get(key)
      if (entry === undefined) return undefined
      entries.delete(key)
      entries.set(key, entry)
      return entry.answer
    },
    add(key, answer) {
      remove(key)
      const bytes = JSON.stringify(answer.results).length + OVERHEAD_BYTES
      if (bytes > maxBytes) return
      entries.set(key, { answer, bytes })
      totalBytes += bytes
      for (const oldest of entries.keys()) {
        if (totalBytes <= maxBytes) return
        remove(oldest)
      }
    },
  }
}
