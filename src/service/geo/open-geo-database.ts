import { createRequire } from 'node:module'
import { open } from 'maxmind'
import { isRecord } from '../../wire/json.ts'
import type { Json, JsonObject } from '../../wire/json.ts'
import { StartError } from '../data-folder.ts'
import { getCountryProperties } from './country-properties.ts'
import { emptyGeoLookup } from './geo-lookup.ts'
import type { GeoLookup } from './geo-lookup.ts'
import { isNonEmptyString } from '../../wire/is-non-empty-string.ts'

/** Countries by IP address. An optional dependency: without it and without a configured database there are no geo properties. */
const COUNTRY_DATABASE = '@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb'

const findCountryDatabase = (): string | undefined => {
  try {
    return createRequire(import.meta.url).resolve(COUNTRY_DATABASE)
  } catch {
    return undefined
  }
}

/** The non-empty string at a path of nested keys. */
const stringAt = (record: Json, ...path: readonly string[]): string | undefined => {
  let value: Json | undefined = record
  for (const key of path) value = isRecord(value) ? value[key] : undefined
  return isNonEmptyString(value) ? value : undefined
}

/** Reads a record with English names: nested as in GeoIP2 and GeoLite2, or flat as in the databases of ip-location-db. */
const toGeoProperties = (record: Json): JsonObject => {
  const code = stringAt(record, 'country', 'iso_code') ?? stringAt(record, 'country_code')
  const fields = {
    $geoip_city_name: stringAt(record, 'city', 'names', 'en') ?? stringAt(record, 'city'),
    $geoip_country_name: stringAt(record, 'country', 'names', 'en'),
    $geoip_continent_code: stringAt(record, 'continent', 'code'),
    $geoip_continent_name: stringAt(record, 'continent', 'names', 'en'),
    $geoip_postal_code: stringAt(record, 'postal', 'code') ?? stringAt(record, 'postcode'),
    $geoip_time_zone: stringAt(record, 'location', 'time_zone') ?? stringAt(record, 'timezone'),
  }
  const present = Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return { ...(code === undefined ? {} : getCountryProperties(code)), ...Object.fromEntries(present) }
}

/**
 * Reads a geo database into memory.
 *
 * @param file Path of a MaxMind DB file (`.mmdb`). Null uses the country database, an optional dependency; without it the
 *   lookup finds nothing.
 * @throws StartError when the file cannot be read or is not a MaxMind DB.
 */
export const openGeoDatabase = async (file: string | null): Promise<GeoLookup> => {
  const path = file ?? findCountryDatabase()
  if (path === undefined) return emptyGeoLookup
  const database = await open(path).catch((error: unknown) => {
    throw new StartError(
      `The geo database ${path} cannot be read: ${error instanceof Error ? error.message : String(error)}. ` +
        'Set --geo-database to a MaxMind DB file (.mmdb).',
      { cause: error },
    )
  })
  return (address) => {
    // A dual-stack socket reports IPv4 addresses in IPv6 form; databases list them in IPv4 form.
    const record: unknown = database.get(address.replace(/^::ffff:(?=[\d.]+$)/i, ''))
    return record === null ? {} : toGeoProperties(record as Json)
  }
}
