import { expect, test } from 'vitest'
import { setFlags } from '../../../src/service/flags/definitions/change-flags.ts'
import { createDecide } from '../../../src/service/flags/decide/decide.ts'
import { createFlagSets } from '../../../src/service/flags/definitions/flag-sets.ts'
import { openGeoDatabase } from '../../../src/service/geo/open-geo-database.ts'
import { openMetadata } from '../../../src/service/store/metadata/open.ts'
import type { DecideResponse } from '../../../src/wire/decide.ts'
import { openApp } from '../support/app.ts'

test('evaluates a flag for a continent by the client IP address', async () => {
  const metadata = await openMetadata(':memory:')
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
