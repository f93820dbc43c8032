import type { Json, JsonObject } from '../../../../../wire/json.ts'
import { toWellFormedJson } from '../../to-well-formed-json.ts'
import type { PropertyColumn, PropertyColumns } from './property-column.ts'

/**
 * The properties of one event as they are stored: a property with a column is in that column, the others are in `rest`, and
 * `shape` says how they are put together again.
 */
export interface SplitProperties {
  /**
   * The members of the JSON object in order, as a format string of DuckDB's `format`: `{0}` to `{7}` are the pieces of `rest`, the
   * other numbers are those of `memberNumber`.
   */
  readonly shape: string
  /** A JSON object. Its members are in pieces (`PIECE_SEPARATOR`). */
  readonly rest: string
}

/** Maximum number of pieces of `rest`: each costs time when the properties are put together. */
export const MAX_PIECES = 8

/** Separates the pieces of `rest`. JSON has no line break of its own: those in strings are escaped. */
export const PIECE_SEPARATOR = ',\n'

/** What a column has of a property. */
export type MemberForm = 'string' | 'json' | 'null'

export const MEMBER_FORMS: readonly MemberForm[] = ['string', 'json', 'null']
const FORM_NUMBERS: Readonly<Record<MemberForm, number>> = { string: 0, json: 1, null: 2 }

/** The number of a column's member in a shape. */
export const memberNumber = (column: number, form: MemberForm): number =>
  MAX_PIECES + column * MEMBER_FORMS.length + FORM_NUMBERS[form]

/** What a number in a shape means. */
export type ShapePart = { readonly piece: number } | { readonly column: number; readonly form: MemberForm }

/** Parses a shape. */
export const parseShape = (shape: string): readonly ShapePart[] =>
  (shape.match(/\d+/g) ?? []).map(Number).map((number) => {
    const member = number - MAX_PIECES
    return member < 0
      ? { piece: number }
      : { column: Math.floor(member / MEMBER_FORMS.length), form: MEMBER_FORMS[member % MEMBER_FORMS.length]! }
  })

/** Receives the parts of an event. */
export interface PropertySink {
  /** Called for each property that has a column and is not null, with the text of the column. */
  readonly onText: (column: PropertyColumn, text: string) => void
  /** Called for each property without a column whose value could be in one. */
  readonly onOther: (property: string) => void
}

/** Splits the properties of an event. */
export const splitProperties = (
  properties: JsonObject,
  columns: PropertyColumns,
  sink: PropertySink,
): SplitProperties => {
  const members: string[] = []
  let rest = ''
  let pieces = 0
  let isInPiece = false
  for (const name in properties) {
    const value = properties[name]
    if (value === undefined) continue
    const column = columns.get(name)
    if (column !== undefined) {
      const form = memberFormOf(value)
      if (form !== 'null') sink.onText(column, toText(value))
      // DuckDB's functions would end the text at a NUL.
      if (typeof value !== 'string' || !value.includes('\0')) {
        members.push(`{${memberNumber(column.number, form)}}`)
        isInPiece = false
        continue
      }
    } else if (typeof value !== 'object') sink.onOther(name)
    if (!isInPiece) {
      if (pieces === MAX_PIECES) return keepWhole(properties)
      members.push(`{${pieces}}`)
      pieces += 1
    }
    rest += `${rest === '' ? '' : isInPiece ? ',' : PIECE_SEPARATOR}${memberJson(name, value)}`
    isInPiece = true
  }
  return { shape: members.join(','), rest: `{${rest}}` }
}

/** A member of a JSON object. */
export const memberJson = (name: string, value: Json): string => `${nameJson(name)}:${valueJson(value)}`

/** Names in JSON, which repeat from event to event. */
const nameJsons = new Map<string, string>()
const MAX_NAMES = 2000

const nameJson = (name: string): string => {
  const known = nameJsons.get(name)
  if (known !== undefined) return known
  const json = toWellFormedJson(name)
  if (nameJsons.size < MAX_NAMES && name.length <= 100) nameJsons.set(name, json)
  return json
}

/** `JSON.stringify` costs more to call than a short value to write. */
const valueJson = (value: Json): string =>
  typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))
    ? String(value)
    : toWellFormedJson(value)

/** For an object that would have too many pieces: everything is in `rest`, and again in the columns. */
const keepWhole = (properties: JsonObject): SplitProperties => ({
  shape: '{0}',
  rest: toWellFormedJson(properties),
})

/** The form in which a column has a value. */
export const memberFormOf = (value: Json): MemberForm => {
  if (typeof value === 'string') return 'string'
  return value === null || (typeof value === 'number' && !Number.isFinite(value)) ? 'null' : 'json'
}

/** A property as `properties->>'name'` returns it: strings without quotes, other values as JSON. */
export const toText = (value: Json): string => {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return String(value).replace('e+', 'e')
  const json = toWellFormedJson(value)
  return json.includes('e+') ? json.replace(STRING_OR_EXPONENT, (part) => (part === 'e+' ? 'e' : part)) : json
}

/** DuckDB writes exponents without the plus sign of JavaScript. Strings match, too, because they may have the same characters. */
const STRING_OR_EXPONENT = /"(?:[^"\\]|\\.)*"|e\+/g
