const NEWLINE = 10

/** Complete lines from the begin of some bytes. */
export interface Lines {
  readonly lines: readonly string[]
  /** How many bytes they take, with their ends. */
  readonly bytes: number
  /** Whether a bound ended them, and not the bytes. */
  readonly isFull: boolean
}

/** At most `maxLines` complete lines of at most `maxLength` characters together, their ends included; a first one that is longer comes alone. */
export const takeLines = (source: Buffer, maxLines: number, maxLength: number): Lines => {
  const lines: string[] = []
  let bytes = 0
  let length = 0
  while (lines.length < maxLines) {
    const end = source.indexOf(NEWLINE, bytes)
    if (end < 0) return { lines, bytes, isFull: false }
    const line = source.toString('utf8', bytes, end)
    length += line.length + 1
    if (lines.length && length > maxLength) break
    lines.push(line)
    bytes = end + 1
  }
  return { lines, bytes, isFull: true }
}

/** How many lines end in some bytes. */
export const countLines = (source: Buffer): number => {
  let count = 0
  for (let at = source.indexOf(NEWLINE); at >= 0; at = source.indexOf(NEWLINE, at + 1)) count++
  return count
}

/** Whether a line is an event: one that is none would spoil its whole batch. */
export const isEvent = (line: string): boolean => {
  try {
    return line.startsWith('{') && typeof JSON.parse(line) === 'object'
  } catch {
    return false
  }
}
