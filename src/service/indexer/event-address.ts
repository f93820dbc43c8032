import type { JsonObject } from '../../wire/json.ts'
import { clientAddress } from '../geo/client-address.ts'
import type { Locate, Location } from '../geo/locate.ts'
import { INITIAL_GEO_PROPERTIES } from '../geo/geo.ts'
import type { IngestedEvent } from '../ingest/events.ts'
import type { Change } from '../persons/change.ts'

/** What is done with the addresses that requests come from. */
export interface AddressUse {
  readonly locate: Locate
  /** Whether the address itself is stored with the event, as `$ip`. */
  readonly isStored: boolean
}

/** What an event's address adds to it and to its person. */
export interface AddressProperties {
  /** Event properties that the sender did not give. */
  readonly event: JsonObject
  /** Where the event happened; null when that is not known, or not to be told. */
  readonly location: Location | null
}

const NOTHING: AddressProperties = { event: {}, location: null }

/**
 * What an event is given by the address it came from: `$ip`, where addresses are stored, and `$geoip_…`, unless the event
 * asks otherwise by `$geoip_disable`. A given `$ip` is the address of the visitor, for whom a server may speak; one that is
 * no address (`null`, a text) hides it. An import says nothing about where its events happened.
 *
 * @param address of the connection, or null when it is not known or not to be used.
 */
export const addressProperties = (
  { properties, isHistorical }: IngestedEvent,
  address: string | null,
  { locate, isStored }: AddressUse,
): AddressProperties => {
  if (isHistorical) return NOTHING
  const hasOwn = Object.hasOwn(properties, '$ip')
  const given = properties['$ip']
  const visitor = hasOwn ? (typeof given === 'string' ? given : null) : address
  const location = visitor === null || properties['$geoip_disable'] === true ? null : locate(visitor)
  if (location === null && (!isStored || address === null || hasOwn)) return NOTHING
  const added: Record<string, JsonObject[string]> = {}
  for (const [name, value] of Object.entries(location?.current ?? {})) {
    if (!Object.hasOwn(properties, name)) added[name] = value
  }
  if (isStored && address !== null && !hasOwn) added['$ip'] = clientAddress(address) ?? address
  return { event: added, location }
}

/**
 * A change that also tells its person where the event happened; what the event itself says of the person is stronger. A
 * place comes whole, with what is not known of it taken away: parts of two places are a place that does not exist.
 */
export const withLocation = (change: Change, location: Location | null): Change => {
  if (location === null || change.kind !== 'person') return change
  return {
    ...change,
    set: { ...location.current, ...change.set },
    first: { among: INITIAL_GEO_PROPERTIES, values: location.initial },
    unset: [...change.unset, ...location.absent.filter((name) => !isGiven(change, name))],
  }
}

const isGiven = ({ set, setOnce }: PersonChange, name: string): boolean =>
  Object.hasOwn(set, name) || Object.hasOwn(setOnce, name)

type PersonChange = Extract<Change, { kind: 'person' }>
