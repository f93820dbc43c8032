import { expect, test } from 'vitest'
import { openManagement } from '../support/management.ts'

const flag = (key: string, payload?: unknown) => ({
  key,
  filters: { groups: [], ...(payload !== undefined && { payloads: { true: payload } }) },
})

test.each([
  [{ max: 3 }, { max: 3 }],
  ['{"max":3}', { max: 3 }],
  ['blue', 'blue'],
  [
    [1, 'x'],
    [1, 'x'],
  ],
  [undefined, null],
])('returns the payload %j of a flag without evaluating its conditions', async (payload, expected) => {
  const { request, personalApiKey, app } = await openManagement()
  await request('POST', 'feature_flags/', flag('limits', payload))
  const headers = { authorization: `Bearer ${personalApiKey}` }
  for (const path of ['@current/feature_flags/limits/remote_config/', '1/feature_flags/1/remote_config?token=x']) {
    const response = await app.inject({ method: 'GET', url: `/api/projects/${path}`, headers })
    expect([response.statusCode, response.json()]).toEqual([200, expected])
  }
})

test('returns the payload of an inactive flag', async () => {
  const { request, personalApiKey, app } = await openManagement()
  await request('POST', 'feature_flags/', { ...flag('limits', { max: 3 }), active: false })
  const url = '/api/projects/@current/feature_flags/limits/remote_config/'
  const response = await app.inject({ method: 'GET', url, headers: { authorization: `Bearer ${personalApiKey}` } })
  expect([response.statusCode, response.json()]).toEqual([200, { max: 3 }])
})

test('requires the scope to read flags and an existing flag', async () => {
  const { request, app, personalApiKey, metadata } = await openManagement()
  await request('POST', 'feature_flags/', { ...flag('gone', { max: 3 }), deleted: true })
  const readStatus = async (id: string, authorization?: string) => {
    const url = `/api/projects/@current/feature_flags/${id}/remote_config/`
    return (await app.inject({ method: 'GET', url, headers: authorization ? { authorization } : {} })).statusCode
  }
  expect(await readStatus('gone', `Bearer ${personalApiKey}`)).toBe(404)
  expect(await readStatus('none', `Bearer ${personalApiKey}`)).toBe(404)
  expect(await readStatus('gone')).toBe(401)
  await metadata.updateTable('personal_api_keys').set({ scopes: '["query:read"]' }).execute()
  expect(await readStatus('gone', `Bearer ${personalApiKey}`)).toBe(403)
})

test('accepts @current as the project of the key', async () => {
  const { app, personalApiKey, project } = await openManagement()
  const headers = { authorization: `Bearer ${personalApiKey}` }
  const list = async (id: string | number) => {
    const response = await app.inject({ method: 'GET', url: `/api/projects/${id}/feature_flags/`, headers })
    return [response.statusCode, response.json().count]
  }
  expect(await list('@current')).toEqual(await list(project.id))
})
