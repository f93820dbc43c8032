import type { KeyValue } from '../../port/key-value.ts'

/** Keeps strings in memory; the last fallback where the browser refuses storage. */
export const createMemoryKeyValue = (): KeyValue => {
  const values = new Map<string, string>()
  return {
    get: (key) => values.get(key) ?? null,
    set: (key, value) => !!values.set(key, value),
    remove: (key) => void values.delete(key),
  }
}
