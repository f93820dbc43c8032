import type { DuckDBConnection } from '@duckdb/node-api'
import { joinProperties } from '../event-table/join-properties.ts'
import type { PropertyColumns } from '../event-table/property-column.ts'
import { columnName } from '../event-table/property-column.ts'
import { MAX_LOOKED_UP } from '../open-instance.ts'
import { RESOLVED_IDS } from '../resolved-views.ts'
import type { LazyForm } from './lazy-column.ts'

/** Events whose properties are read at once. */
const MAX_EVENTS = 10_000

/**
 * Replaces what stands in rows for values (`LazyForm`) by these, as the open transaction sees them.
 *
 * @param forms Of the columns; null for a column that has its value.
 * @param propertyColumns as the SELECT of the rows read them, or as they are now: those that are added or filled meanwhile have no values for
 * these rows that are not in `rest`, too.
 * @param onValue Called with each value that can be long; it may throw.
 */
export const resolveLazyValues = async (
  connection: DuckDBConnection,
  rows: readonly unknown[][],
  forms: readonly (LazyForm | null)[],
  propertyColumns: PropertyColumns,
  onValue: (value: string) => void,
): Promise<void> => {
  const places = [...forms.entries()]
  const eventPlaces = places.flatMap(([index, form]) => (form === 'row of properties' ? [index] : []))
  await resolveProperties(connection, rows, eventPlaces, propertyColumns, onValue)
  const idPlaces = places.flatMap(([index, form]) => (form !== null && ID_FORMS.has(form) ? [{ index, form }] : []))
  await resolveIds(connection, rows, idPlaces)
}

/** The numbers in some columns of rows. */
const listNumbers = (rows: readonly unknown[][], places: readonly number[]): number[] => [
  ...new Set(rows.flatMap((row) => places.map((index) => row[index])).filter((value) => typeof value === 'number')),
]

/** Neighbours in the table are read together. */
const resolveProperties = async (
  connection: DuckDBConnection,
  rows: readonly unknown[][],
  places: readonly number[],
  propertyColumns: PropertyColumns,
  onValue: (value: string) => void,
): Promise<void> => {
  const numbers = listNumbers(rows, places).toSorted((a, b) => a - b)
  if (numbers.length === 0) return
  const columns = [...propertyColumns.values()]
  const byNumber = new Map(columns.map((column) => [column.number, column]))
  const properties = new Map<number, string>()
  for (let start = 0; start < numbers.length; start += MAX_EVENTS) {
    const part = numbers.slice(start, start + MAX_EVENTS)
    const select = `SELECT rowid, shape, rest${columns.map((column) => `, ${columnName(column)}`).join('')} FROM internal.events`
    const reader = await (areNeighbours(part)
      ? connection.runAndReadAll(`${select} WHERE ${writeIsNear(part)}`)
      : connection.runAndReadAll(
          `${select} WHERE ${writeIsNear(part)} AND rowid IN (SELECT unnest(string_split($1, ','))::BIGINT)`,
          [part.join(',')],
        ))
    for (const [number, shape, rest, ...texts] of reader.getRows()) {
      const textOf = (column: number): string | null => texts[column] as string | null
      const value = joinProperties({ shape: String(shape), rest: String(rest), textOf }, byNumber)
      onValue(value)
      properties.set(Number(number), value)
    }
  }
  for (const row of rows)
    for (const index of places) if (row[index] !== null) row[index] = properties.get(Number(row[index])) ?? null
}

/** Whether there is no number between these, which are different and in ascending order: then no join is needed. */
const areNeighbours = (numbers: readonly number[]): boolean => numbers.length === numbers.at(-1)! - numbers[0]! + 1

/** DuckDB reads 2 ** 11 rows at once, a vector of each column. */
const VECTOR_BITS = 11

/**
 * Writes whether a row may be one of these. DuckDB tests it while it reads the table, and leaves out the other columns where no row of a
 * vector passes; `rowid IN (SELECT …)` is a join, for which it reads all rows between the first and the last if there are many.
 *
 * @param numbers In ascending order.
 */
const writeIsNear = (numbers: readonly number[]): string => {
  const [first, last] = [numbers[0]!, numbers.at(-1)!]
  const isBetween = `rowid BETWEEN ${first} AND ${last}`
  if (numbers.length <= MAX_LOOKED_UP) return isBetween
  const vectorOf = (number: number): number => Math.floor((number - first) / 2 ** VECTOR_BITS)
  const vectors = new Set(numbers.map(vectorOf))
  // Without many vectors to leave out, the test costs more than it saves.
  if (vectors.size > vectorOf(last) / 2) return isBetween
  const bits = Array.from({ length: vectorOf(last) + 1 }, (_, vector) => (vectors.has(vector) ? '1' : '0'))
  return `${isBetween} AND get_bit('${bits.join('')}'::BIT, ((rowid - ${first}) >> ${VECTOR_BITS})::INTEGER) = 1`
}

const ID_FORMS: ReadonlySet<LazyForm> = new Set<LazyForm>(['number of distinct_id', 'number of person_id'])

interface IdPlace {
  readonly index: number
  readonly form: LazyForm
}

const resolveIds = async (
  connection: DuckDBConnection,
  rows: readonly unknown[][],
  places: readonly IdPlace[],
): Promise<void> => {
  const numbers = listNumbers(
    rows,
    places.map(({ index }) => index),
  )
  if (numbers.length === 0) return
  const reader = await connection.runAndReadAll(
    `SELECT number, distinct_id, coalesce(person_id, origin_id)::VARCHAR FROM ${RESOLVED_IDS}
      WHERE number IN (SELECT unnest(string_split($1, ','))::INTEGER)`,
    [numbers.join(',')],
  )
  const ids = new Map(reader.getRows().map(([number, ...values]) => [Number(number), values]))
  for (const row of rows) {
    for (const { index, form } of places) {
      const [distinctId = null, personId = null] = ids.get(Number(row[index])) ?? []
      if (row[index] !== null) row[index] = form === 'number of distinct_id' ? distinctId : personId
    }
  }
}
