import type { KeyValue } from '../../port/key-value.ts'

/** Keeps texts as long as the page lives: the last resort where the browser refuses to store. */
export const memoryKeyValue = (): KeyValue => {
  const values = new Map<string, string>()
  return {
    get: (key) => values.get(key) ?? null,
    set: (key, value) => !!values.set(key, value),
    remove: (key) => void values.delete(key),
  }
}
