import type { KeyValue } from '../port/key-value.ts'
import { tryOr } from '../lib/try-or.ts'

/**
 * Reads a list that is stored as JSON; empty when the entry is missing, is not JSON, or cannot be iterated. The type is not
 * checked, so a JSON string gives a list of its characters; only the agent writes these entries.
 */
export const readList = (storage: KeyValue, key: string): readonly unknown[] =>
  tryOr(() => [...(JSON.parse(storage.get(key) ?? '[]') as unknown[])], [])
