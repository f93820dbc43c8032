import { MAX_PAGE_BYTES, MAX_SHOWN_VALUE_BYTES } from '../../wire/bounds.ts'
import { cutString } from '../../wire/cut-string.ts'
import type { Json, JsonObject } from '../../wire/json.ts'
import { HttpError } from '../http-error.ts'
import { QueryError } from '../indexer/query-error.ts'

/** The mark at the end of a value that is shown cut. */
const CUT_MARK = '…'

/** By how much a page becomes shorter whose rows are too large together. */
const SHRINKING = 4

/** Asks for fewer rows while their values are too large for one answer. Rejects as `ask` does if a single row is. */
export const askShorter = async <Answer>(limit: number, ask: (limit: number) => Promise<Answer>): Promise<Answer> => {
  for (let rows = limit; ; rows = Math.ceil(rows / SHRINKING))
    try {
      return await ask(rows)
    } catch (error) {
      if (rows === 1 || !isTooLarge(error)) throw error
    }
}

const isTooLarge = (error: unknown): boolean => {
  const cause = error instanceof HttpError && error.cause !== undefined ? error.cause : error
  return cause instanceof QueryError && cause.code === 'memory'
}

/** The properties with long values cut. A long list or object is shown as the start of its JSON. */
export const showProperties = (properties: JsonObject): JsonObject => {
  let shown: Record<string, Json> | null = null
  for (const name in properties) {
    const value = properties[name]!
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    if (Buffer.byteLength(text) <= MAX_SHOWN_VALUE_BYTES) continue
    shown ??= { ...properties }
    shown[name] = showText(text)
  }
  return shown ?? properties
}

/** A text, cut if it is long. */
export const showText = (text: string): string => {
  if (Buffer.byteLength(text) <= MAX_SHOWN_VALUE_BYTES) return text
  const bytes = Buffer.from(text).subarray(0, MAX_SHOWN_VALUE_BYTES - Buffer.byteLength(CUT_MARK))
  const start = bytes.toString()
  // Bytes of a character whose end is missing become one replacement character.
  return (text.startsWith(start) ? cutString(start, start.length) : start.slice(0, -1)) + CUT_MARK
}

/** The first rows that fit on a page; at least one. */
export const endPage = <Row>(rows: readonly Row[]): readonly Row[] => {
  let bytes = 0
  const end = rows.findIndex((row, index) => {
    bytes += Buffer.byteLength(JSON.stringify(row))
    return index > 0 && bytes > MAX_PAGE_BYTES
  })
  return end < 0 ? rows : rows.slice(0, end)
}
