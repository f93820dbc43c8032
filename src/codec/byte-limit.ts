import { utf8Length } from './utf8.ts'

/** Tells whether the strings of a queue have more bytes in UTF-8 than they may have. */
export interface ByteLimit {
  readonly add: (string: string) => void
  readonly remove: (string: string) => void
  readonly isExceeded: () => boolean
}

/**
 * Counting bytes takes time for each string, and most queues are far below their limit. So this counts characters (UTF-16 code units), which
 * have at most three bytes each. It counts bytes only from the number of characters on that could exceed the limit, until the queue is empty.
 *
 * @param list Returns the strings that were added and not removed.
 */
export const createByteLimit = (maxBytes: number, list: () => readonly string[]): ByteLimit => {
  let characters = 0
  let bytes: number | undefined
  return {
    add(string) {
      characters += string.length
      if (bytes !== undefined) bytes += utf8Length(string)
    },
    remove(string) {
      characters -= string.length
      if (bytes !== undefined) bytes = characters > 0 ? bytes - utf8Length(string) : undefined
    },
    isExceeded() {
      if (3 * characters <= maxBytes) return false
      bytes ??= list().reduce((sum, string) => sum + utf8Length(string), 0)
      return bytes > maxBytes
    },
  }
}

/** Whether a string has more bytes in UTF-8 than it may have. Counts them only if it could. */
export const isLongerThan = (string: string, maxBytes: number): boolean =>
  3 * string.length > maxBytes && utf8Length(string) > maxBytes
