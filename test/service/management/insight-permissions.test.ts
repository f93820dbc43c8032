import { expect, test } from 'vitest'
import { LEVELS } from '../../../src/service/permission/levels.ts'
import type { Scope } from '../../../src/service/permission/scopes.ts'
import type { JsonObject } from '../../../src/wire/json.ts'
import { worldEvent } from '../../contract/questions/world.ts'
import { openInsights } from '../support/insights.ts'

const NOW = Date.UTC(2026, 0, 15, 12)
const TRENDS: JsonObject = { kind: 'TrendsQuery', series: [{ event: 'view' }], dateRange: { date_from: '-1d' } }

/** An insight with an answer on a dashboard, and functions that send requests with keys of few scopes. */
const open = async () => {
  const service = await openInsights([worldEvent({ event: 'view', timestamp: NOW })], NOW)
  const { request, addUser, project } = service
  const { body: dashboard } = await request('POST', 'dashboards/', { name: 'Growth' })
  const { body: insight } = await request('POST', 'insights/', { query: TRENDS, dashboards: [dashboard.id] })
  await request('GET', `insights/${insight.id}/?refresh=blocking`)
  const withScopes = async (...scopes: Scope[]) => {
    const { send } = await addUser(`${scopes.join('-')}@shop.example`.replaceAll(':', '-'), LEVELS.member, { scopes })
    return (method: 'GET' | 'POST' | 'PATCH', path: string, body?: JsonObject) =>
      send(method, `/api/projects/${project.id}/${path}`, body)
  }
  return { ...service, insight, dashboard, withScopes }
}

test('a key that may only save insights reads no answer', async () => {
  const { insight, withScopes } = await open()
  const save = await withScopes('insight:write')
  const url = `insights/${insight.id}/`
  expect(await save('GET', `${url}?refresh=blocking`)).toMatchObject({ status: 403 })
  expect(await save('PATCH', url, { name: 'Mine' })).toMatchObject({
    status: 200,
    body: { name: 'Mine', result: null, is_cached: false, last_refresh: null },
  })
  expect(await save('POST', 'insights/', { query: TRENDS })).toMatchObject({ status: 201, body: { result: null } })
  const saveAndRead = await withScopes('insight:write', 'insight:read')
  expect(await saveAndRead('PATCH', url, { name: 'Ours' })).toMatchObject({ body: { result: [{ data: [0, 1] }] } })
})

test('a change never computes an answer', async () => {
  const { insight, withScopes } = await open()
  const send = await withScopes('insight:write', 'insight:read')
  const query = { kind: 'HogQLQuery', query: 'SELECT 1' }
  const url = `insights/${insight.id}/?refresh=blocking`
  expect(await send('PATCH', url, { query })).toMatchObject({ status: 200, body: { result: null, query_status: null } })
  expect(await send('POST', 'insights/?refresh=blocking', { query })).toMatchObject({ body: { result: null } })
})

test('an insight is put on dashboards, and removed from them, by a key that may change dashboards', async () => {
  const { insight, dashboard, withScopes } = await open()
  const save = await withScopes('insight:write')
  const url = `insights/${insight.id}/`
  const isRefused = { status: 403, body: { detail: expect.stringContaining('"dashboard:write"') } }
  expect(await save('PATCH', url, { dashboards: [] })).toMatchObject(isRefused)
  expect(await save('POST', 'insights/', { dashboards: [dashboard.id] })).toMatchObject(isRefused)
  // What a client sends back changes no dashboard.
  expect(await save('PATCH', url, { name: 'Same', dashboards: [dashboard.id] })).toMatchObject({ status: 200 })
  const saveBoth = await withScopes('insight:write', 'dashboard:write')
  expect(await saveBoth('PATCH', url, { dashboards: [] })).toMatchObject({ status: 200, body: { dashboards: [] } })
})

test('a key that may only change dashboards reads no answer, and one that may read them does', async () => {
  const { dashboard, withScopes } = await open()
  const url = `dashboards/${dashboard.id}/`
  const change = await withScopes('dashboard:write')
  expect(await change('GET', url)).toMatchObject({ status: 403 })
  expect(await change('PATCH', url, { name: 'x' })).toMatchObject({ body: { tiles: [{ insight: { result: null } }] } })
  const read = await withScopes('dashboard:read')
  expect(await read('GET', `${url}?refresh=blocking`)).toMatchObject({
    body: { tiles: [{ insight: { result: [{ data: [0, 1] }] } }] },
  })
})
