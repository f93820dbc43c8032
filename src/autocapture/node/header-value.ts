/** Longer values are cut to this length: a client could fill the store with them. The protocol's Node SDK has the same limit. */
const MAX_HEADER_LENGTH = 1_000

/** The control characters of Unicode: C0, DEL and C1. */
// oxlint-disable-next-line no-control-regex -- this pattern removes them
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f]/g

/** A request's headers: Node's record, or one of another library, whose names may have any case. */
export type HeaderRecord = Readonly<Record<string, string | readonly string[] | undefined>>

/** A request with headers. */
export interface HeaderSource {
  readonly headers: HeaderRecord
  /** A flat list as received: name, value, name, value and so on. Node's requests have it. */
  readonly rawHeaders?: readonly string[] | undefined
}

/** Returns the first non-empty value of a header, trimmed and without control characters; undefined if there is none. */
export const cleanHeaderValue = (value: unknown): string | undefined => {
  for (const item of [value].flat()) {
    const clean =
      typeof item === 'string' && item.replace(CONTROL_CHARACTERS, '').trim().slice(0, MAX_HEADER_LENGTH).trimEnd()
    if (clean) return clean
  }
  return undefined
}

/** Node joins the values of a repeated header with this. */
const SEPARATOR = ', '

/**
 * Finds a header's value. Node joins the values of a repeated header: two ids would become a third one. If `rawHeaders` has the separate
 * values, returns all of them. A header that was sent once stays unchanged, because ids may contain commas.
 *
 * @param name In lower case, as Node stores names.
 */
export const findHeader = ({ headers, rawHeaders }: HeaderSource, name: string): unknown => {
  const value = headers[name] ?? findIgnoringCase(headers, name)
  if (!rawHeaders || typeof value !== 'string' || !value.includes(SEPARATOR)) return value
  const values = rawHeaders.filter((_, index) => index % 2 === 1 && isSameName(rawHeaders[index - 1]!, name))
  // If other code has changed the record, its value wins.
  return values.join(SEPARATOR) === value ? values : value
}

const findIgnoringCase = (headers: HeaderRecord, name: string): unknown => {
  const foundName = Object.keys(headers).find((headerName) => isSameName(headerName, name))
  return foundName && headers[foundName]
}

const isSameName = (headerName: string, name: string): boolean =>
  headerName.length === name.length && headerName.toLowerCase() === name
