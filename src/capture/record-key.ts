/** Start of the key range of event records, inclusive. */
export const EVENTS_FROM = 'e/'
/** End of the key range of event records, exclusive: `0` is the character after `/`. */
export const EVENTS_TO = 'e0'

/** Key of the state's durable copy in the event store. */
export const STATE_RECORD_KEY = 'c/state'

/**
 * Creates the keys of event records. Keys sort in capture order, even when the clock goes back, and differ between tabs. They contain the
 * record's size, so that the size of the store can be computed from its keys alone. Form: `e/<time><counter><tab>~<bytes in UTF-8>`, numbers
 * in base 36. Records of earlier versions have their characters there.
 */
export const createRecordKeys = (tab: string): ((now: number, size: number) => string) => {
  let latest = 0
  let counter = 0
  return (now, size) => {
    latest = Math.max(latest, now)
    return `${EVENTS_FROM}${toBase36(latest, 9)}${toBase36(counter++, 6)}${tab}~${size.toString(36)}`
  }
}

/** The size in a key of `createRecordKeys`; 0 for a key without one. */
export const sizeOfKey = (key: string): number => parseInt(key.split('~')[1] ?? '', 36) || 0

const toBase36 = (value: number, length: number): string => value.toString(36).padStart(length, '0')
