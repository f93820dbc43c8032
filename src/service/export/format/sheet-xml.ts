import { cutString } from '../../../wire/cut-string.ts'
import { readSheetDate } from './sheet-date.ts'

/** Most characters of a cell (Microsoft, "Excel specifications and limits"). */
const MAX_CELL_LENGTH = 32_767

/**
 * Formats a row of a sheet. Strings are never formulas, a longer one than a cell can have is cut, and one that is a date or a time in UTC
 * is a date of the sheet (`readSheetDate`).
 *
 * @param number Of the row; the first one is 1.
 */
export const formatSheetRow = (row: readonly unknown[], number: number): string =>
  formatRow(
    number,
    row.map((value, index) => formatCell(value, `${columnName(index)}${number}`)),
  )

/** The styles of these numbers in `workbook-parts.ts`. */
const BOLD = 1
const TIME = 2
const DATE = 3

/** Formats the names of the columns as the first row, in bold. */
export const formatSheetHeader = (columns: readonly string[]): string =>
  formatRow(
    1,
    columns.map((name, index) => formatText(name, `${columnName(index)}1`, BOLD)),
  )

const formatRow = (number: number, cells: readonly string[]): string => `<row r="${number}">${cells.join('')}</row>`

/** `A` to `Z`, then `AA`. */
const columnName = (index: number): string =>
  (index < 26 ? '' : columnName(Math.floor(index / 26) - 1)) + String.fromCharCode(65 + (index % 26))

const formatCell = (value: unknown, reference: string): string => {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' && Number.isFinite(value)) return `<c r="${reference}"><v>${value}</v></c>`
  if (typeof value === 'boolean') return `<c r="${reference}" t="b"><v>${value ? 1 : 0}</v></c>`
  if (typeof value !== 'string') return formatText(JSON.stringify(value), reference)
  const date = readSheetDate(value)
  if (date === null) return formatText(value, reference)
  return `<c r="${reference}" s="${date.hasTime ? TIME : DATE}"><v>${date.serial}</v></c>`
}

const formatText = (text: string, reference: string, style = 0): string =>
  `<c r="${reference}" s="${style}" t="inlineStr"><is><t xml:space="preserve">${escapeXml(shorten(text))}</t></is></c>`

const shorten = (text: string): string =>
  text.length > MAX_CELL_LENGTH ? `${cutString(text, MAX_CELL_LENGTH - 1)}…` : text

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/**
 * Characters that XML 1.0 cannot have (section 2.2), and carriage returns, which its parsers replace, are written as Office Open XML
 * does: `_x0007_`. So is the start of a text that looks like that.
 */
export const escapeXml = (text: string): string =>
  text
    .replace(/_(?=x[\dA-Fa-f]{4}_)/g, '_x005F_')
    // oxlint-disable-next-line no-control-regex -- these are the characters
    .replace(/[\0-\x08\x0B-\x1F\uFFFE\uFFFF]/g, (char) => `_x${toHex(char)}_`)
    .replace(/[&<>"]/g, (char) => ENTITIES[char]!)

const toHex = (char: string): string => char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')
