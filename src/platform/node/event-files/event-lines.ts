const NEWLINE = 10

/** Complete lines parsed from the start of a buffer. */
export interface ParsedLines {
  readonly lines: readonly string[]
  /** Bytes of these lines with their line breaks. */
  readonly bytes: number
  /** True when a limit ended the parsing, false when the buffer has no further complete line. */
  readonly hasReachedLimit: boolean
}

/** @param maxLength Limit in characters, line breaks included. A longer first line is returned alone. */
export const parseLines = (source: Buffer, maxLines: number, maxLength: number): ParsedLines => {
  const lines: string[] = []
  let bytes = 0
  let length = 0
  while (lines.length < maxLines) {
    const end = source.indexOf(NEWLINE, bytes)
    if (end < 0) return { lines, bytes, hasReachedLimit: false }
    const line = source.toString('utf8', bytes, end)
    length += line.length + 1
    if (lines.length && length > maxLength) break
    lines.push(line)
    bytes = end + 1
  }
  return { lines, bytes, hasReachedLimit: true }
}

/** Counts line breaks. */
export const countLines = (source: Buffer): number => {
  let count = 0
  for (let at = source.indexOf(NEWLINE); at >= 0; at = source.indexOf(NEWLINE, at + 1)) count++
  return count
}

/** Whether a line is a JSON object. Anything else would make the service reject the whole batch. */
export const isEventJson = (line: string): boolean => {
  try {
    return line.startsWith('{') && typeof JSON.parse(line) === 'object'
  } catch {
    return false
  }
}
