import type { Json, JsonObject } from '../../../../../wire/json.ts'
import { COLON, QUOTE } from '../../../../json/characters.ts'
import type { JsonMembers } from '../../../../json/json-members.ts'
import {
  createTape,
  formOf,
  isMembers,
  MEMBER_NUMBERS,
  nameOf,
  parseValue,
  toObject,
  ValueForm,
} from '../../../../json/json-members.ts'
import type { NameTable } from '../../../../json/name-table.ts'
import { createNameTable, MAX_NAMES } from '../../../../json/name-table.ts'
import { scanMembers } from '../../../../json/scan-members.ts'
import type { EventProperties } from '../../event-store.ts'
import { toWellFormedJson } from '../../to-well-formed-json.ts'
import type { PackedColumn } from '../rows/packed-rows.ts'
import type { TextBuilder } from '../rows/text-builder.ts'
import { createTextBuilder } from '../rows/text-builder.ts'
import type { PropertyCounter } from './frequent-properties.ts'
import type { PropertyColumns } from './property-column.ts'
import type { PropertySpans } from './property-spans.ts'
import { createPropertySpans } from './property-spans.ts'
import { createShapeTree } from './shape-tree.ts'
import type { MemberForm } from './split-properties.ts'
import {
  MAX_PIECES,
  memberFormOf,
  memberJson,
  memberNumber,
  PIECE_SEPARATOR,
  splitProperties,
  toText,
} from './split-properties.ts'

/** Packs the properties of events into the columns `shape`, `rest` and those of properties, in this order. */
export type PropertyPacker = (
  events: readonly { readonly properties: EventProperties }[],
  text: TextBuilder,
) => PackedColumn[]

/** What is known of the names of one table. */
interface KnownNames {
  /** The number of the column of each name; -1 for none, `UNKNOWN` until it is looked up. */
  readonly columns: Int32Array
  /** The last object that had each name, by its serial number. */
  readonly lastObjects: Int32Array
}

const UNKNOWN = -2

/** Serial numbers start again before they need more than 31 bits. */
const MAX_OBJECTS = 2 ** 31

/** Room for the members of parsed properties, and for the text of members without a column, at first. */
const PARSED_MEMBERS = 64
const REST_BYTES = 4096

/**
 * Creates a packer for some columns. It does what `splitProperties` does, for properties that are not parsed: most values are copied as
 * they are written. Parsing them and making strings for the columns took four times as long.
 *
 * @param counter counts the properties without a column.
 */
export const createPropertyPacker = (columns: PropertyColumns, counter: PropertyCounter): PropertyPacker => {
  const shapes = createShapeTree()
  let knownNames = new WeakMap<NameTable, KnownNames>()
  const parsedTape = createTape(createNameTable(), PARSED_MEMBERS)
  /** The members of an event without a column. */
  const rest = createTextBuilder(REST_BYTES)
  // Of the event that is being packed.
  let node = shapes.root()
  let pieces = 0
  let isInPiece = false
  /** Its properties without a column. They are counted once it is packed. */
  const uncounted: string[] = []
  /** Its serial number. */
  let objectCount = 0

  const namesOf = (table: NameTable): KnownNames => {
    let known = knownNames.get(table)
    if (known === undefined) {
      known = { columns: new Int32Array(MAX_NAMES).fill(UNKNOWN), lastObjects: new Int32Array(MAX_NAMES).fill(-1) }
      knownNames.set(table, known)
    }
    return known
  }

  /** Scans parsed properties. Returns null for some that cannot be scanned. */
  const scanParsed = (properties: JsonObject): JsonMembers | null => {
    const bytes = Buffer.from(toWellFormedJson(properties))
    if (parsedTape.names.isFull()) parsedTape.names = createNameTable()
    parsedTape.length = 0
    const end = scanMembers(bytes, 0, parsedTape)
    const endNumber = parsedTape.length
    return end < 0 ? null : { bytes, start: 0, end, tape: parsedTape, firstNumber: 0, endNumber, added: null }
  }

  const startEvent = (): void => {
    node = shapes.root()
    pieces = 0
    isInPiece = false
    rest.clear()
    uncounted.length = 0
    objectCount = (objectCount + 1) % MAX_OBJECTS
    if (objectCount === 0) knownNames = new WeakMap()
  }

  const addColumnMember = (column: number, form: MemberForm): void => {
    node = shapes.child(node, memberNumber(column, form))
    isInPiece = false
  }

  /** Starts a member of `rest`; false if that has too many pieces. */
  const startRestMember = (): boolean => {
    if (!isInPiece) {
      if (pieces === MAX_PIECES) return false
      node = shapes.child(node, pieces)
      pieces += 1
    }
    if (rest.length() > 0) rest.addString(isInPiece ? ',' : PIECE_SEPARATOR)
    isInPiece = true
    return true
  }

  /** Adds a member with a column as `JSON.parse` returns it; false for a string with a NUL, where DuckDB's functions would end. */
  const addParsed = (spans: PropertySpans, row: number, column: number, value: Json): boolean => {
    if (typeof value === 'string' && value.includes('\0')) return false
    const form = memberFormOf(value)
    if (form !== 'null') spans.setString(column, row, toText(value))
    addColumnMember(column, form)
    return true
  }

  /**
   * Returns false for properties that `packParsed` has to pack: a name occurs twice, a string has a NUL, or `rest` has too many pieces.
   */
  const packMembers = (spans: PropertySpans, row: number, members: JsonMembers): boolean => {
    const { bytes, tape, firstNumber, endNumber, added } = members
    const { numbers } = tape
    const { names } = tape.names
    startEvent()
    const known = namesOf(tape.names)
    for (let at = firstNumber; at < endNumber; at += MEMBER_NUMBERS) {
      const name = nameOf(numbers[at]!)
      const form = formOf(numbers[at]!)
      const valueStart = numbers[at + 2]!
      const valueEnd = numbers[at + 3]!
      if (known.lastObjects[name] === objectCount) return false
      known.lastObjects[name] = objectCount
      let column = known.columns[name]!
      if (column === UNKNOWN) column = known.columns[name] = columns.get(names[name]!)?.number ?? -1
      if (column >= 0) {
        switch (form) {
          case ValueForm.string:
            spans.setBytes(column, row, bytes, valueStart + 1, valueEnd - 1)
            addColumnMember(column, 'string')
            break
          case ValueForm.number:
          case ValueForm.boolean:
            spans.setBytes(column, row, bytes, valueStart, valueEnd)
            addColumnMember(column, 'json')
            break
          case ValueForm.null:
            addColumnMember(column, 'null')
            break
          default:
            if (!addParsed(spans, row, column, parseValue(bytes, valueStart, valueEnd))) return false
        }
        continue
      }
      if (form !== ValueForm.container && form !== ValueForm.null) uncounted.push(names[name]!)
      if (!startRestMember()) return false
      const nameStart = numbers[at + 1]!
      const hasSpace = bytes[valueStart - 1] !== COLON || bytes[valueStart - 2] !== QUOTE
      if (form <= LAST_COPIED_FORM && !hasSpace) rest.addBytes(bytes, nameStart, valueEnd)
      else rest.addString(memberJson(names[name]!, parseValue(bytes, valueStart, valueEnd)))
    }
    for (const name in added) {
      const value = added[name]!
      const column = columns.get(name)
      if (column !== undefined) {
        if (!addParsed(spans, row, column.number, value)) return false
        continue
      }
      if (typeof value !== 'object') uncounted.push(name)
      if (!startRestMember()) return false
      rest.addString(memberJson(name, value))
    }
    spans.setShape(row, node.shape)
    spans.setRest(row, rest.bytes())
    for (const name of uncounted) counter.addProperty(name)
    return true
  }

  const packParsed = (spans: PropertySpans, row: number, properties: JsonObject): void => {
    const sink = {
      onText: ({ number }: { readonly number: number }, string: string) => spans.setString(number, row, string),
      onOther: counter.addProperty,
    }
    const split = splitProperties(properties, columns, sink)
    spans.setShape(row, split.shape)
    spans.setRest(row, Buffer.from(split.rest.slice(1, -1)))
  }

  return (events, text) => {
    const spans = createPropertySpans(columns.size, events.length, text)
    for (const [row, { properties }] of events.entries()) {
      const members = isMembers(properties) ? properties : scanParsed(properties)
      if (members !== null && packMembers(spans, row, members)) continue
      spans.clearRow(row)
      packParsed(spans, row, toObject(properties))
    }
    counter.addEvents(events.length)
    return spans.columns()
  }
}

/** Values of these forms are JSON as JavaScript writes it. */
const LAST_COPIED_FORM = ValueForm.null
