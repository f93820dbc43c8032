/** Start of the key range of event records, inclusive. */
export const EVENTS_FROM = 'e/'
/** End of the key range of event records, exclusive: `0` is the character after `/`. */
export const EVENTS_TO = 'e0'

/** Key of the state's durable copy in the event store. */
export const STATE_RECORD_KEY = 'c/state'

/**
 * Creates the keys of event records. Keys sort in capture order, even when the clock goes back, and differ between tabs. They contain the
 * record's length, so that the size of the store can be estimated from its keys alone. Form: `e/<time><counter><tab>~<characters>`, numbers
 * in base 36.
 */
export const createRecordKeys = (tab: string): ((now: number, characters: number) => string) => {
  let latest = 0
  let counter = 0
  return (now, characters) => {
    latest = Math.max(latest, now)
    return `${EVENTS_FROM}${toBase36(latest, 9)}${toBase36(counter++, 6)}${tab}~${characters.toString(36)}`
  }
}

/** The characters in a key of `createRecordKeys`; 0 for a key without one. */
export const charactersOfKey = (key: string): number => parseInt(key.split('~')[1] ?? '', 36) || 0

const toBase36 = (value: number, length: number): string => value.toString(36).padStart(length, '0')
