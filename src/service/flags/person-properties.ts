import type { JsonObject } from '../../wire/json.ts'
import { GEO_PROPERTIES } from '../geo/geo.ts'

/** Where properties of one person come from. */
export interface PropertySources {
  /** The place of the connection's address. */
  readonly connection: JsonObject
  readonly stored: JsonObject
  /** The place of the address that the request names as the client's. */
  readonly forwarded: JsonObject
  /** In the request's body. */
  readonly given: JsonObject
}

/**
 * The properties that a person is evaluated with: given over the forwarded place over stored over the connection's place.
 *
 * A place is taken whole or not at all, for a stored city is not in another address's country: the connection's only for
 * a person without one, the forwarded one instead of all that is stored (service-api, "Feature-flag evaluation", rule 1).
 */
export const personProperties = ({ connection, stored, forwarded, given }: PropertySources): JsonObject => {
  const hasPlace = GEO_PROPERTIES.some((key) => Object.hasOwn(stored, key))
  if (Object.keys(forwarded).length === 0) return { ...(!hasPlace && connection), ...stored, ...given }
  const elsewhere: Record<string, JsonObject[string]> = { ...stored }
  for (const key of GEO_PROPERTIES) delete elsewhere[key]
  return { ...elsewhere, ...forwarded, ...given }
}
