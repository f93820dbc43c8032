/** Range of all event records: from this key … */
export const EVENTS_FROM = 'e/'
/** … up to this one (the character after `/`). */
export const EVENTS_TO = 'e0'

/** The state's durable copy, which lies beside the events. */
export const STATE_KEY = 'c/state'

/**
 * Gives each event a key that sorts in capture order, also when the clock goes back, differs between tabs, and tells the record's
 * size, so that a look at the keys alone tells how full the store is: `e/<time><counter><tab>~<characters>`, numbers in base 36.
 */
export const createRecordKeys = (tab: string): ((now: number, size: number) => string) => {
  let latest = 0
  let counter = 0
  return (now, size) => {
    latest = Math.max(latest, now)
    return `${EVENTS_FROM}${digits(latest, 9)}${digits(counter++, 6)}${tab}~${size.toString(36)}`
  }
}

/** The size that `createRecordKeys` wrote into a key; 0 for a key that tells none. */
export const sizeOfKey = (key: string): number => parseInt(key.split('~')[1] ?? '', 36) || 0

const digits = (value: number, length: number): string => value.toString(36).padStart(length, '0')
