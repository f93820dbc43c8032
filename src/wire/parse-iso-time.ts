/** A time zone: `Z`, or the offset from UTC. PostgreSQL writes offsets without minutes. */
const ZONE = String.raw`(?:([Zz])|([+-]\d{2})(?::?(\d{2}))?)?`

/** The extended and the basic form of ISO 8601: a date with an optional time and zone. Most libraries write the extended form. */
const FORMS = [
  RegExp(String.raw`^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})([.,]\d+)?)?${ZONE})?$`),
  RegExp(String.raw`^(\d{4})(\d{2})(\d{2})(?:[Tt ](\d{2})(\d{2})(?:(\d{2})([.,]\d+)?)?${ZONE})?$`),
]

/** Years 0001 to 9999, in milliseconds since 1970: the range of a column store and of ISO 8601 with four digits. */
export const MIN_TIME_MS: number = Date.parse('0001-01-01T00:00:00Z')
export const MAX_TIME_MS: number = Date.parse('9999-12-31T23:59:59Z')

const SECOND_MS = 1000
const DAY_MS = 86_400_000

/**
 * Parses an ISO 8601 time to milliseconds since 1970. Null for other forms, and for dates and times that do not exist. A time without a
 * zone is UTC, so that the result does not depend on the service's own zone. A leap second gives the next second, as computer clocks do.
 */
export const parseIsoTime = (text: string): number | null => {
  const match = FORMS[0]!.exec(text) ?? FORMS[1]!.exec(text)
  if (match === null) return null
  const [
    ,
    year,
    month,
    day,
    hour = '00',
    minute = '00',
    second = '00',
    fraction = '',
    ,
    offsetHours,
    offsetMinutes = '00',
  ] = match
  const date = `${year}-${month}-${day}`
  // Date.parse accepts February 31 as March 2.
  const midnight = Date.parse(date)
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(date)) return null
  const zone = offsetHours === undefined ? 'Z' : `${offsetHours}:${offsetMinutes}`
  const isLeapSecond = second === '60'
  const timeOfDay = `${hour}:${minute}:${isLeapSecond ? '59' : second}${fraction.replace(',', '.')}`
  const time = Date.parse(`${date}T${timeOfDay}${zone}`) + (isLeapSecond ? SECOND_MS : 0)
  // Leap seconds exist only at the end of a day in UTC.
  const exists = !Number.isNaN(time) && (!isLeapSecond || time - Math.floor(time / DAY_MS) * DAY_MS < SECOND_MS)
  return exists ? time : null
}

/** Whether a value is an ISO 8601 time that can be stored. A historical migration requires it of each `timestamp`. */
export const isStorableIsoTime = (value: unknown): value is string => {
  const time = typeof value === 'string' ? parseIsoTime(value.trim()) : null
  return time !== null && time >= MIN_TIME_MS && time <= MAX_TIME_MS
}
