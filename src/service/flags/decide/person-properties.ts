import type { JsonObject } from '../../../wire/json.ts'
import { GEO_PROPERTIES } from '../../geo/geo.ts'

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
  if (isEmpty(forwarded)) {
    const place = GEO_PROPERTIES.some((key) => Object.hasOwn(stored, key)) ? {} : connection
    // A person may have many properties: they are copied only where there are others to be put beside them.
    return isEmpty(place) && isEmpty(given) ? stored : { ...place, ...stored, ...given }
  }
  const elsewhere: Record<string, JsonObject[string]> = { ...stored }
  for (const key of GEO_PROPERTIES) delete elsewhere[key]
  return { ...elsewhere, ...forwarded, ...given }
}

const isEmpty = (properties: JsonObject): boolean => {
  for (const key in properties) if (Object.hasOwn(properties, key)) return false
  return true
}
