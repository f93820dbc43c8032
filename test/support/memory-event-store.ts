import type { EventStore } from '../../src/port/event-store.ts'

/** An event store in memory. */
export const memoryEventStore = (): EventStore => {
  const records = new Map<string, string>()

  const put = (key: string, value: string | undefined): void => {
    if (value === undefined) records.delete(key)
    else records.set(key, value)
  }
  const range = (from: string, to: string): string[] =>
    [...records.keys()].filter((key) => from <= key && key < to).sort()

  return {
    async write(entries) {
      for (const [key, value] of entries) put(key, value)
    },
    async update(key, change) {
      for (const [changedKey, value] of change(records.get(key))) put(changedKey, value)
    },
    async read(from, to, limit) {
      return range(from, to)
        .slice(0, limit)
        .map((key) => [key, records.get(key)!])
    },
    async keys(from, to) {
      return range(from, to)
    },
    close() {},
  }
}
