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

/** A place, for an error: ` (line 1, column 2)`. */
export const writePlace = ({ line, column }: SqlPosition): string => ` (line ${line}, column ${column})`

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
  const width = indent.length - prefix.length
  if (width < 0) return null
  // What stands behind the caret may differ: the values of a PIVOT.
  const isCut = !text.startsWith(shown.slice(0, width + 1))
  const part = isCut ? shown.replace(/^\.\.\./, '').replace(/\.\.\.$/, '') : shown
  const start = isCut ? text.indexOf(part) : 0
  const dots = isCut && shown.startsWith('...') ? 3 : 0
  if (start === -1 || width < dots) return null
  return { line: Number(line), column: characterCount(text.slice(0, start)) + charactersIn(part, width - dots) + 1 }
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
