import type { StoreRecord } from '../port/event-store.ts'
import type { KeyValue } from '../port/key-value.ts'
import { stringify } from '../lib/stringify.ts'
import { readList } from './read-list.ts'

/**
 * Prefix of the keys of spills. A spill keeps events in the page's synchronous storage for the next page, when the event store does not
 * have them.
 */
export const SPILL_PREFIX = 'spill'

/**
 * The keys of all spills. A page uses the key with the last digit of its tab's id. While a browser quits, its processes see each other's
 * writes late. With a single key, pages that close together would overwrite each other's events.
 */
export const SPILL_KEYS: readonly string[] = '0123456789abcdef'.split('').map((digit) => SPILL_PREFIX + digit)

/** Maximum characters of the events in one spill. */
export const MAX_SPILL_LENGTH: number = 256 * 1024

/**
 * Adds events to a spill in the given order. An event beyond `MAX_SPILL_LENGTH` is skipped. When the platform refuses the write, the second
 * half of the events is skipped until the write succeeds.
 *
 * @returns The events that did not fit.
 */
export const writeSpill = (storage: KeyValue, key: string, records: readonly StoreRecord[]): readonly StoreRecord[] => {
  const earlierRecords = readSpill(storage, key)
  let remaining = MAX_SPILL_LENGTH
  for (const [, value] of earlierRecords) remaining -= value.length
  const addedRecords = records.filter(([, value]) => {
    const fits = value.length <= remaining
    if (fits) remaining -= value.length
    return fits
  })
  while (addedRecords.length && !setSpill(storage, key, [...earlierRecords, ...addedRecords])) addedRecords.length >>= 1
  return records.filter((record) => !addedRecords.includes(record))
}

/** Removes from a spill the events that the store has. Events that another page has added since stay. */
export const shrinkSpill = (storage: KeyValue, key: string, storedRecords: readonly StoreRecord[]): void => {
  const storedKeys = new Set(storedRecords.map(([key]) => key))
  const remainingRecords = readSpill(storage, key).filter(([key]) => !storedKeys.has(key))
  if (remainingRecords.length) setSpill(storage, key, remainingRecords)
  else storage.remove(key)
}

export const readSpill = (storage: KeyValue, key: string): readonly StoreRecord[] =>
  readList(storage, key) as readonly StoreRecord[]

const setSpill = (storage: KeyValue, key: string, records: readonly StoreRecord[]): boolean =>
  storage.set(key, stringify(records))
