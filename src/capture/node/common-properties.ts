import { serialise } from '../serialise.ts'

/** What many events have in common, and its text: written once, it goes into each event's JSON as it is. */
export interface CommonProperties {
  /** Inherits nothing, so that `in` finds properties alone; `distinct_id` among them, which each event has for itself. */
  readonly properties: Readonly<Record<string, unknown>>
  /** The members of their JSON, without braces. */
  readonly text: string
}

/** Prepares properties for many events; later changes of the given object are not seen. */
export const commonProperties = (given: Readonly<Record<string, unknown>>): CommonProperties => {
  const json = serialise({ ...given, distinct_id: undefined })
  const properties = Object.assign(Object.create(null), JSON.parse(json), { distinct_id: undefined })
  return { properties, text: json.slice(1, -1) }
}
