const LINE_BREAK = 10

/** Parses lines of JSON, one after the other. */
export const readLines = function* (lines: Uint8Array): Generator<readonly unknown[]> {
  const bytes = Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength)
  for (let start = 0; start < bytes.length;) {
    const end = bytes.indexOf(LINE_BREAK, start)
    yield JSON.parse(bytes.toString('utf8', start, end)) as readonly unknown[]
    start = end + 1
  }
}
