import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLocate } from '../../../src/service/geo/locate.ts'
import type { GeoLookup } from '../../../src/service/geo/geo-lookup.ts'
import { openGeoDatabase } from '../../../src/service/geo/open-geo-database.ts'
import { readIpProperties } from '../../../src/service/indexer/ip-properties.ts'
import { rowOptions } from '../support/row-options.ts'
import { createRowReader } from '../support/row-reader.ts'
import { writeMmdb } from '../support/write-mmdb.ts'

/**
 * The location properties of `LOCATED_IP`. The test database contains one record, `{ iso_code: 'FR', city: 'Lyon' }`, for all IP
 * addresses whose first bit is 0. The service itself adds the names of country and continent and the time zone.
 */
const LOCATION = {
  $geoip_country_code: 'FR',
  $geoip_country_name: 'France',
  $geoip_continent_code: 'EU',
  $geoip_continent_name: 'Europe',
  $geoip_time_zone: 'Europe/Paris',
  $geoip_city_name: 'Lyon',
}
const INITIAL_LOCATION = Object.fromEntries(
  Object.entries(LOCATION).map(([name, value]) => [`$initial_${name.slice(1)}`, value]),
)
const LOCATED_IP = '12.0.0.1'
const UNLOCATED_IP = '192.0.2.1'

describe('readIpProperties', () => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-geo-'))
  let geo: GeoLookup
  afterAll(() => rmSync(folder, { recursive: true }))
  beforeAll(async () => {
    const file = join(folder, 'city.mmdb')
    writeMmdb(file, { country: { iso_code: 'FR' }, city: { names: { en: 'Lyon' } } })
    geo = await openGeoDatabase(file)
  })

  const readEvent = (
    event: object,
    address: string | null,
    options: { storeAddresses?: boolean; request?: object } = {},
  ) => {
    const { storeAddresses = false, request } = options
    const [parsed] = createRowReader({ ...rowOptions, locate: createLocate(geo), storeAddresses })([event], {
      address,
      request,
    })
    return { properties: parsed!.event.properties, change: parsed!.change?.change }
  }

  it('adds the location of the IP address to the event and the person', () => {
    const { properties, change } = readEvent(
      { event: 'a', distinct_id: 'ada', properties: { a: 1 } },
      `::ffff:${LOCATED_IP}`,
    )
    expect(properties).toEqual({ a: 1, ...LOCATION })
    expect(change).toMatchObject({
      kind: 'person',
      set: LOCATION,
      setOnce: {},
      initialValues: { values: INITIAL_LOCATION },
    })
  })

  it('never overwrites properties of the sender, on the event or the person', () => {
    const $set = { $geoip_city_name: 'Home' }
    const $set_once = { $initial_geoip_city_name: 'First' }
    const sentProperties = { $geoip_city_name: 'Ici', $set, $set_once }
    const { properties, change } = readEvent({ event: 'a', distinct_id: 'ada', properties: sentProperties }, LOCATED_IP)
    expect(properties).toEqual({ ...LOCATION, ...sentProperties })
    expect(change).toMatchObject({
      set: { ...LOCATION, ...$set },
      setOnce: $set_once,
      initialValues: { values: INITIAL_LOCATION },
    })
  })

  it('adds no location to the person when the event changes no person', () => {
    const anonymousEvent = { event: 'a', distinct_id: 'ada', properties: { $process_person_profile: false } }
    expect(readEvent(anonymousEvent, LOCATED_IP)).toEqual({
      properties: { ...anonymousEvent.properties, ...LOCATION },
      change: undefined,
    })
    const groupProperties = { $group_type: 'company', $group_key: 'acme', $group_set: {} }
    const { change } = readEvent(
      { event: '$groupidentify', distinct_id: 'ada', properties: groupProperties },
      LOCATED_IP,
    )
    expect(change).toEqual({ kind: 'group', type: 'company', key: 'acme', set: {} })
  })

  it.each([
    ['no location for $geoip_disable', { $geoip_disable: true }, LOCATED_IP, {}],
    ['no location for an IP address that has none', {}, UNLOCATED_IP, {}],
    ['no location when the IP address is unknown', {}, null, {}],
    ['the location of a sent $ip, not of the connection', { $ip: LOCATED_IP }, UNLOCATED_IP, LOCATION],
    ['no location for a sent $ip that has none', { $ip: UNLOCATED_IP }, LOCATED_IP, {}],
    ['no location for a sent $ip of null', { $ip: null }, LOCATED_IP, {}],
    ['no location for a sent $ip that is not an IP address', { $ip: 'nowhere' }, LOCATED_IP, {}],
  ])('adds %s', (_, properties, address, expectedLocation) => {
    const result = readEvent({ event: 'a', distinct_id: 'ada', properties }, address)
    expect(result.properties).toEqual({ ...properties, ...expectedLocation })
    expect(result.change).toMatchObject({ set: expectedLocation })
  })

  it('adds nothing to an event of an import', () => {
    const event = { event: 'a', distinct_id: 'ada', timestamp: '2020-01-01T00:00:00Z', properties: { $ip: LOCATED_IP } }
    const request = { historical_migration: true }
    const { properties, change } = readEvent(event, LOCATED_IP, { request, storeAddresses: true })
    expect(properties).toEqual(event.properties)
    expect(change).toMatchObject({ set: {}, setOnce: {} })
  })

  it('stores the IP address only with storeAddresses, and never over a sent $ip', () => {
    const event = { event: 'a', distinct_id: 'ada' }
    expect(readEvent(event, UNLOCATED_IP).properties).toEqual({})
    expect(readEvent(event, `::ffff:${UNLOCATED_IP}`, { storeAddresses: true }).properties).toEqual({
      $ip: UNLOCATED_IP,
    })
    expect(readEvent(event, LOCATED_IP, { storeAddresses: true }).properties).toEqual({ ...LOCATION, $ip: LOCATED_IP })
    expect(readEvent(event, null, { storeAddresses: true }).properties).toEqual({})
    const eventWithHiddenIp = { ...event, properties: { $ip: null } }
    expect(readEvent(eventWithHiddenIp, LOCATED_IP, { storeAddresses: true }).properties).toEqual({ $ip: null })
    const eventWithoutGeo = { ...event, properties: { $geoip_disable: true } }
    expect(readEvent(eventWithoutGeo, LOCATED_IP, { storeAddresses: true }).properties).toEqual({
      $geoip_disable: true,
      $ip: LOCATED_IP,
    })
  })

  it('looks up the location of the same IP address only once', () => {
    let lookupCount = 0
    const locate = createLocate((address) => ({ $geoip_city_name: `${address} ${++lookupCount}` }))
    const event = { isHistorical: false, knownProperties: {} }
    const options = { locate, storeAddresses: false }
    expect(readIpProperties(event, LOCATED_IP, options)).toEqual(readIpProperties(event, LOCATED_IP, options))
    expect(readIpProperties(event, 'not an IP address', options).event).toEqual({})
    expect(lookupCount).toBe(1)
  })
})
