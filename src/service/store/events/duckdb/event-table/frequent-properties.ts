/** Events that are counted before it is decided which properties get a column. */
const WINDOW_EVENTS = 20_000

/** Events of the first window: a new project gets its columns before much is stored. */
const FIRST_WINDOW_EVENTS = 2000

/** A property gets a column if it occurs in more than this part of the events. */
const MIN_SHARE = 0.01

/** Maximum number of columns of one project. DuckDB stores each column of a row group as one segment at least. */
export const MAX_COLUMNS = 128

/** Properties that are counted at once. Of a project with more, the first ones in each window are counted. */
const MAX_COUNTED = 2000

/** Longer names, and those that need escapes in JSON, get no column. */
const SIMPLE_NAME = /^[^"\\\p{Cc}\p{Surrogate}]{1,100}$/u

/** Counts the properties that have no column. */
export interface PropertyCounter {
  addProperty(name: string): void
  addEvents(count: number): void
  /** The properties that are to get a column, most frequent first; none until enough events are counted. */
  takeFrequent(columnCount: number): readonly string[]
}

export const createPropertyCounter = (): PropertyCounter => {
  const counts = new Map<string, number>()
  let eventCount = 0
  let windowEvents = FIRST_WINDOW_EVENTS
  return {
    addProperty(name) {
      const count = counts.get(name)
      if (count !== undefined) counts.set(name, count + 1)
      else if (counts.size < MAX_COUNTED) counts.set(name, 1)
    },
    addEvents(count) {
      eventCount += count
    },
    takeFrequent(columnCount) {
      if (eventCount < windowEvents) return []
      const frequent = [...counts]
        .filter(([name, count]) => count > eventCount * MIN_SHARE && SIMPLE_NAME.test(name))
        .sort(([, first], [, second]) => second - first)
        .map(([name]) => name)
      counts.clear()
      eventCount = 0
      windowEvents = WINDOW_EVENTS
      return frequent.slice(0, Math.max(0, MAX_COLUMNS - columnCount))
    },
  }
}
