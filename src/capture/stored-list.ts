import type { KeyValue } from '../port/key-value.ts'

/** Reads a list that was stored as JSON; none, or a corrupt one, is as good as an empty one. */
export const readList = (storage: KeyValue, key: string): readonly unknown[] => {
  try {
    return [...(JSON.parse(storage.get(key) ?? '[]') as unknown[])]
  } catch {
    return []
  }
}
