import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLocate } from '../../../src/service/geo/locate.ts'
import type { GeoLookup } from '../../../src/service/geo/geo-lookup.ts'
import { openGeoDatabase } from '../../../src/service/geo/open-geo-database.ts'
import { readIpProperties } from '../../../src/service/indexer/ip-properties.ts'
import { createRowReader } from '../support/row-reader.ts'
import { writeMmdb } from '../support/write-mmdb.ts'

/** The location of IP addresses whose first bit is 0; the others have none. */
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

describe('the IP address of an event', () => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-geo-'))
  let geo: GeoLookup
  afterAll(() => rmSync(folder, { recursive: true }))
  beforeAll(async () => {
    const file = join(folder, 'city.mmdb')
    writeMmdb(file, { country: { iso_code: 'FR' }, city: { names: { en: 'Lyon' } } })
    geo = await openGeoDatabase(file)
  })

  const read = (
    event: object,
    address: string | null,
    options: { storeAddresses?: boolean; request?: object } = {},
  ) => {
    const { storeAddresses = false, request } = options
    const [parsed] = createRowReader({ locate: createLocate(geo), storeAddresses })([event], { address, request })
    return { properties: JSON.parse(parsed!.event.properties), change: parsed!.change?.change }
  }

  it('adds its location to the event and the person', () => {
    const { properties, change } = read(
      { event: 'a', distinct_id: 'ada', properties: { a: 1 } },
      `::ffff:${LOCATED_IP}`,
    )
    expect(properties).toEqual({ a: 1, ...LOCATION })
    expect(change).toMatchObject({ kind: 'person', set: LOCATION, setOnce: {}, initial: { values: INITIAL_LOCATION } })
  })

  it('never overwrites properties of the sender, on the event or the person', () => {
    const $set = { $geoip_city_name: 'Home' }
    const $set_once = { $initial_geoip_city_name: 'First' }
    const sent = { $geoip_city_name: 'Ici', $set, $set_once }
    const { properties, change } = read({ event: 'a', distinct_id: 'ada', properties: sent }, LOCATED_IP)
    expect(properties).toEqual({ ...LOCATION, ...sent })
    expect(change).toMatchObject({
      set: { ...LOCATION, ...$set },
      setOnce: $set_once,
      initial: { values: INITIAL_LOCATION },
    })
  })

  it('changes only the event when no person is processed', () => {
    const anonymous = { event: 'a', distinct_id: 'ada', properties: { $process_person_profile: false } }
    expect(read(anonymous, LOCATED_IP)).toEqual({
      properties: { ...anonymous.properties, ...LOCATION },
      change: undefined,
    })
    const group = { $group_type: 'company', $group_key: 'acme', $group_set: {} }
    const { change } = read({ event: '$groupidentify', distinct_id: 'ada', properties: group }, LOCATED_IP)
    expect(change).toEqual({ kind: 'group', type: 'company', key: 'acme', set: {} })
  })

  it.each([
    ['$geoip_disable', { $geoip_disable: true }, LOCATED_IP, {}],
    ['an address without a location', {}, UNLOCATED_IP, {}],
    ['no address', {}, null, {}],
    ['a sent $ip, whose location is used', { $ip: LOCATED_IP }, UNLOCATED_IP, LOCATION],
    ['a sent $ip without a location', { $ip: UNLOCATED_IP }, LOCATED_IP, {}],
    ['a sent $ip of null, which hides the address', { $ip: null }, LOCATED_IP, {}],
    ['a sent $ip that is not an address', { $ip: 'nowhere' }, LOCATED_IP, {}],
  ])('respects %s', (_, properties, address, added) => {
    const result = read({ event: 'a', distinct_id: 'ada', properties }, address)
    expect(result.properties).toEqual({ ...properties, ...added })
    expect(result.change).toMatchObject({ set: added })
  })

  it('adds nothing to an event of an import', () => {
    const event = { event: 'a', distinct_id: 'ada', timestamp: '2020-01-01T00:00:00Z', properties: { $ip: LOCATED_IP } }
    const request = { historical_migration: true }
    const { properties, change } = read(event, LOCATED_IP, { request, storeAddresses: true })
    expect(properties).toEqual(event.properties)
    expect(change).toMatchObject({ set: {}, setOnce: {} })
  })

  it('is stored only with storeAddresses, and never over a sent $ip', () => {
    const event = { event: 'a', distinct_id: 'ada' }
    expect(read(event, UNLOCATED_IP).properties).toEqual({})
    expect(read(event, `::ffff:${UNLOCATED_IP}`, { storeAddresses: true }).properties).toEqual({ $ip: UNLOCATED_IP })
    expect(read(event, LOCATED_IP, { storeAddresses: true }).properties).toEqual({ ...LOCATION, $ip: LOCATED_IP })
    expect(read(event, null, { storeAddresses: true }).properties).toEqual({})
    const hidden = { ...event, properties: { $ip: null } }
    expect(read(hidden, LOCATED_IP, { storeAddresses: true }).properties).toEqual({ $ip: null })
    const disabled = { ...event, properties: { $geoip_disable: true } }
    expect(read(disabled, LOCATED_IP, { storeAddresses: true }).properties).toEqual({
      $geoip_disable: true,
      $ip: LOCATED_IP,
    })
  })

  it('is looked up once', () => {
    let lookups = 0
    const locate = createLocate((address) => ({ $geoip_city_name: `${address} ${++lookups}` }))
    const event = {
      index: 0,
      uuid: undefined,
      event: 'a',
      distinctId: 'u',
      timestamp: 0,
      isHistorical: false,
      properties: {},
    }
    const options = { locate, storeAddresses: false }
    expect(readIpProperties(event, LOCATED_IP, options)).toEqual(readIpProperties(event, LOCATED_IP, options))
    expect(readIpProperties(event, 'no address', options).event).toEqual({})
    expect(lookups).toBe(1)
  })
})
