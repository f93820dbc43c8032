import type { StoreRecord } from '../port/event-store.ts'
import type { KeyValue } from '../port/key-value.ts'
import { readList } from './read-list.ts'

/**
 * Prefix of the keys of spills. A spill keeps events in the page's synchronous storage until the next page, because nothing else has them.
 */
export const SPILL_PREFIX = 'spill'

/**
 * The keys of all spills. A page uses the key with the last digit of its tab's id. A browser that quits shows one process late
 * what another has written. With a single key, pages that close together would overwrite each other's events.
 */
export const SPILL_KEYS: readonly string[] = Array.from('0123456789abcdef', (digit) => SPILL_PREFIX + digit)

/** Maximum characters of the events in one spill. */
export const MAX_SPILL_LENGTH: number = 256 * 1024

/**
 * Adds events to a spill in the given order, as far as `MAX_SPILL_LENGTH` and the platform allow. An event that does not fit is skipped.
 *
 * @returns The events that did not fit.
 */
export const writeSpill = (storage: KeyValue, key: string, records: readonly StoreRecord[]): readonly StoreRecord[] => {
  const earlier = readSpill(storage, key)
  let remaining = MAX_SPILL_LENGTH
  for (const { value } of earlier) remaining -= value.length
  const added = records.filter(({ value }) => {
    const fits = value.length <= remaining
    if (fits) remaining -= value.length
    return fits
  })
  while (added.length && !setSpill(storage, key, [...earlier, ...added])) added.length >>= 1
  return records.filter((record) => !added.includes(record))
}

/** Removes events that are in the store by now from a spill. Events that another page has added since stay. */
export const shrinkSpill = (storage: KeyValue, key: string, stored: readonly StoreRecord[]): void => {
  const storedKeys = new Set(stored.map((record) => record.key))
  const rest = readSpill(storage, key).filter((record) => !storedKeys.has(record.key))
  if (rest.length) setSpill(storage, key, rest)
  else storage.remove(key)
}

export const readSpill = (storage: KeyValue, key: string): readonly StoreRecord[] => {
  const spill = readList(storage, key) as readonly (readonly [string, string])[]
  return spill.map(([key, value]) => ({ key, value }))
}

const setSpill = (storage: KeyValue, key: string, records: readonly StoreRecord[]): boolean =>
  storage.set(key, JSON.stringify(records.map(({ key, value }) => [key, value])))
