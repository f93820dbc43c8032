import type { FlagDefinitions } from '../../src/wire/definition.ts'
import type { Json } from '../../src/wire/json.ts'
import { hasVectors, readVectors } from './vectors.ts'

/** A call of a client that evaluates locally, and asks the service about inconclusive flags. */
export interface FlagCase {
  readonly id: string
  readonly definitions: FlagDefinitions
  readonly client_options?: { readonly strictLocalEvaluation?: boolean }
  readonly remote?: { readonly featureFlags?: Readonly<Record<string, Json>>; readonly payloads?: Record<string, Json> }
  readonly call: { readonly method: string; readonly args: readonly unknown[] }
  readonly expected: unknown
  readonly remote_calls: number
  readonly validated: boolean
}

/** Recorded calls of other implementations; empty without the vectors. */
export const readFlagCases = (): readonly FlagCase[] =>
  hasVectors ? (readVectors('flag-cases.json') as { cases: readonly FlagCase[] }).cases : []

/** Replaces `{"$undefined": true}` by undefined. */
export const reviveUndefined = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value
  if ('$undefined' in value) return undefined
  if (Array.isArray(value)) return value.map(reviveUndefined)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, reviveUndefined(item)]))
}
