import { expect, test } from 'vitest'
import { shareService } from '../support/shared-service.ts'

/** Authentication at the ingestion endpoints. A comment "API:" quotes the description of the API that the service implements. */

const service = shareService()
const event = { event: 'e', distinct_id: 'u' }
const POST_ONLY_PATHS = [
  '/i/v0/e/',
  '/batch/',
  '/e/',
  '/capture/',
  '/track/',
  '/engage/',
  '/s/',
  '/decide?v=3',
  '/flags/?v=2',
]

// API: | Ingestion and decide | The project API key is sent as the body field `api_key` … |
test('accepts the project API key in the body, and rejects missing and unknown keys', async () => {
  const { apiKey: api_key } = service
  expect((await service.post('/i/v0/e/', { api_key, ...event })).status).toBe(200)
  expect((await service.post('/batch/', { api_key, batch: [event] })).status).toBe(200)
  expect((await service.post('/decide?v=3', { api_key, distinct_id: 'u' })).status).toBe(200)
  // The names that the packages use.
  expect((await service.post('/i/v0/e/', { token: api_key, ...event })).status).toBe(200)
  expect((await service.post('/e/', [{ ...event, properties: { token: api_key } }])).status).toBe(200)
  for (const path of ['/i/v0/e/', '/decide?v=3']) {
    const missing = await service.post(path, event)
    expect([missing.status, missing.body.code]).toEqual([401, 'missing_api_key'])
    const unknown = await service.post(path, { api_key: 'wm_unknown', ...event })
    expect([unknown.status, unknown.body.code]).toEqual([401, 'invalid_api_key'])
  }
})

// API: "The ingestion endpoints are POST-only and public. They use the project API key and return no sensitive project data."
test('accepts only POST on ingestion paths, and returns no stored data', async () => {
  for (const path of POST_ONLY_PATHS) {
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
      const response = await fetch(`${service.url}${path}`, { method })
      expect([path, method, response.status, response.headers.get('allow')]).toEqual([path, method, 405, 'POST'])
      await response.body?.cancel()
    }
  }
  const origin = { origin: 'https://shop.example' }
  const response = await service.post('/i/v0/e/', { api_key: service.apiKey, ...event }, origin)
  expect(response.headers.get('access-control-allow-origin')).toMatch(/^(\*|https:\/\/shop\.example)$/)
  expect(response.body).toEqual({ status: 1 })
  // No response contains sent events or stored person properties.
  await service.capture({
    event: '$identify',
    distinct_id: 'secret',
    properties: { $set: { email: 'ann@shop.example' } },
  })
  await service.queryStored('select 1')
  const decideResponse = await service.post('/decide?v=3', { api_key: service.apiKey, distinct_id: 'secret' })
  expect(JSON.stringify(decideResponse.body)).not.toContain('shop.example')
})

test('rejects keys of two projects in one request', async () => {
  const created = await service.runCommand('project', 'create', 'Second')
  const [second] = /wm_[\w-]+/.exec(created)!
  expect((await service.post('/i/v0/e/', { api_key: second, event: 'other', distinct_id: 'u' })).status).toBe(200)
  const mixed = [
    { ...event, token: service.apiKey },
    { ...event, token: second },
  ]
  expect(await service.post('/e/', mixed)).toMatchObject({ status: 400, body: { code: 'several_api_keys' } })
  expect(await service.queryStored("select count(*) from events where event = 'other'")).toEqual([[0]])
})
