import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { StartError } from '../../../src/service/data-folder.ts'
import { GEO_PROPERTIES } from '../../../src/service/geo/geo-lookup.ts'
import { openGeoDatabase } from '../../../src/service/geo/open-geo-database.ts'
import { createTempFolder } from '../support/temp-folder.ts'
import { writeMmdb } from '../support/write-mmdb.ts'

describe('the included country database', () => {
  it.each([
    ['8.8.8.8', 'US'],
    ['91.198.174.192', 'NL'],
    ['133.11.93.0', 'JP'],
    ['2001:67c:2e8:22::c100:68b', 'NL'],
    ['::ffff:8.8.8.8', 'US'],
  ])('locates the address %s in %s', async (address, code) => {
    const geo = await openGeoDatabase(null)
    const properties = geo(address)
    expect(properties).toMatchObject({ $geoip_country_code: code })
    expect(GEO_PROPERTIES).toEqual(expect.arrayContaining(Object.keys(properties)))
  })

  it.each(['127.0.0.1', '10.0.0.1', '::1', 'fe80::1', '', 'here'])(
    'returns no properties for the address %j',
    async (address) => {
      const geo = await openGeoDatabase(null)
      expect(geo(address)).toEqual({})
    },
  )
})

describe('a configured database', () => {
  it('returns all seven properties from GeoIP2 records', async () => {
    const path = join(createTempFolder(), 'city.mmdb')
    writeMmdb(path, {
      city: { names: { de: 'Genf', en: 'Geneva' } },
      continent: { code: 'EU', names: { en: 'Europe' } },
      country: { iso_code: 'CH', names: { en: 'Switzerland' } },
      location: { time_zone: 'Europe/Zurich' },
      postal: { code: '1202' },
    })
    const geo = await openGeoDatabase(path)
    expect(geo('1.2.3.4')).toEqual({
      $geoip_city_name: 'Geneva',
      $geoip_country_name: 'Switzerland',
      $geoip_country_code: 'CH',
      $geoip_continent_name: 'Europe',
      $geoip_continent_code: 'EU',
      $geoip_postal_code: '1202',
      $geoip_time_zone: 'Europe/Zurich',
    })
    expect(geo('200.1.2.3')).toEqual({})
  })

  it('reads flat records and adds the name and continent of their country', async () => {
    const path = join(createTempFolder(), 'flat.mmdb')
    writeMmdb(path, { city: 'Kyoto', country_code: 'JP', postcode: '' })
    const geo = await openGeoDatabase(path)
    expect(geo('1.2.3.4')).toEqual({
      $geoip_city_name: 'Kyoto',
      $geoip_country_name: 'Japan',
      $geoip_country_code: 'JP',
      $geoip_continent_name: 'Asia',
      $geoip_continent_code: 'AS',
      $geoip_time_zone: 'Asia/Tokyo',
    })
  })

  it('is rejected with its path in the message when missing or invalid', async () => {
    const folder = createTempFolder()
    const path = join(folder, 'text.mmdb')
    writeFileSync(path, 'no database')
    for (const file of [path, join(folder, 'none.mmdb')]) {
      await expect(openGeoDatabase(file)).rejects.toThrow(StartError)
      await expect(openGeoDatabase(file)).rejects.toThrow(file)
    }
  })
})
