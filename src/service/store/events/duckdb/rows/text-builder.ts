/** Bytes of UTF-8 for a UTF-16 unit, at most. */
const MAX_BYTES_PER_UNIT = 3

/** Longer strings are copied by one call; of shorter ones, the call costs more than the work. */
const MAX_SHORT_LENGTH = 48

/** Strings in UTF-8 one after the other, in memory that grows. */
export interface TextBuilder {
  /** Adds bytes of UTF-8; returns where they start in the text. */
  addBytes(bytes: Buffer, start: number, end: number): number
  /** Adds a string; returns where it starts. U+FFFD replaces lone surrogates, which UTF-8 does not have. */
  addString(string: string): number
  length(): number
  /** Removes what was added. */
  clear(): void
  /** The text, in memory that nothing else uses: the builder cannot be used any more. */
  take(): Uint8Array<ArrayBuffer>
  /** The text, in memory that the builder continues to use. */
  bytes(): Buffer
}

/** @param capacity in bytes, at first. */
export const createTextBuilder = (capacity: number): TextBuilder => {
  let buffer = allocate(capacity)
  let length = 0
  const reserve = (byteCount: number): void => {
    if (length + byteCount <= buffer.length) return
    const larger = allocate(Math.max(buffer.length * 2, length + byteCount))
    buffer.copy(larger, 0, 0, length)
    buffer = larger
  }
  /** Returns false if the string has other characters than those of ASCII. */
  const addShort = (string: string): boolean => {
    for (let index = 0; index < string.length; index++) {
      const unit = string.charCodeAt(index)
      if (unit > 127) return false
      buffer[length + index] = unit
    }
    length += string.length
    return true
  }
  return {
    addBytes(bytes, start, end) {
      const byteCount = end - start
      const first = length
      reserve(byteCount)
      if (byteCount > MAX_SHORT_LENGTH) bytes.copy(buffer, first, start, end)
      else for (let index = 0; index < byteCount; index++) buffer[first + index] = bytes[start + index]!
      length = first + byteCount
      return first
    },
    addString(string) {
      const start = length
      reserve(string.length * MAX_BYTES_PER_UNIT)
      if (string.length > MAX_SHORT_LENGTH || !addShort(string)) length += buffer.write(string, start)
      return start
    },
    length: () => length,
    clear() {
      length = 0
    },
    take: () => new Uint8Array(buffer.buffer, 0, length),
    bytes: () => buffer.subarray(0, length),
  }
}

/** Not from the pool of `Buffer`, whose memory others use. */
const allocate = (byteCount: number): Buffer<ArrayBuffer> => Buffer.from(new ArrayBuffer(byteCount))
