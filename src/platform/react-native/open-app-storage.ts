import type { Clock } from '../../port/clock.ts'
import { once } from '../../lib/once.ts'
import { withTimeout } from '../../lib/with-timeout.ts'
import { createMemoryKeyValue } from '../memory/memory-key-value.ts'
import { readItem, readItems } from './app-storage.ts'
import type { AppStorage } from './app-storage.ts'
import { createAppStores } from './app-stores.ts'
import type { AppStorageKeys, OpenedAppStorage } from './app-stores.ts'
import { all, andThen, isPromise, settle } from './maybe-promise.ts'
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
    const opened = readStorage(storage, keys, once(reportFailure), (ownKeys, entries) =>
      createAppStores(storage, keys, ownKeys, entries, clock, reportFailure),
    )
    return isPromise(opened)
      ? withTimeout(clock, OPEN_TIMEOUT_MS, Promise.resolve(opened)).then((stores) => stores ?? fail('timeout'), fail)
      : opened
  } catch (error) {
    return fail(error)
  }
}

/**
 * Reads all keys, and the entries that are not events. Some storages give no list of keys, or one with holes: the state is read all the same,
 * because the user may have opted out. Any other entry that cannot be read counts as missing, because no later start could read it either.
 *
 * @param onFailure Called when something cannot be read that the agent can do without.
 */
const readStorage = <Result>(
  storage: AppStorage,
  { prefix, eventsFrom, stateRecordKey }: AppStorageKeys,
  onFailure: (error: unknown) => void,
  create: (ownKeys: readonly string[], entries: ReadonlyMap<string, string | undefined>) => Result,
): MaybePromise<Result> => {
  const readEach = (keys: readonly string[]): MaybePromise<readonly (string | undefined)[]> =>
    all(
      keys.map((key) =>
        settle(
          () => readItem(storage, key),
          (error) => {
            if (key === prefix + stateRecordKey) throw error
            onFailure(error)
            return undefined
          },
        ),
      ),
    )
  const readEntries = (keys: readonly string[]): MaybePromise<ReadonlyMap<string, string | undefined>> => {
    const storedKeys = keys.map((key) => prefix + key)
    const items = settle(
      () => readItems(storage, storedKeys),
      () => readEach(storedKeys),
    )
    return andThen(items, (values) => new Map(keys.map((key, index) => [key, values[index]])))
  }

  return andThen(
    settle<unknown, undefined>(
      () => storage.getAllKeys(),
      () => undefined,
    ),
    (listed) => {
      if (!Array.isArray(listed)) {
        onFailure('getAllKeys() gives no list; events of earlier runs stay in the storage')
        return andThen(readEntries([stateRecordKey]), (entries) =>
          create(entries.get(stateRecordKey) === undefined ? [] : [stateRecordKey], entries),
        )
      }
      const ownKeys = listed
        .filter((key): key is string => typeof key === 'string' && key.startsWith(prefix))
        .map((key) => key.slice(prefix.length))
        .filter((key) => !key.includes('_'))
      return andThen(readEntries(ownKeys.filter((key) => !key.startsWith(eventsFrom))), (entries) =>
        create(ownKeys, entries),
      )
    },
  )
}
