/** Bytes by their positions, both included. */
export interface ByteRange {
  readonly first: number
  readonly last: number
}

const RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/

/**
 * Parses the header `Range` of a request for so many bytes (RFC 9110, 14.2): one range, from a position on, or the last bytes.
 *
 * @returns Null for the whole: without the header, or where it is not such a range, as for several ones. `unsatisfiable` for none of the
 *   bytes.
 */
export const parseByteRange = (header: string | undefined, bytes: number): ByteRange | 'unsatisfiable' | null => {
  const [, from = '', to = ''] = RANGE.exec(header?.trim() ?? '') ?? []
  if (from === '' && to === '') return null
  if (from === '') {
    const count = Math.min(Number(to), bytes)
    return count === 0 ? 'unsatisfiable' : { first: bytes - count, last: bytes - 1 }
  }
  const [first, last] = [Number(from), to === '' ? Infinity : Number(to)]
  if (last < first) return null
  return first >= bytes ? 'unsatisfiable' : { first, last: Math.min(last, bytes - 1) }
}
