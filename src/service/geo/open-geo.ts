import { createRequire } from 'node:module'
import { open } from 'maxmind'
import { isRecord } from '../../wire/json.ts'
import type { Json, JsonObject } from '../../wire/json.ts'
import { StartError } from '../data-folder.ts'
import { countryProperties } from './country.ts'
import { noGeo } from './geo.ts'
import type { Geo } from './geo.ts'

/** Countries by address, an optional dependency: who leaves it out gets no geo properties without a database of their own. */
const COUNTRY_DATABASE = '@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb'

const countryDatabase = (): string | undefined => {
  try {
    return createRequire(import.meta.url).resolve(COUNTRY_DATABASE)
  } catch {
    return undefined
  }
}

/** What stands at a path, the names of things in English. */
const at = (record: Json, ...path: readonly string[]): string | undefined => {
  let value: Json | undefined = record
  for (const key of path) value = isRecord(value) ? value[key] : undefined
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Nested as GeoIP2 and GeoLite2 have it, or flat as the databases of ip-location-db. */
const propertiesOf = (record: Json): JsonObject => {
  const code = at(record, 'country', 'iso_code') ?? at(record, 'country_code')
  const known = {
    $geoip_city_name: at(record, 'city', 'names', 'en') ?? at(record, 'city'),
    $geoip_country_name: at(record, 'country', 'names', 'en'),
    $geoip_continent_code: at(record, 'continent', 'code'),
    $geoip_continent_name: at(record, 'continent', 'names', 'en'),
    $geoip_postal_code: at(record, 'postal', 'code') ?? at(record, 'postcode'),
    $geoip_time_zone: at(record, 'location', 'time_zone') ?? at(record, 'timezone'),
  }
  const given = Object.entries(known).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return { ...(code === undefined ? {} : countryProperties(code)), ...Object.fromEntries(given) }
}

/**
 * Reads a geo database into memory.
 *
 * @param file Path of a MaxMind DB file (`.mmdb`); null takes the countries that come as an optional dependency, or nothing
 *   where it was not installed.
 * @throws StartError when the file is none or cannot be read.
 */
export const openGeo = async (file: string | null): Promise<Geo> => {
  const path = file ?? countryDatabase()
  if (path === undefined) return noGeo
  const database = await open(path).catch((error: unknown) => {
    throw new StartError(
      `The geo database ${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      {
        cause: error,
      },
    )
  })
  return (address) => {
    // An IPv4 address of a socket that takes both; databases have it under its own form.
    const found: unknown = database.get(address.replace(/^::ffff:(?=[\d.]+$)/i, ''))
    return found === null ? {} : propertiesOf(found as Json)
  }
}
