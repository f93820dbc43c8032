import { isRecord } from './json.ts'
import type { Json, JsonObject } from './json.ts'

/** Changes of a person that browsers put beside an event's properties. */
const CHANGE_NAMES = ['$set', '$set_once', '$unset'] as const

/** Merges the person changes of the event object into its properties. Values of the event object take precedence. */
export const mergeEnvelope = (properties: JsonObject, envelope: JsonObject): JsonObject => {
  // It runs for every event, so it allocates nothing for most.
  if (!('$set' in envelope || '$set_once' in envelope || '$unset' in envelope)) return properties
  const names = CHANGE_NAMES.filter((name) => name in envelope)
  return {
    ...properties,
    ...Object.fromEntries(names.map((name) => [name, mergeValues(properties[name], envelope[name])])),
  }
}

const mergeValues = (inner: Json = null, outer: Json = null): Json => {
  if (isRecord(inner) && isRecord(outer)) return { ...inner, ...outer }
  if (Array.isArray(inner) && Array.isArray(outer)) return [...new Set([...inner, ...outer])]
  return inner === null || (typeof outer === 'object' && outer !== null) ? outer : inner
}
