import type { JsonObject } from '../../../wire/json.ts'
import { isEmptyObject } from '../../../wire/json.ts'
import { GEO_PROPERTIES } from '../../geo/geo-lookup.ts'

/** The properties of one person, by their source. */
export interface PropertySources {
  /** Location of the connection's IP address. */
  readonly connection: JsonObject
  readonly stored: JsonObject
  /** Location of the IP address that the request names as the client's. */
  readonly forwarded: JsonObject
  /** Properties in the body of the request. */
  readonly requested: JsonObject
}

/**
 * Merges the properties that a person is evaluated with. Properties of the request take precedence over the forwarded location,
 * the forwarded location over stored properties, and stored properties over the location of the connection.
 *
 * Properties of two locations are never mixed, because a stored city need not lie in the country of an IP address. The location of
 * the connection is used only for a person without a stored location. The forwarded location replaces the stored one
 * completely.
 */
export const mergePersonProperties = ({ connection, stored, forwarded, requested }: PropertySources): JsonObject => {
  if (isEmptyObject(forwarded)) {
    const location = GEO_PROPERTIES.some((key) => Object.hasOwn(stored, key)) ? {} : connection
    // A person may have many properties, so they are copied only when others are added.
    return isEmptyObject(location) && isEmptyObject(requested) ? stored : { ...location, ...stored, ...requested }
  }
  const withoutLocation: Record<string, JsonObject[string]> = { ...stored }
  for (const key of GEO_PROPERTIES) delete withoutLocation[key]
  return { ...withoutLocation, ...forwarded, ...requested }
}
