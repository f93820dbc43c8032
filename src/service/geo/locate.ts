import type { JsonObject } from '../../wire/json.ts'
import { parseClientIp } from './parse-client-ip.ts'
import type { GeoLookup } from './geo-lookup.ts'
import { GEO_PROPERTIES, initialPropertyName } from './geo-lookup.ts'

/** The location of an IP address, as properties of events and persons. */
export interface GeoLocation {
  /** The known `GEO_PROPERTIES`. */
  readonly current: JsonObject
  /** The other `GEO_PROPERTIES`: unknown here, so older values of them must be removed. */
  readonly absent: readonly string[]
  /** `current` under its `$initial_geoip_…` names. */
  readonly initial: JsonObject
}

/** Locates an IP address; null when nothing is known about it. Returns the same object for an address while it is cached. */
export type Locate = (address: string) => GeoLocation | null

/** Maximum size of the cache, which helps because most senders send many events. */
const MAX_CACHED_ADDRESSES = 10_000

/** Creates a `Locate` that caches the results of `lookUp`. */
export const createLocate = (lookUp: GeoLookup): Locate => {
  const cache = new Map<string, GeoLocation | null>()
  return (address) => {
    const cachedLocation = cache.get(address)
    if (cachedLocation !== undefined) return cachedLocation
    const location = findLocation(lookUp, address)
    if (cache.size >= MAX_CACHED_ADDRESSES) cache.clear()
    cache.set(address, location)
    return location
  }
}

const findLocation = (lookUp: GeoLookup, address: string): GeoLocation | null => {
  const ip = parseClientIp(address)
  const current = ip === undefined ? {} : lookUp(ip)
  const entries = Object.entries(current)
  if (entries.length === 0) return null
  return {
    current,
    absent: GEO_PROPERTIES.filter((name) => !Object.hasOwn(current, name)),
    initial: Object.fromEntries(entries.map(([name, value]) => [initialPropertyName(name), value])),
  }
}
