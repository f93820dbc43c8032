import type { JsonObject } from '../../wire/json.ts'
import { clientAddress } from './client-address.ts'
import type { Geo } from './geo.ts'
import { GEO_PROPERTIES, initialName } from './geo.ts'

/** Where an address is, in the names of events and persons. */
export interface Location {
  /** Some of `GEO_PROPERTIES`. */
  readonly current: JsonObject
  /** The others of `GEO_PROPERTIES`: not known of this place, and not to be left from another. */
  readonly absent: readonly string[]
  /** The same as `$initial_geoip_…`: where a person was first. */
  readonly initial: JsonObject
}

/** Tells where an address is; null when nothing is known. The same object for the same address, as long as it is remembered. */
export type Locate = (address: string) => Location | null

/** Addresses that are remembered: senders of many events come again. */
const MOST_REMEMBERED = 10_000

/** A `Locate` that asks `geo` once for each address. */
export const createLocate = (geo: Geo): Locate => {
  const remembered = new Map<string, Location | null>()
  return (address) => {
    const known = remembered.get(address)
    if (known !== undefined) return known
    const location = locationOf(geo, address)
    if (remembered.size >= MOST_REMEMBERED) remembered.clear()
    remembered.set(address, location)
    return location
  }
}

const locationOf = (geo: Geo, given: string): Location | null => {
  const address = clientAddress(given)
  const current = address === undefined ? {} : geo(address)
  const entries = Object.entries(current)
  if (entries.length === 0) return null
  return {
    current,
    absent: GEO_PROPERTIES.filter((name) => !Object.hasOwn(current, name)),
    initial: Object.fromEntries(entries.map(([name, value]) => [initialName(name), value])),
  }
}
