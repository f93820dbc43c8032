/** A place in SQL; both count from 1, columns in characters. */
export interface SqlPosition {
  readonly line: number
  readonly column: number
}

/** The place of a byte of the SQL. */
export const positionOf = (sql: string, byteOffset: number): SqlPosition => {
  const lines = Buffer.from(sql).subarray(0, byteOffset).toString().split('\n')
  return { line: lines.length, column: characterCount(lines.at(-1)!) + 1 }
}

/**
 * The place that an error message of DuckDB shows: it ends with the line and a caret below it. A long line is cut there, so the
 * column is that of the first equal part of the line. Null if the message shows no place in this SQL.
 */
export const findErrorPosition = (message: string, sql: string): SqlPosition | null => {
  const match = /\n(LINE (\d+): )(.*)\n( *)\^/.exec(message)
  if (match === null) return null
  const [, prefix = '', line = '', shown = '', indent = ''] = match
  const text = sql.split('\n')[Number(line) - 1]
  if (text === undefined) return null
  const isCut = !text.startsWith(shown)
  const part = isCut ? shown.replace(/^\.\.\./, '').replace(/\.\.\.$/, '') : shown
  const start = text.indexOf(part)
  if (start === -1) return null
  const dots = isCut && shown.startsWith('...') ? 3 : 0
  const width = indent.length - prefix.length - dots
  return width < 0
    ? null
    : { line: Number(line), column: characterCount(text.slice(0, start)) + charactersIn(part, width) + 1 }
}

/** Characters that DuckDB counts as two columns when it places the caret. */
const WIDE = /^[\p{sc=Han}\p{sc=Hangul}\p{sc=Hiragana}\p{sc=Katakana}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60]/u

/** The number of characters that take this width. */
const charactersIn = (text: string, width: number): number => {
  let left = width
  let count = 0
  for (const character of text) {
    if (left <= 0) return count
    left -= WIDE.test(character) ? 2 : 1
    count += 1
  }
  return count + left
}

const characterCount = (text: string): number => Array.from(text).length
