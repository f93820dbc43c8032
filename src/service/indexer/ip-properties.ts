import type { JsonObject } from '../../wire/json.ts'
import { parseClientIp } from '../geo/parse-client-ip.ts'
import type { Locate, GeoLocation } from '../geo/locate.ts'
import { INITIAL_GEO_PROPERTIES } from '../geo/geo-lookup.ts'
import type { IngestedEvent } from '../ingest/read-events.ts'
import type { Change } from '../persons/change.ts'

/** How the IP addresses of requests are used. */
export interface IpOptions {
  readonly locate: Locate
  /** Whether the IP address is stored with the event as `$ip`. */
  readonly storeAddresses: boolean
}

/** What the IP address of an event adds to the event and its person. */
export interface IpProperties {
  /** Event properties that the sender did not set. */
  readonly event: JsonObject
  /** Where the event happened; null when the location is unknown or must not be used. */
  readonly location: GeoLocation | null
}

const NO_PROPERTIES: IpProperties = { event: {}, location: null }

/**
 * Derives the properties `$ip` (if addresses are stored) and `$geoip_…` of an event from the IP address of its request.
 *
 * A server that sends events for its visitors sets `$ip` to the visitor's address; a `$ip` that is not a string hides the
 * address. `$geoip_disable` suppresses the location. Imports get no properties: their address is not the visitor's.
 *
 * @param ipAddress of the connection; null when it is unknown or must not be used.
 */
export const readIpProperties = (
  { knownProperties: properties, isHistorical }: Pick<IngestedEvent, 'knownProperties' | 'isHistorical'>,
  ipAddress: string | null,
  { locate, storeAddresses }: IpOptions,
): IpProperties => {
  if (isHistorical) return NO_PROPERTIES
  const hasOwnIp = Object.hasOwn(properties, '$ip')
  const ownIp = properties['$ip']
  const visitorIp = hasOwnIp ? (typeof ownIp === 'string' ? ownIp : null) : ipAddress
  const location = visitorIp === null || properties['$geoip_disable'] === true ? null : locate(visitorIp)
  if (location === null && (!storeAddresses || ipAddress === null || hasOwnIp)) return NO_PROPERTIES
  const added: Record<string, JsonObject[string]> = {}
  for (const [name, value] of Object.entries(location?.current ?? {})) {
    if (!Object.hasOwn(properties, name)) added[name] = value
  }
  if (storeAddresses && ipAddress !== null && !hasOwnIp) added['$ip'] = parseClientIp(ipAddress) ?? ipAddress
  return { event: added, location }
}

/**
 * Adds the event's location to the change of its person; properties that the event itself sets win. Location properties
 * that are unknown for the new place are unset, so that a person never has properties of two places.
 */
export const withLocation = (change: Change, location: GeoLocation | null): Change => {
  if (location === null || change.kind !== 'person') return change
  return {
    ...change,
    set: { ...location.current, ...change.set },
    initialValues: { names: INITIAL_GEO_PROPERTIES, values: location.initial },
    unset: [...change.unset, ...location.absent.filter((name) => !setsProperty(change, name))],
  }
}

const setsProperty = ({ set, setOnce }: PersonChange, name: string): boolean =>
  Object.hasOwn(set, name) || Object.hasOwn(setOnce, name)

type PersonChange = Extract<Change, { kind: 'person' }>
