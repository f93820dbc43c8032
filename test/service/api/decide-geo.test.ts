import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { eventually } from '../support/service-process.ts'
import { parseJsonColumn, shareService } from '../support/shared-service.ts'

/** Geo properties in flag evaluation. A comment "API:" quotes the description of the API that the service implements. */

const service = shareService('--trust-proxy', 'true')
const NETHERLANDS = '91.198.174.192'
const JAPAN = '133.11.93.0'

const isInEurope = async (distinct_id: string, headers: Record<string, string> = {}): Promise<unknown> =>
  (await service.post('/decide?v=3', { api_key: service.apiKey, distinct_id }, headers)).body.featureFlags.europe

/** Captures an event from an IP address, with `ip` in the query. */
const captureFrom = (address: string, distinct_id: string, ip = '1') =>
  service.post(
    `/i/v0/e/?ip=${ip}`,
    { api_key: service.apiKey, event: 'seen', distinct_id },
    { 'x-forwarded-for': address },
  )

beforeAll(async () => {
  const properties = [{ key: '$geoip_continent_name', value: ['Europe'], operator: 'exact', type: 'person' }]
  const file = join(service.folder, 'flags.json')
  writeFileSync(file, JSON.stringify({ key: 'europe', filters: { groups: [{ properties }] } }))
  await service.runCommand('flag', 'set', file)
  await eventually(async () => (await isInEurope('nobody')) === false)
})

// API: "By default those properties come from the IP address of the frontend capture."
test('evaluates geo conditions by the IP address of captured events', async () => {
  await captureFrom(NETHERLANDS, 'ann')
  await captureFrom(JAPAN, 'ken')
  const rows = await service.queryStored("select distinct_id, properties from events where event = 'seen' order by 1")
  expect(rows.map(([id, properties]) => [id, parseJsonColumn(properties).$geoip_country_code])).toEqual([
    ['ann', 'NL'],
    ['ken', 'JP'],
  ])
  expect([await isInEurope('ann'), await isInEurope('ken'), await isInEurope('nobody')]).toEqual([true, false, false])
})

// API: "When the header HTTP_X_FORWARDED_FOR is set, its address replaces the GeoIP-derived person properties used for
// evaluation."
test('prefers the address in HTTP_X_FORWARDED_FOR for one evaluation', async () => {
  await captureFrom(NETHERLANDS, 'bob')
  await service.queryStored('select 1')
  expect(await isInEurope('bob', { HTTP_X_FORWARDED_FOR: JAPAN })).toBe(false)
  expect(await isInEurope('nobody', { HTTP_X_FORWARDED_FOR: NETHERLANDS })).toBe(true)
  // For this evaluation only.
  expect(await isInEurope('bob')).toBe(true)
})

test('stores no geo properties with ip=0', async () => {
  await captureFrom(NETHERLANDS, 'hidden', '0')
  const [row] = await service.queryStored("select properties from events where distinct_id = 'hidden'")
  expect(Object.keys(parseJsonColumn(row![0])).filter((name) => /geoip|\$ip/.test(name))).toEqual([])
  expect(await isInEurope('hidden')).toBe(false)
})
