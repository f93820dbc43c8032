import type { Clock } from '../../port/clock.ts'
import { withTimeout } from '../../port/with-timeout.ts'
import { createMemoryKeyValue } from '../memory/memory-key-value.ts'
import { readItems } from './app-storage.ts'
import type { AppStorage } from './app-storage.ts'
import { createAppStores } from './app-stores.ts'
import type { AppStorageKeys, OpenedAppStorage } from './app-stores.ts'
import { andThen, isPromise } from './maybe-promise.ts'
import type { MaybePromise } from './maybe-promise.ts'

/** Limit of the first read. Without it, a storage that never answers would hold all calls in memory without end. */
const OPEN_TIMEOUT_MS = 10_000

/** Stores nothing beyond the run of the app. */
const createMemoryStorage = ({ spillPrefix }: AppStorageKeys): OpenedAppStorage => {
  const memory = createMemoryKeyValue()
  return {
    keyValue: { ...memory, set: (key, value) => !key.startsWith(spillPrefix) && memory.set(key, value) },
  }
}

/**
 * Reads what the last run of the app has left, except for its events.
 *
 * If that fails, the stores work in memory and write nothing: what the storage holds stays for the next start.
 *
 * @param storage Undefined: only memory.
 * @param warn Called once when the storage cannot be read, and once when it cannot be written.
 * @returns At once where the storage answers at once. Never throws or rejects.
 */
export const openAppStorage = (
  storage: AppStorage | undefined,
  keys: AppStorageKeys,
  clock: Pick<Clock, 'after'>,
  warn: (...message: unknown[]) => void,
): MaybePromise<OpenedAppStorage> => {
  const reportFailure = (error: unknown): void => warn('storage_unavailable:', error)
  const fail = (error: unknown): OpenedAppStorage => {
    warn('storage_unavailable: opted out until optIn():', error)
    return { ...createMemoryStorage(keys), isUnreadable: true }
  }
  if (!storage) return createMemoryStorage(keys)
  try {
    const opened = readStorage(storage, keys, (ownKeys, entries) =>
      createAppStores(storage, keys, ownKeys, entries, clock, reportFailure),
    )
    return isPromise(opened)
      ? withTimeout(clock, OPEN_TIMEOUT_MS, Promise.resolve(opened)).then((stores) => stores ?? fail('timeout'), fail)
      : opened
  } catch (error) {
    return fail(error)
  }
}

/** Reads all keys, and the entries that are not events. */
const readStorage = <Result>(
  storage: AppStorage,
  { prefix, eventsFrom }: AppStorageKeys,
  create: (ownKeys: readonly string[], entries: ReadonlyMap<string, string | undefined>) => Result,
): MaybePromise<Result> =>
  andThen(storage.getAllKeys(), (allKeys) => {
    const ownKeys = allKeys
      .filter((key) => key.startsWith(prefix))
      .map((key) => key.slice(prefix.length))
      .filter((key) => !key.includes('_'))
    const smallKeys = ownKeys.filter((key) => !key.startsWith(eventsFrom))
    const items = readItems(
      storage,
      smallKeys.map((key) => prefix + key),
    )
    return andThen(items, (values) => create(ownKeys, new Map(smallKeys.map((key, index) => [key, values[index]]))))
  })
