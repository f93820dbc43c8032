import { isRecord } from '../../../../wire/json.ts'
import type { Json, JsonObject } from '../../../../wire/json.ts'

/** Reads parts of saved queries and answers, which may have any shape: what is missing or of another type is empty. */

export const toRecord = (value: Json | undefined): JsonObject => (isRecord(value) ? value : {})

export const toList = (value: Json | undefined): readonly Json[] =>
  Array.isArray(value) ? (value as readonly Json[]) : []

export const toRecords = (value: Json | undefined): readonly JsonObject[] => toList(value).filter(isRecord)

export const toText = (value: Json | undefined): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value)

export const toNumber = (value: Json | undefined): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null

export const toNumbers = (value: Json | undefined): readonly (number | null)[] => toList(value).map(toNumber)
