import { toWellFormed } from '../store/events/to-well-formed-json.ts'

/** Writes a string as a string of ClickHouse's SQL, in which a backslash escapes. Lone surrogates become U+FFFD, as in stored events. */
export const quoteString = (string: string): string =>
  `'${toWellFormed(string).replaceAll(/['\\]/g, '\\$&').replaceAll('\0', '\\0')}'`

/** Writes a name as an identifier. */
export const quoteName = (name: string): string => `\`${name.replaceAll(/[`\\]/g, '\\$&')}\``
