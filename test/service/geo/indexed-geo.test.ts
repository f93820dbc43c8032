import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { caughtUp, keysIn, queryRows, startService } from '../support/service-process.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { writeMmdb } from '../support/write-mmdb.ts'

test('events and persons are told where they are by the address of their request, which itself is not stored', async () => {
  const folder = tempFolder()
  const geoDatabase = join(folder, 'city.mmdb')
  // Knows the address of this machine.
  writeMmdb(geoDatabase, { country: { iso_code: 'FR' }, city: { names: { en: 'Lyon' } } })
  const dataFolder = join(folder, 'data')
  const service = await startService(dataFolder, { args: ['--geo-database', geoDatabase] })
  const { apiKey, personalApiKey } = keysIn(service.output())
  const capture = async (event: string, query = '') => {
    const body = JSON.stringify({ api_key: apiKey, event, distinct_id: event })
    const { status } = await fetch(`${service.url}/i/v0/e/${query}`, { method: 'POST', body })
    expect(status).toBe(200)
  }
  await capture('seen')
  await capture('unseen', '?ip=0')
  await caughtUp(service.url)
  const places = `SELECT event, "$geoip_city_name", "$geoip_country_code", properties->>'$."$ip"' FROM events ORDER BY 1`
  expect(await queryRows(service.url, personalApiKey, places)).toEqual([
    ['seen', 'Lyon', 'FR', null],
    ['unseen', null, null, null],
  ])
  const persons = `SELECT properties->>'$."$geoip_city_name"', properties->>'$."$initial_geoip_city_name"' FROM persons ORDER BY 1`
  expect(await queryRows(service.url, personalApiKey, persons)).toEqual([
    ['Lyon', 'Lyon'],
    [null, null],
  ])
  await service.end('SIGTERM')
  for (const file of ['1.duckdb', '1.duckdb.uuids']) {
    expect(readFileSync(join(dataFolder, 'events', file)).includes('127.0.0.1')).toBe(false)
  }
})

test('--store-addresses keeps the address of each event as $ip', async () => {
  const service = await startService(join(tempFolder(), 'data'), { args: ['--store-addresses', 'true'] })
  const { apiKey, personalApiKey } = keysIn(service.output())
  const batch = [
    { event: 'own', distinct_id: 'u' },
    { event: 'given', distinct_id: 'u', properties: { $ip: '192.0.2.7' } },
  ]
  await fetch(`${service.url}/batch/`, { method: 'POST', body: JSON.stringify({ api_key: apiKey, batch }) })
  await caughtUp(service.url)
  expect(
    await queryRows(service.url, personalApiKey, `SELECT event, properties->>'$."$ip"' FROM events ORDER BY 1`),
  ).toEqual([
    ['given', '192.0.2.7'],
    ['own', '127.0.0.1'],
  ])
})
