import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { waitForIndexer, parseKeys, queryRows, startService } from '../support/service-process.ts'
import { createTempFolder } from '../support/temp-folder.ts'
import { writeMmdb } from '../support/write-mmdb.ts'

test('adds geo properties to events and persons without storing the IP address', async () => {
  const folder = createTempFolder()
  const geoDatabase = join(folder, 'city.mmdb')
  // Has the IP address of this machine.
  writeMmdb(geoDatabase, { country: { iso_code: 'FR' }, city: { names: { en: 'Lyon' } } })
  const dataFolder = join(folder, 'data')
  const service = await startService(dataFolder, { args: ['--geo-database', geoDatabase] })
  const { apiKey, personalApiKey } = parseKeys(service.output())
  const capture = async (event: string, query = '') => {
    const body = JSON.stringify({ api_key: apiKey, event, distinct_id: event })
    const { status } = await fetch(`${service.url}/i/v0/e/${query}`, { method: 'POST', body })
    expect(status).toBe(200)
  }
  await capture('seen')
  await capture('unseen', '?ip=0')
  await waitForIndexer(service.url)
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

test('--store-addresses keeps the IP address of each event as $ip', async () => {
  const service = await startService(join(createTempFolder(), 'data'), { args: ['--store-addresses', 'true'] })
  const { apiKey, personalApiKey } = parseKeys(service.output())
  const batch = [
    { event: 'own', distinct_id: 'u' },
    { event: 'explicit', distinct_id: 'u', properties: { $ip: '192.0.2.7' } },
  ]
  await fetch(`${service.url}/batch/`, { method: 'POST', body: JSON.stringify({ api_key: apiKey, batch }) })
  await waitForIndexer(service.url)
  expect(
    await queryRows(service.url, personalApiKey, `SELECT event, properties->>'$."$ip"' FROM events ORDER BY 1`),
  ).toEqual([
    ['explicit', '192.0.2.7'],
    ['own', '127.0.0.1'],
  ])
})
