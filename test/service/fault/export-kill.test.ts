import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { eventually, parseKeys, startService, waitForIndexer } from '../support/service-process.ts'
import { createTempFolder } from '../support/temp-folder.ts'

const EVENTS = 10_000

/** A request to the management API of a running service. */
const createClient = (url: string, key: string) => async (method: string, path: string, body?: unknown) => {
  const response = await fetch(`${url}/api/projects/@current/${path}`, {
    method,
    headers: { authorization: `Bearer ${key}` },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: response.status, text: await response.text() }
}

test('makes the whole content of an export, once, when the service is killed meanwhile', async () => {
  const folder = createTempFolder()
  let service = await startService(folder)
  const { apiKey, personalApiKey } = parseKeys(service.output())
  const batch = Array.from({ length: EVENTS }, (_, number) => ({
    event: 'looked',
    properties: { distinct_id: `person ${number % 100}`, number },
  }))
  await fetch(`${service.url}/batch/`, { method: 'POST', body: JSON.stringify({ api_key: apiKey, batch }) })
  let request = createClient(service.url, personalApiKey)
  await waitForIndexer(service.url)
  const source = { kind: 'EventsQuery', select: ['uuid', 'properties.number'] }
  const body = { export_format: 'application/x-ndjson', export_context: { source } }
  const { id } = JSON.parse((await request('POST', 'exports/', body)).text)
  const content = join(folder, 'exports', String(id))
  await eventually(() => existsSync(`${content}.part`))
  await service.end('SIGKILL')
  expect(existsSync(content)).toBe(false)
  service = await startService(folder)
  request = createClient(service.url, personalApiKey)
  await eventually(async () => (await request('GET', `exports/${id}/content/`)).status === 200)
  const { text } = await request('GET', `exports/${id}/content/`)
  const numbers = text
    .trim()
    .split('\n')
    .map((line) => Number(JSON.parse(line)['properties.number']))
  expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: EVENTS }, (_, number) => number))
  expect(readdirSync(join(folder, 'exports'))).toEqual([String(id)])
})
