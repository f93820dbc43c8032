import { join } from 'node:path'
import { expect, test } from 'vitest'
import { setFlags } from '../../../src/service/flags/definitions/change-flags.ts'
import { createDecide } from '../../../src/service/flags/decide/decide.ts'
import { createFlagSets } from '../../../src/service/flags/definitions/flag-sets.ts'
import { openGeoDatabase } from '../../../src/service/geo/open-geo-database.ts'
import { openTestMetadata } from '../support/open-test-metadata.ts'
import type { DecideResponse } from '../../../src/wire/decide.ts'
import { openApp } from '../support/app.ts'
import { createTempFolder } from '../support/temp-folder.ts'
import { writeMmdb } from '../support/write-mmdb.ts'

test('evaluates a flag for a continent by the client IP address', async () => {
  const metadata = await openTestMetadata()
  const parts = { metadata, now: () => 1_800_000_000_000, onError: (error: unknown) => expect.fail(String(error)) }
  const decide = createDecide({ ...parts, flagSets: createFlagSets(parts), geo: await openGeoDatabase(null) })
  const { app, project } = await openApp({ metadata, decide })
  const properties = [{ key: '$geoip_continent_name', value: 'Europe' }]
  await setFlags(metadata, project.id, [{ key: 'europe', filters: { groups: [{ properties }] } }], 1)

  const europe = async (headers: Record<string, string>, more: object = {}): Promise<unknown> => {
    const payload = { token: project.apiKey, distinct_id: 'u', ...more }
    const { body } = await app.inject({ method: 'POST', url: '/decide?v=3', headers, payload })
    return (JSON.parse(body) as DecideResponse).featureFlags['europe']
  }
  expect(await europe({})).toBe(false)
  expect(await europe({ HTTP_X_FORWARDED_FOR: '91.198.174.192' })).toBe(true)
  expect(await europe({ HTTP_X_FORWARDED_FOR: '133.11.93.0' })).toBe(false)
  for (const disabled of [{ geoip_disable: true }, { disable_geoip: true }])
    expect(await europe({ HTTP_X_FORWARDED_FOR: '91.198.174.192' }, disabled)).toBe(false)
  expect(
    await europe({ HTTP_X_FORWARDED_FOR: '91.198.174.192' }, { person_properties: { $geoip_continent_name: 'Asia' } }),
  ).toBe(false)
})

// API: "The overridden properties are $geoip_city_name, $geoip_country_name, $geoip_country_code, $geoip_continent_name,
// $geoip_continent_code, $geoip_postal_code and $geoip_time_zone."
test('overrides all properties of the location by the address in HTTP_X_FORWARDED_FOR', async () => {
  const file = join(createTempFolder(), 'city.mmdb')
  writeMmdb(file, {
    city: { names: { en: 'Lyon' } },
    continent: { code: 'EU', names: { en: 'Europe' } },
    country: { iso_code: 'FR', names: { en: 'France' } },
    location: { time_zone: 'Europe/Paris' },
    postal: { code: '69001' },
  })
  const location = {
    $geoip_city_name: 'Lyon',
    $geoip_country_name: 'France',
    $geoip_country_code: 'FR',
    $geoip_continent_name: 'Europe',
    $geoip_continent_code: 'EU',
    $geoip_postal_code: '69001',
    $geoip_time_zone: 'Europe/Paris',
  }
  const metadata = await openTestMetadata()
  const parts = { metadata, now: () => 1_800_000_000_000, onError: (error: unknown) => expect.fail(String(error)) }
  const decide = createDecide({ ...parts, flagSets: createFlagSets(parts), geo: await openGeoDatabase(file) })
  const { app, project } = await openApp({ metadata, decide })
  const flags = Object.entries(location).map(([key, value]) => ({
    key,
    filters: { groups: [{ properties: [{ key, value }] }] },
  }))
  await setFlags(metadata, project.id, flags, 1)
  const evaluate = async (headers: Record<string, string>): Promise<unknown> => {
    const payload = { token: project.apiKey, distinct_id: 'u' }
    const { body } = await app.inject({
      method: 'POST',
      url: '/decide?v=3',
      headers,
      payload,
      remoteAddress: '200.0.0.1',
    })
    return (JSON.parse(body) as DecideResponse).featureFlags
  }
  const all = (value: boolean) => Object.fromEntries(Object.keys(location).map((key) => [key, value]))
  // The database has no address above 127.255.255.255.
  expect(await evaluate({})).toEqual(all(false))
  expect(await evaluate({ HTTP_X_FORWARDED_FOR: '8.8.8.8' })).toEqual(all(true))
})
