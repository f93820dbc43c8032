import { expect, test } from 'vitest'
import { withDefaults } from '../../../src/service/config.ts'
import { setFlags } from '../../../src/service/flags/definitions/change-flags.ts'
import { createPersonalApiKey } from '../../../src/service/store/metadata/keys.ts'
import { openApp, OWNER_ID } from '../support/app.ts'

const open = async (settings = {}) => {
  const service = await openApp({ config: withDefaults({ maxWrongKeysPerMinute: 1, ...settings }) })
  const { app, project, personalApiKey } = service
  const authorization = { authorization: `Bearer ${personalApiKey}` }
  const requests = {
    capture: (key: string) =>
      app.inject({ method: 'POST', url: '/e/', payload: { api_key: key, event: 'a', distinct_id: 'u' } }),
    batch: (key: string) => app.inject({ method: 'POST', url: '/batch/', payload: { api_key: key, batch: [] } }),
    engage: (key: string) =>
      app.inject({ method: 'POST', url: '/engage/', payload: { $token: key, $distinct_id: 'u', $set: {} } }),
    recordings: (key: string) =>
      app.inject({ method: 'POST', url: '/s/', payload: { api_key: key, event: 'a', distinct_id: 'u' } }),
    decide: (key: string) =>
      app.inject({ method: 'POST', url: '/decide', payload: { api_key: key, distinct_id: 'u' } }),
    flags: (key: string) => app.inject({ method: 'POST', url: '/flags', payload: { api_key: key, distinct_id: 'u' } }),
    config: (key: string) => app.inject(`/array/${key}/config`),
    'config.js': (key: string) => app.inject(`/array/${key}/config.js`),
    surveys: (key: string) => app.inject(`/api/surveys/?token=${key}`),
    features: (key: string) => app.inject(`/api/early_access_features/?token=${key}`),
    feed: (key: string) => app.inject({ url: `/flags/definitions?token=${key}`, headers: authorization }),
    management: (key: string) => app.inject({ url: '/api/users/@me/', headers: { authorization: `Bearer ${key}` } }),
  }
  await setFlags(service.metadata, project.id, { key: 'a', filters: { groups: [{}] } }, 1)
  return { ...service, requests }
}

const KINDS = [
  'capture',
  'batch',
  'engage',
  'recordings',
  'decide',
  'flags',
  'config',
  'config.js',
  'surveys',
  'features',
  'feed',
  'management',
] as const

test.each(KINDS)('counts a wrong key in a request of the kind "%s", and answers right keys', async (kind) => {
  const { requests, project, personalApiKey } = await open()
  expect((await requests[kind]('wrong')).statusCode).toBeOneOf([401, 404])
  expect((await requests[kind]('wrong')).statusCode).toBe(429)
  expect((await requests[kind](kind === 'management' ? personalApiKey : project.apiKey)).statusCode).toBe(200)
})

test('counts wrong keys of projects and of users together', async () => {
  const { requests } = await open()
  expect((await requests.capture('wrong')).statusCode).toBe(401)
  expect((await requests.management('wrong')).statusCode).toBe(429)
})

test('counts no address that only the header of the protocol names', async () => {
  const { app } = await open()
  const statuses = []
  for (const address of ['192.0.2.1', '192.0.2.2']) {
    const headers = { http_x_forwarded_for: address, 'x-forwarded-for': address }
    const payload = { api_key: 'wrong', distinct_id: 'u' }
    statuses.push((await app.inject({ method: 'POST', url: '/decide', payload, headers })).statusCode)
  }
  expect(statuses).toEqual([401, 429])
})

test.each(KINDS)('says which kind of key belongs into a request of the kind "%s"', async (kind) => {
  const { requests, project, personalApiKey } = await open()
  const misplaced = kind === 'management' ? project.apiKey : personalApiKey
  const response = await requests[kind](misplaced)
  expect(response.statusCode).toBeOneOf([401, 404])
  expect(response.json().detail).toMatch(
    kind === 'management' ? /^This is a project API key/ : /^This is a personal API key/,
  )
  expect(response.body).not.toContain(misplaced)
})

test('limits the requests of a user with many keys, besides those of each key', async () => {
  const { metadata, requests } = await open({ maxKeyRequestsPerMinute: 2 })
  const statuses: number[] = []
  for (let n = 0; n < 4; n++) {
    const { key } = await createPersonalApiKey(metadata, { userId: OWNER_ID, label: `${n}`, scopes: ['*'], now: 1 })
    for (let request = 0; request < 2; request++) statuses.push((await requests.management(key)).statusCode)
    if (n === 0) expect((await requests.management(key)).json().detail).toContain('This personal API key sent')
  }
  expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 429, 429])
})
