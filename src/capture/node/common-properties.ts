import { boundJson } from '../bound-json.ts'
import { serialise } from '../serialise.ts'

/** Properties that many events share, with their JSON: it is created once and copied into each event. */
export interface CommonProperties {
  /** Has no prototype, so that `in` finds only properties. Includes `distinct_id: undefined`, because each event has its own value. */
  readonly properties: Readonly<Record<string, unknown>>
  /** The JSON of the properties, without braces. */
  readonly membersJson: string
  /** Whether they are within the bounds of the service. */
  readonly isWithinBounds: boolean
}

/** Copies the properties: later changes of `source` have no effect. */
export const prepareCommonProperties = (source: Readonly<Record<string, unknown>>): CommonProperties => {
  const json = serialise({ ...source, distinct_id: undefined })
  const properties = Object.assign(Object.create(null), JSON.parse(json), { distinct_id: undefined })
  const event = `{"event":"-","distinct_id":"-","properties":${json}}`
  return {
    properties,
    membersJson: json.slice(1, -1),
    isWithinBounds: boundJson(event) === event,
  }
}
