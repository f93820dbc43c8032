import type { KeyValue } from '../port/key-value.ts'

/** Reads a list that is stored as JSON; empty when it is missing or corrupt. */
export const readList = (storage: KeyValue, key: string): readonly unknown[] => {
  try {
    return [...(JSON.parse(storage.get(key) ?? '[]') as unknown[])]
  } catch {
    return []
  }
}
