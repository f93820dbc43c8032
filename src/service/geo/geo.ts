import type { JsonObject } from '../../wire/json.ts'

/** The person properties that come from an address (service-api, "Feature-flag evaluation", rule 2). */
export const GEO_PROPERTIES = [
  '$geoip_city_name',
  '$geoip_country_name',
  '$geoip_country_code',
  '$geoip_continent_name',
  '$geoip_continent_code',
  '$geoip_postal_code',
  '$geoip_time_zone',
] as const

/** What a property of `GEO_PROPERTIES` is called where it tells where a person was first. */
export const initialName = (name: string): string => `$initial_${name.slice(1)}`

/** The same of where a person was first. */
export const INITIAL_GEO_PROPERTIES: readonly string[] = GEO_PROPERTIES.map(initialName)

/** What is known about where an IP address is: some of `GEO_PROPERTIES`, none when nothing is known. Never throws. */
export type Geo = (address: string) => JsonObject

/** Knows nothing about any address. */
export const noGeo: Geo = () => ({})
