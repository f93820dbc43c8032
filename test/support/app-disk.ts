import type { AppStorage } from '../../src/platform/react-native/app-storage.ts'
import { andThen } from '../../src/platform/react-native/maybe-promise.ts'

/** An AppStorage over a map, of the kind that the test needs. */
export interface AppDisk {
  readonly entries: Map<string, string>
  readonly storage: AppStorage
  /** Calls with these names reject. */
  readonly broken: Set<keyof AppStorage>
}

/**
 * @param isSync Methods return results instead of promises.
 * @param isMany The storage has the methods for several entries at once.
 */
export const createAppDisk = (isSync: boolean, isMany: boolean): AppDisk => {
  const entries = new Map<string, string>()
  const broken = new Set<keyof AppStorage>()
  const answer = <T>(name: keyof AppStorage, work: () => T): T | Promise<T> => {
    const run = (): T => {
      if (broken.has(name)) throw new Error(`${name} refused`)
      return work()
    }
    return isSync ? run() : Promise.resolve().then(run)
  }
  return {
    entries,
    broken,
    storage: {
      getItem: (key) => answer('getItem', () => entries.get(key) ?? null),
      setItem: (key, value) => answer('setItem', () => void entries.set(key, value)),
      removeItem: (key) => answer('removeItem', () => void entries.delete(key)),
      getAllKeys: () => answer('getAllKeys', () => [...entries.keys()]),
      ...(isMany && {
        multiGet: (keys: readonly string[]) =>
          answer('multiGet', () => keys.map((key) => [key, entries.get(key) ?? null] as const)),
        multiSet: (pairs: [string, string][]) =>
          answer('multiSet', () => pairs.forEach(([key, value]) => entries.set(key, value))),
        multiRemove: (keys: string[]) => answer('multiRemove', () => keys.forEach((key) => entries.delete(key))),
      }),
    },
  }
}

/** The same storage with the names that AsyncStorage 3 has for the methods of several entries. */
export const asAsyncStorage3 = ({ multiGet, multiSet, multiRemove, ...storage }: AppStorage): AppStorage => ({
  ...storage,
  getMany: (keys) => andThen(multiGet!(keys), (entries) => Object.fromEntries(entries)),
  setMany: (entries) => multiSet!(Object.entries(entries)),
  removeMany: (keys) => multiRemove!(keys),
})
