import type { QueryResult } from '../../management/schema.ts'
import { displayWidth } from './display-width.ts'

/** Longest cell, in characters; a longer one is cut. */
const MAX_CELL_LENGTH = 60

/** Formats rows as a table for people. Numbers are aligned to the right. */
export const formatTable = ({ columns, results }: Pick<QueryResult, 'columns' | 'results'>): string => {
  const header = columns.map(formatCell)
  const rows = results.map((row) => row.map(formatCell))
  const widths = header.map((name, index) =>
    rows.reduce((width, row) => Math.max(width, displayWidth(row[index]!)), displayWidth(name)),
  )
  const isNumeric = columns.map(
    (_, index) =>
      results.some((row) => row[index] !== null) &&
      results.every((row) => row[index] === null || typeof row[index] === 'number'),
  )
  const formatRow = (row: readonly string[]): string =>
    row
      .map((cell, index) => {
        const padding = ' '.repeat(widths[index]! - displayWidth(cell))
        return isNumeric[index] ? padding + cell : cell + padding
      })
      .join('  ')
      .trimEnd()
  const lines = [header, widths.map((width) => '-'.repeat(width)), ...rows].map(formatRow)
  return `${lines.join('\n')}\n\n${results.length} ${results.length === 1 ? 'row' : 'rows'}\n`
}

const formatCell = (value: unknown): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  // Twice as long, because some characters count as two in a string.
  const characters = Array.from(text.slice(0, 2 * MAX_CELL_LENGTH))
  const shown = characters.length > MAX_CELL_LENGTH ? `${characters.slice(0, MAX_CELL_LENGTH - 1).join('')}…` : text
  return shown.replaceAll(CONTROL_CHARACTER, escape)
}

/** Events come from everywhere: a control character in them, or one for the direction of text, could change what the terminal shows. */
const CONTROL_CHARACTER = /[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

const escape = (character: string): string => {
  const json = JSON.stringify(character).slice(1, -1)
  return json === character ? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}` : json
}
