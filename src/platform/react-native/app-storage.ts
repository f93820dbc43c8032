import { all, andThen } from './maybe-promise.ts'
import type { MaybePromise } from './maybe-promise.ts'

/**
 * A storage of strings that outlives the app: AsyncStorage, `expo-sqlite/kv-store`, or an object with these methods around MMKV or
 * files. Methods return their results or promises of them. If all return results, the agent has read the storage when `init` returns.
 *
 * Keys begin with `waymark_` and contain only printable ASCII characters, also `/`.
 */
export interface AppStorage {
  getItem(key: string): MaybePromise<string | null | undefined>
  setItem(key: string, value: string): unknown
  removeItem(key: string): unknown
  getAllKeys(): MaybePromise<readonly string[]>
  /** Reads several entries at once, as AsyncStorage 3 does. Default: `multiGet`. */
  getMany?(keys: readonly string[]): MaybePromise<Readonly<Record<string, string | null | undefined>>>
  /** Writes several entries at once, as AsyncStorage 3 does. Default: `multiSet`. */
  setMany?(entries: Record<string, string>): unknown
  /** Removes several entries at once, as AsyncStorage 3 does. Default: `multiRemove`. */
  removeMany?(keys: string[]): unknown
  /** Reads several entries at once, as earlier versions of AsyncStorage do. Default: one call of `getItem` per entry. */
  multiGet?(
    keys: readonly string[],
  ): MaybePromise<readonly (readonly [key: string, value: string | null | undefined])[]>
  /** Writes several entries at once. Default: one call of `setItem` per entry. */
  multiSet?(entries: [key: string, value: string][]): unknown
  /** Removes several entries at once. Default: one call of `removeItem` per entry. */
  multiRemove?(keys: string[]): unknown
}

/** A storage around another one may return something else, such as parsed JSON: that counts as missing. */
const toString = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** Reads an entry; undefined when it is missing. */
export const readItem = (storage: AppStorage, key: string): MaybePromise<string | undefined> =>
  andThen(storage.getItem(key), toString)

/** Reads entries in the order of `keys`; undefined for a missing one. */
export const readItems = (
  storage: AppStorage,
  keys: readonly string[],
): MaybePromise<readonly (string | undefined)[]> => {
  if (!keys.length) return []
  const inOrder = (values: Readonly<Record<string, unknown>>): readonly unknown[] => keys.map((key) => values[key])
  const values = storage.getMany
    ? andThen(storage.getMany(keys), inOrder)
    : storage.multiGet
      ? andThen(storage.multiGet(keys), (entries) => inOrder(Object.fromEntries(entries)))
      : all<unknown>(keys.map((key) => storage.getItem(key)))
  return andThen(values, (read) => read.map(toString))
}

/**
 * Like `readItems`, but an entry that cannot be read is null, and holds back no other one. On Android, AsyncStorage writes entries of more than
 * 2 MB, but cannot read them. Rejects if no entry can be read: then the storage itself fails.
 */
export const readReadableItems = async (
  storage: AppStorage,
  keys: readonly string[],
  onUnreadable: (error: unknown) => void,
): Promise<readonly (string | null | undefined)[]> => {
  try {
    return await readItems(storage, keys)
  } catch (error) {
    const read = async (key: string): Promise<string | undefined> => readItem(storage, key)
    const values = await Promise.all(keys.map((key) => read(key).catch(() => null)))
    if (values.every((value) => value === null)) throw error
    onUnreadable(error)
    return values
  }
}

/** Writes entries, in order. */
export const writeItems = async (storage: AppStorage, entries: [key: string, value: string][]): Promise<void> => {
  if (storage.setMany && entries.length > 1) await storage.setMany(Object.fromEntries(entries))
  else if (storage.multiSet && entries.length > 1) await storage.multiSet(entries)
  else for (const [key, value] of entries) await storage.setItem(key, value)
}

/** Removes entries, in order. */
export const removeItems = async (storage: AppStorage, keys: string[]): Promise<void> => {
  if (storage.removeMany && keys.length > 1) await storage.removeMany(keys)
  else if (storage.multiRemove && keys.length > 1) await storage.multiRemove(keys)
  else for (const key of keys) await storage.removeItem(key)
}
