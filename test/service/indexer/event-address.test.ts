import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLocate } from '../../../src/service/geo/locate.ts'
import type { Geo } from '../../../src/service/geo/geo.ts'
import { openGeo } from '../../../src/service/geo/open-geo.ts'
import { addressProperties } from '../../../src/service/indexer/event-address.ts'
import { rowReader } from '../support/row-reader.ts'
import { writeMmdb } from '../support/write-mmdb.ts'

/** Of addresses whose first bit is 0; nothing is known of the others. */
const PLACE = {
  $geoip_country_code: 'FR',
  $geoip_country_name: 'France',
  $geoip_continent_code: 'EU',
  $geoip_continent_name: 'Europe',
  $geoip_time_zone: 'Europe/Paris',
  $geoip_city_name: 'Lyon',
}
const INITIAL = Object.fromEntries(Object.entries(PLACE).map(([name, value]) => [`$initial_${name.slice(1)}`, value]))
const KNOWN = '12.0.0.1'
const UNKNOWN = '192.0.2.1'

describe('what an address adds to events and persons', () => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-geo-'))
  let geo: Geo
  afterAll(() => rmSync(folder, { recursive: true }))
  beforeAll(async () => {
    const file = join(folder, 'city.mmdb')
    writeMmdb(file, { country: { iso_code: 'FR' }, city: { names: { en: 'Lyon' } } })
    geo = await openGeo(file)
  })

  const read = (event: object, address: string | null, more: { isStored?: boolean; request?: object } = {}) => {
    const { isStored = false, request } = more
    const [one] = rowReader({ locate: createLocate(geo), isStored })([event], { address, request })
    return { properties: JSON.parse(one!.event.properties), change: one!.change?.change }
  }

  it('adds where the address is to the event, sets it on the person, and keeps where the person was first', () => {
    const { properties, change } = read({ event: 'a', distinct_id: 'ada', properties: { a: 1 } }, `::ffff:${KNOWN}`)
    expect(properties).toEqual({ a: 1, ...PLACE })
    expect(change).toMatchObject({ kind: 'person', set: PLACE, setOnce: {}, first: { values: INITIAL } })
  })

  it('never overwrites what the sender gave, on the event or on the person', () => {
    const $set = { $geoip_city_name: 'Home' }
    const $set_once = { $initial_geoip_city_name: 'First' }
    const given = { $geoip_city_name: 'Ici', $set, $set_once }
    const { properties, change } = read({ event: 'a', distinct_id: 'ada', properties: given }, KNOWN)
    expect(properties).toEqual({ ...PLACE, ...given })
    expect(change).toMatchObject({ set: { ...PLACE, ...$set }, setOnce: $set_once, first: { values: INITIAL } })
  })

  it('takes nothing but the event where no person is processed', () => {
    const anonymous = { event: 'a', distinct_id: 'ada', properties: { $process_person_profile: false } }
    expect(read(anonymous, KNOWN)).toEqual({ properties: { ...anonymous.properties, ...PLACE }, change: undefined })
    const group = { $group_type: 'company', $group_key: 'acme', $group_set: {} }
    const { change } = read({ event: '$groupidentify', distinct_id: 'ada', properties: group }, KNOWN)
    expect(change).toEqual({ kind: 'group', type: 'company', key: 'acme', set: {} })
  })

  it.each([
    ['$geoip_disable', { $geoip_disable: true }, KNOWN, {}],
    ['an address of which nothing is known', {}, UNKNOWN, {}],
    ['no address', {}, null, {}],
    ['a given $ip, whose place is taken', { $ip: KNOWN }, UNKNOWN, PLACE],
    ['a given $ip of which nothing is known', { $ip: UNKNOWN }, KNOWN, {}],
    ['a given $ip that is hidden', { $ip: null }, KNOWN, {}],
    ['a given $ip that is no address', { $ip: 'nowhere' }, KNOWN, {}],
  ])('heeds %s', (_, properties, address, added) => {
    const one = read({ event: 'a', distinct_id: 'ada', properties }, address)
    expect(one.properties).toEqual({ ...properties, ...added })
    expect(one.change).toMatchObject({ set: added })
  })

  it('adds nothing to an import', () => {
    const event = { event: 'a', distinct_id: 'ada', timestamp: '2020-01-01T00:00:00Z', properties: { $ip: KNOWN } }
    const request = { historical_migration: true }
    const { properties, change } = read(event, KNOWN, { request, isStored: true })
    expect(properties).toEqual(event.properties)
    expect(change).toMatchObject({ set: {}, setOnce: {} })
  })

  it('stores the address itself only where that is asked for, and never over a given one', () => {
    const event = { event: 'a', distinct_id: 'ada' }
    expect(read(event, UNKNOWN).properties).toEqual({})
    expect(read(event, `::ffff:${UNKNOWN}`, { isStored: true }).properties).toEqual({ $ip: UNKNOWN })
    expect(read(event, KNOWN, { isStored: true }).properties).toEqual({ ...PLACE, $ip: KNOWN })
    expect(read(event, null, { isStored: true }).properties).toEqual({})
    const given = { ...event, properties: { $ip: null } }
    expect(read(given, KNOWN, { isStored: true }).properties).toEqual({ $ip: null })
    const disabled = { ...event, properties: { $geoip_disable: true } }
    expect(read(disabled, KNOWN, { isStored: true }).properties).toEqual({ $geoip_disable: true, $ip: KNOWN })
  })

  it('asks for an address once', () => {
    let asked = 0
    const locate = createLocate((address) => ({ $geoip_city_name: `${address} ${++asked}` }))
    const event = {
      index: 0,
      uuid: undefined,
      event: 'a',
      distinctId: 'u',
      timestamp: 0,
      isHistorical: false,
      properties: {},
    }
    const use = { locate, isStored: false }
    expect(addressProperties(event, KNOWN, use)).toEqual(addressProperties(event, KNOWN, use))
    expect(addressProperties(event, 'no address', use).event).toEqual({})
    expect(asked).toBe(1)
  })
})
