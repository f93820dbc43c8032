import { isRecord } from '../../../../wire/json.ts'
import type { Json, JsonObject } from '../../../../wire/json.ts'
import type { Cell, Chart } from '../chart.ts'
import { NO_DATA } from '../chart.ts'
import { toList, toRecord, toText } from './read-json.ts'
import { isNonEmptyString } from '../../../../wire/is-non-empty-string.ts'

/** Rows of SQL, events or persons as a table. */
export const chooseTable = (answer: JsonObject, results: readonly Json[]): Chart => {
  if (results.length === 0) return NO_DATA
  const rows = results.map((row) => toList(row).map(toCell))
  const width = Math.max(...rows.map((row) => row.length))
  const names = toList(answer['columns']).map(toText)
  return {
    kind: 'table',
    columns: Array.from({ length: width }, (_, index) => names[index] ?? `Column ${index + 1}`),
    rows,
    hasMore: answer['hasMore'] === true,
  }
}

const toCell = (value: Json): Cell => {
  if (typeof value !== 'object' || value === null) return value
  return (isRecord(value) ? nameRecord(value) : null) ?? JSON.stringify(value)
}

/** What people call a person or an event; null for another object. */
const nameRecord = (record: JsonObject): string | null => {
  const { email, name } = toRecord(record['properties'])
  const candidates = [
    record['event'],
    email,
    name,
    record['group_key'],
    record['distinct_id'],
    toList(record['distinct_ids'])[0],
  ]
  return candidates.find(isNonEmptyString) ?? null
}
