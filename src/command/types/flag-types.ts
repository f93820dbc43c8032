import type { FeatureFlag } from '../../management/schema.ts'
import type { FlagDefinition } from '../../wire/definition.ts'
import type { Json } from '../../wire/json.ts'
import { parseJson } from '../../wire/parse-json.ts'
import { jsonTypeOf, unionOf } from './json-type.ts'

/** What the type of a flag depends on. */
export type TypedFlag = Pick<FeatureFlag, 'key' | 'filters'>

/** Writes the type of a flag's value: `boolean`, or `"calm" | "bold" | false` for a flag with variants. */
export const flagValueType = ({ filters }: TypedFlag): string => {
  const variants = filters.multivariate?.variants ?? []
  const coveredPercent = variants.reduce((sum, { rollout_percentage: percent }) => sum + percent, 0)
  const holdout = filters['holdout'] as FlagDefinition['filters']['holdout']
  const names = variants.map(({ key }) => key)
  // Users of a holdout get its own value (`evaluate/holdout.ts`).
  if (holdout && holdout.id !== null) names.push(`holdout-${holdout.id}`)
  const types = names.map((name) => JSON.stringify(name))
  if (variants.length === 0) return unionOf([...types, 'boolean'])
  // A match outside the shares of all variants gets true.
  return unionOf([...types, ...(coveredPercent < 100 ? ['boolean'] : ['false'])])
}

/** Writes the type of a flag's parsed payloads; undefined for a flag without any. */
export const flagPayloadType = ({ filters }: TypedFlag): string | undefined => {
  const payloads = Object.values(filters.payloads ?? {}).filter((payload) => payload !== null)
  return payloads.length === 0 ? undefined : jsonTypeOf(payloads.map(parsePayload))
}

/** A payload is a JSON value, or a string that holds one. */
const parsePayload = (payload: unknown): Json => {
  const parsed = typeof payload === 'string' ? parseJson(payload) : payload
  return (parsed === undefined ? payload : parsed) as Json
}
