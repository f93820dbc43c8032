import { isRecord } from '../wire/json.ts'
import type { Json, JsonObject } from '../wire/json.ts'
import { parseCell } from './parse-cell.ts'
import { parseJson } from '../wire/parse-json.ts'
import { isEventField } from './event-fields.ts'
import { ImportError } from './import-error.ts'
import { unflatten } from './unflatten.ts'

/** The columns of a CSV file, and how its rows become events. */
export interface CsvColumns {
  /** The number of cells that every row must have. */
  readonly columnCount: number
  /** Names of columns that an event has no field for. They are not imported. */
  readonly ignoredNames: readonly string[]
  /** Returns the fields of an event, as they would stand in a row of NDJSON. */
  toFields(cells: readonly string[]): JsonObject
  /** Returns the same fields and the ignored columns: a row of NDJSON that the user can correct and import again. */
  toRow(cells: readonly string[]): JsonObject
}

const PROPERTIES = 'properties.'

/** Fields whose cells are JSON. Cells of all other fields are strings, even if they look like numbers. */
const JSON_FIELDS: ReadonlySet<string> = new Set(['$set', '$set_once', '$unset'])

/**
 * Parses the header of a CSV file.
 *
 * The column `properties` holds JSON. `properties.plan` is the property `plan`, and `properties.$set.email` the `email` inside `$set`.
 * Exports of posthog have such names, with `*.` before each. An empty cell means that the field or property is absent. A column such as
 * `properties.plan` overrides the same property in the column `properties`.
 *
 * @param textColumns Columns of properties whose cells stay strings, even if they look like numbers, booleans or JSON.
 * @throws {ImportError} `wrong_format` for a header that lacks a column, or has one twice.
 */
export const parseCsvHeader = (header: readonly string[], textColumns: readonly string[]): CsvColumns => {
  const names = header.map((name) => name.trim().replace(/^\*\./, ''))
  checkHeader(names, textColumns)
  const indexOf = (name: string): number => names.indexOf(name)
  const fields = names
    .filter(isEventField)
    .map((name) => ({ name, index: indexOf(name), isJson: JSON_FIELDS.has(name) }))
  const textNames = new Set(textColumns)
  const properties = names
    .filter((name) => name.startsWith(PROPERTIES))
    .map((name) => ({ path: name.split('.').slice(1), index: indexOf(name), isText: isTextColumn(textNames, name) }))
    .sort((a, b) => a.path.length - b.path.length)

  const toProperties = (cells: readonly string[]): JsonObject =>
    unflatten(
      properties
        .filter((column) => cells[column.index] !== '')
        .map(({ path, index, isText }) => [path, isText ? cells[index]! : parseCell(cells[index]!)]),
    )

  const ignoredNames = names.filter((name) => !isEventField(name) && !name.startsWith(PROPERTIES))
  const toFields = (cells: readonly string[]): JsonObject => {
    const event: Record<string, Json> = {}
    for (const { name, index, isJson } of fields) {
      if (cells[index] !== '') event[name] = isJson ? parseCell(cells[index]!) : cells[index]!
    }
    if (properties.length > 0) event['properties'] = mergeProperties(event['properties'], toProperties(cells))
    return event
  }

  return {
    columnCount: names.length,
    ignoredNames,
    toFields,
    toRow: (cells) => ({
      ...Object.fromEntries(ignoredNames.map((name) => [name, cells[indexOf(name)]!])),
      ...toFields(cells),
    }),
  }
}

/** A `properties` cell that is not a JSON object is returned unchanged; the row is rejected for it later. */
const mergeProperties = (cell: Json | undefined, ownColumns: JsonObject): Json => {
  if (typeof cell !== 'string') return ownColumns
  const properties = parseJson(cell)
  return isRecord(properties) ? { ...properties, ...ownColumns } : cell
}

const isTextColumn = (textNames: ReadonlySet<string>, name: string): boolean =>
  textNames.has(name) || textNames.has(name.slice(PROPERTIES.length))

const checkHeader = (names: readonly string[], textColumns: readonly string[]): void => {
  const quotedNames = names.slice(0, 20).map((name) => `"${name}"`)
  const fail = (problem: string): never => {
    throw new ImportError(
      'wrong_format',
      `${problem} The first line is read as the header; it has the columns ${quotedNames.join(', ')}.`,
    )
  }
  const duplicate = names.find((name, index) => name !== '' && names.indexOf(name) !== index)
  if (duplicate !== undefined) fail(`The CSV has two columns "${duplicate}".`)
  for (const name of ['event', 'timestamp']) if (!names.includes(name)) fail(`The CSV has no column "${name}".`)
  const idColumns = ['distinct_id', '$distinct_id', 'properties', 'properties.distinct_id']
  if (!idColumns.some((name) => names.includes(name))) fail('The CSV has no column "distinct_id".')
  const unknownColumn = textColumns.find(
    (column) => !names.some((name) => name === column || name === PROPERTIES + column),
  )
  if (unknownColumn !== undefined) fail(`The CSV has no column "${unknownColumn}" to keep as text.`)
}
