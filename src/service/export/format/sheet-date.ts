/** A date as a spreadsheet has it. */
export interface SheetDate {
  /** Days since the last day of 1899, with the part of the day that has passed in UTC. */
  readonly serial: number
  readonly hasTime: boolean
}

const DAY_MS = 86_400_000

/** The number of the first day of 1970. */
const EPOCH_SERIAL = 25_569

/** Before March 1900, spreadsheet programs number the days differently. */
const FIRST_MS = Date.UTC(1900, 2, 1)

/** As our answers write dates and times in UTC, and names of periods (`2026-01-02 03:00:00`). */
const ISO = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?Z?)?$/

/** Decimals of the number that tell milliseconds: one is about 1e-8 of a day. */
const DECIMALS = 10

/** Reads a string that is a date, or a time in UTC; null for any other, and for what a spreadsheet cannot have. */
export const readSheetDate = (text: string): SheetDate | null => {
  if (!ISO.test(text)) return null
  const hasTime = text.length > 'YYYY-MM-DD'.length
  const iso = `${text.slice(0, 10)}T${hasTime ? text.slice(11).replace('Z', '') : '00:00'}Z`
  const time = Date.parse(iso)
  // A date that no calendar has would become one of the next month.
  if (Number.isNaN(time) || time < FIRST_MS || !new Date(time).toISOString().startsWith(iso.slice(0, 16))) return null
  return { serial: Number((time / DAY_MS + EPOCH_SERIAL).toFixed(DECIMALS)), hasTime }
}
