import { isRecord } from '../../../../wire/json.ts'
import type { Json, JsonObject } from '../../../../wire/json.ts'

/** Reads parts of saved queries and answers, which may have any shape: what is missing or of another type is empty. */

export const toRecord = (value: Json | undefined): JsonObject => (isRecord(value) ? value : {})

export const toList = (value: Json | undefined): readonly Json[] =>
  Array.isArray(value) ? (value as readonly Json[]) : []

export const toRecords = (value: Json | undefined): readonly JsonObject[] => toList(value).filter(isRecord)

export const toText = (value: Json | undefined): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value)

/** Numbers beyond these cannot be drawn: products of large ones are infinite, and ECharts rounds to twenty decimals. */
const MAX_SIZE = 1e100
const MIN_SIZE = 1e-12

export const toNumber = (value: Json | undefined): number | null => {
  if (typeof value !== 'number' || Math.abs(value) > MAX_SIZE) return null
  return Math.abs(value) < MIN_SIZE ? 0 : value
}

export const toNumbers = (value: Json | undefined): readonly (number | null)[] => toList(value).map(toNumber)
