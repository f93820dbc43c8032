/** A time zone: `Z`, or what the clocks there are ahead by; PostgreSQL writes hours alone. */
const ZONE = String.raw`(?:([Zz])|([+-]\d{2})(?::?(\d{2}))?)?`

/** The two forms of ISO 8601: a date, perhaps with a time, perhaps with a zone. Every library writes the extended one. */
const FORMS = [
  RegExp(String.raw`^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})([.,]\d+)?)?${ZONE})?$`),
  RegExp(String.raw`^(\d{4})(\d{2})(\d{2})(?:[Tt ](\d{2})(\d{2})(?:(\d{2})([.,]\d+)?)?${ZONE})?$`),
]

/** Years 0001 to 9999, in milliseconds since 1970: what a column store and ISO 8601 with four digits can hold. */
export const EARLIEST_MS: number = Date.parse('0001-01-01T00:00:00Z')
export const LATEST_MS: number = Date.parse('9999-12-31T23:59:59Z')

const SECOND_MS = 1000
const DAY_MS = 86_400_000

/**
 * The moment that a text in ISO 8601 tells, in milliseconds since 1970, or null where it tells none: other forms, and days and
 * times that calendar and clock do not have. Without a zone it is UTC: the service's own must not matter. A leap second is the
 * moment after it, as clocks of computers have it.
 */
export const isoMoment = (text: string): number | null => {
  const found = FORMS[0]!.exec(text) ?? FORMS[1]!.exec(text)
  if (found === null) return null
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', , ahead, minutes = '00'] = found
  const date = `${year}-${month}-${day}`
  // A parser takes February 31 for March 2.
  const midnight = Date.parse(date)
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(date)) return null
  const zone = ahead === undefined ? 'Z' : `${ahead}:${minutes}`
  const isLeap = second === '60'
  const time = `${hour}:${minute}:${isLeap ? '59' : second}${fraction.replace(',', '.')}`
  const moment = Date.parse(`${date}T${time}${zone}`) + (isLeap ? SECOND_MS : 0)
  // Leap seconds are the last ones of a day in UTC.
  const isThere = !Number.isNaN(moment) && (!isLeap || moment - Math.floor(moment / DAY_MS) * DAY_MS < SECOND_MS)
  return isThere ? moment : null
}

/** Whether a value is a moment in ISO 8601 that can be stored: what a historical migration asks of each `timestamp`. */
export const isIsoMoment = (value: unknown): value is string => {
  const moment = typeof value === 'string' ? isoMoment(value.trim()) : null
  return moment !== null && moment >= EARLIEST_MS && moment <= LATEST_MS
}
