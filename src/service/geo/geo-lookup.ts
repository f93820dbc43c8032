import type { JsonObject } from '../../wire/json.ts'

/** The person properties that are derived from an IP address. Flag conditions can refer to them. */
export const GEO_PROPERTIES = [
  '$geoip_city_name',
  '$geoip_country_name',
  '$geoip_country_code',
  '$geoip_continent_name',
  '$geoip_continent_code',
  '$geoip_postal_code',
  '$geoip_time_zone',
] as const

/** The name of the property with the first value of a geo property: `$geoip_x` becomes `$initial_geoip_x`. */
export const initialPropertyName = (name: string): string => `$initial_${name.slice(1)}`

/** The `$initial_…` names of all `GEO_PROPERTIES`. */
export const INITIAL_GEO_PROPERTIES: readonly string[] = GEO_PROPERTIES.map(initialPropertyName)

/** Returns the `GEO_PROPERTIES` that are known for an IP address; empty when none is. Never throws. */
export type GeoLookup = (address: string) => JsonObject

/** A lookup that finds nothing, for a service without a geo database. */
export const emptyGeoLookup: GeoLookup = () => ({})
