const ZERO = 48

/** The characters between the digits of `2026-05-01T12:00:00.000Z`, by their index. */
const SEPARATORS: readonly (readonly [number, number])[] = [
  [4, 45],
  [7, 45],
  [10, 84],
  [13, 58],
  [16, 58],
  [19, 46],
  [23, 90],
]
const LENGTH = 24

/**
 * Parses a time as `Date.prototype.toJSON` writes it, and so nearly every client, to milliseconds since 1970: `parseIsoTime`, in a tenth of
 * the time. NaN for every other string, and for dates and times that do not exist.
 */
export const parseUsualTime = (string: string): number => {
  if (string.length !== LENGTH) return Number.NaN
  for (const [index, code] of SEPARATORS) if (string.charCodeAt(index) !== code) return Number.NaN
  const year = readDigits(string, 0, 4)
  const month = readDigits(string, 5, 7)
  const day = readDigits(string, 8, 10)
  const hour = readDigits(string, 11, 13)
  const minute = readDigits(string, 14, 16)
  const second = readDigits(string, 17, 19)
  const millisecond = readDigits(string, 20, 23)
  // `Date.UTC` takes years below 100 as those of the last century.
  if (!(year >= 100 && month >= 1 && month <= 12 && day >= 1 && hour < 24 && minute < 60 && second < 60))
    return Number.NaN
  if (day > 28 && day > new Date(Date.UTC(year, month, 0)).getUTCDate()) return Number.NaN
  return Date.UTC(year, month - 1, day, hour, minute, second, millisecond)
}

/** A number of decimal digits; NaN for other characters. */
const readDigits = (string: string, start: number, end: number): number => {
  let value = 0
  for (let index = start; index < end; index++) {
    const digit = string.charCodeAt(index) - ZERO
    if (digit < 0 || digit > 9) return Number.NaN
    value = value * 10 + digit
  }
  return value
}
