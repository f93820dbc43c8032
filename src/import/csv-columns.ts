import { isRecord } from '../wire/json.ts'
import type { Json, JsonObject } from '../wire/json.ts'
import { cellValue, parsed } from './cell-value.ts'
import { isField } from './fields.ts'
import { ImportError } from './import-error.ts'
import { nested } from './nested.ts'

/** What the header of a CSV file makes of its rows. */
export interface CsvColumns {
  /** How many cells a row must have. */
  readonly count: number
  /** Names of columns that have no place in an event, and are left out. */
  readonly ignored: readonly string[]
  /** The fields of an event, as they would stand in JSON. */
  fields(cells: readonly string[]): JsonObject
  /** The same, with what is left out: as a row of NDJSON, which can be mended and imported. */
  shown(cells: readonly string[]): JsonObject
}

const PROPERTIES = 'properties.'

/** Fields whose cells are JSON; those of all others are texts, whatever they look like. */
const JSON_FIELDS: ReadonlySet<string> = new Set(['$set', '$set_once', '$unset'])

/**
 * Reads a header. `properties` holds JSON; `properties.plan` is the property `plan`, and `properties.$set.email` the `email` inside `$set`,
 * as exports of posthog have them, which also put `*.` before each name. An empty cell is a field or property that is not there; a
 * property of a column of its own wins over the same one in `properties`. Throws `ImportError` for a header that no event can have.
 *
 * @param textColumns Columns of properties whose cells stay texts, though they look like numbers, booleans or JSON.
 */
export const csvColumns = (header: readonly string[], textColumns: readonly string[]): CsvColumns => {
  const names = header.map((name) => name.trim().replace(/^\*\./, ''))
  checkHeader(names, textColumns)
  const at = (name: string): number => names.indexOf(name)
  const fields = names.filter(isField).map((name) => ({ name, at: at(name), isJson: JSON_FIELDS.has(name) }))
  const texts = new Set(textColumns)
  const properties = names
    .filter((name) => name.startsWith(PROPERTIES))
    .map((name) => ({ path: name.split('.').slice(1), at: at(name), isText: isNamedIn(texts, name) }))
    .sort((one, other) => one.path.length - other.path.length)

  const propertiesIn = (cells: readonly string[]): JsonObject =>
    nested(
      properties
        .filter((column) => cells[column.at] !== '')
        .map(({ path, at, isText }) => [path, isText ? cells[at]! : cellValue(cells[at]!)]),
    )

  const ignored = names.filter((name) => !isField(name) && !name.startsWith(PROPERTIES))
  const fieldsIn = (cells: readonly string[]): JsonObject => {
    const found: Record<string, Json> = {}
    for (const { name, at, isJson } of fields) {
      if (cells[at] !== '') found[name] = isJson ? cellValue(cells[at]!) : cells[at]!
    }
    if (properties.length > 0) found['properties'] = both(found['properties'], propertiesIn(cells))
    return found
  }

  return {
    count: names.length,
    ignored,
    fields: fieldsIn,
    shown: (cells) => ({ ...Object.fromEntries(ignored.map((name) => [name, cells[at(name)]!])), ...fieldsIn(cells) }),
  }
}

/** What is no JSON object stays as it is, to be rejected. */
const both = (cell: Json | undefined, own: JsonObject): Json => {
  if (typeof cell !== 'string') return own
  const given = parsed(cell)
  return isRecord(given) ? { ...given, ...own } : cell
}

const isNamedIn = (texts: ReadonlySet<string>, name: string): boolean =>
  texts.has(name) || texts.has(name.slice(PROPERTIES.length))

const checkHeader = (names: readonly string[], textColumns: readonly string[]): void => {
  const shown = `The first line is taken for the header, and it names ${names
    .slice(0, 20)
    .map((name) => `"${name}"`)
    .join(', ')}.`
  const fail = (problem: string): never => {
    throw new ImportError('wrong_format', `${problem} ${shown}`)
  }
  const twice = names.find((name, at) => name !== '' && names.indexOf(name) !== at)
  if (twice !== undefined) fail(`The CSV has two columns "${twice}".`)
  for (const name of ['event', 'timestamp']) if (!names.includes(name)) fail(`The CSV has no column "${name}".`)
  const ids = ['distinct_id', '$distinct_id', 'properties', 'properties.distinct_id']
  if (!ids.some((name) => names.includes(name))) fail('The CSV has no column "distinct_id".')
  const unknown = textColumns.find((text) => !names.some((name) => name === text || name === PROPERTIES + text))
  if (unknown !== undefined) fail(`There is no column "${unknown}" that could be kept as text.`)
}
