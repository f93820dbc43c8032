import { describe, expect, test } from 'vitest'
import { LEVELS } from '../../../src/service/permission/levels.ts'
import type { JsonObject } from '../../../src/wire/json.ts'
import { storeWorld, worldEvent } from '../../contract/questions/world.ts'
import { openInsights } from '../support/insights.ts'

const NOW = Date.UTC(2026, 0, 15, 12)
const TRENDS: JsonObject = {
  kind: 'TrendsQuery',
  series: [{ kind: 'EventsNode', event: 'view' }],
  dateRange: { date_from: '-1d' },
}

const open = () => openInsights([worldEvent({ event: 'view', timestamp: NOW })], NOW)

const createWith = async (fields: JsonObject = {}) => {
  const service = await open()
  const { status, body } = await service.request('POST', 'insights/', { name: 'Views', query: TRENDS, ...fields })
  expect({ status, body }).toMatchObject({ status: 201 })
  return { ...service, insight: body }
}

describe('an insight', () => {
  test('has what the client sent, and what the service adds', async () => {
    const { insight, request } = await createWith({ tags: ['growth', 'growth'], description: 'By day' })
    expect(insight).toEqual({
      id: expect.any(Number),
      short_id: expect.stringMatching(/^\w{12}$/),
      name: 'Views',
      derived_name: 'Trend of view',
      description: 'By day',
      query: TRENDS,
      order: null,
      tags: ['growth'],
      favorited: false,
      deleted: false,
      dashboards: [],
      dashboard_tiles: [],
      result: null,
      columns: null,
      types: null,
      hasMore: null,
      is_cached: false,
      query_status: null,
      timezone: null,
      last_refresh: null,
      cache_target_age: null,
      next_allowed_client_refresh: null,
      created_at: '2026-01-15T12:00:00.000Z',
      created_by: expect.objectContaining({ id: 1 }),
      updated_at: '2026-01-15T12:00:00.000Z',
      last_modified_at: '2026-01-15T12:00:00.000Z',
      last_modified_by: expect.objectContaining({ id: 1 }),
      is_sample: false,
      version: 1,
    })
    expect((await request('GET', `insights/${insight.id}/`)).body).toEqual(insight)
    expect((await request('GET', `insights/${insight.short_id}/`)).body).toEqual(insight)
  })

  test('is answered when it is read with refresh, and keeps its answer', async () => {
    const { insight, request, store } = await createWith()
    const read = async (refresh: string) => (await request('GET', `insights/${insight.id}/?refresh=${refresh}`)).body
    expect(await read('force_cache')).toMatchObject({ result: null })
    expect(await read('blocking')).toMatchObject({
      result: [{ data: [0, 1] }],
      is_cached: false,
      last_refresh: '2026-01-15T12:00:00.000Z',
      query_status: { complete: true, error: false },
    })
    expect(await read('force_cache')).toMatchObject({ result: [{ data: [0, 1] }], is_cached: true })
    await storeWorld(store, [worldEvent({ event: 'view', timestamp: NOW - 1 })])
    expect(await read('true')).toMatchObject({ is_cached: true })
    expect(await read('force_blocking')).toMatchObject({ result: [{ data: [0, 2] }], is_cached: false })
  })

  test('is computed as a job with refresh=async', async () => {
    const { insight, request } = await createWith()
    const { body } = await request('GET', `insights/${insight.id}/?refresh=async`)
    expect(body).toMatchObject({ result: null, query_status: { query_async: true } })
    await expect
      .poll(async () => (await request('GET', `insights/${insight.id}/`)).body.result)
      .toMatchObject([{ data: [0, 1] }])
  })

  test('may be SQL', async () => {
    const query = { kind: 'DataVisualizationNode', source: { kind: 'HogQLQuery', query: 'SELECT 1 AS one' } }
    const { insight, request } = await createWith({ query })
    expect(insight).toMatchObject({ query, derived_name: null })
    const { body } = await request('GET', `insights/${insight.id}/?refresh=blocking`)
    expect(body).toMatchObject({ result: [[1]], columns: ['one'], types: ['INTEGER'], hasMore: false })
  })

  test('has the error of a query that fails', async () => {
    const { insight, request } = await createWith({ query: { kind: 'HogQLQuery', query: 'SELECT nothing' } })
    const { status, body } = await request('GET', `insights/${insight.id}/?refresh=blocking`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ result: null, query_status: { complete: true, error: true } })
    expect(body.query_status.error_message).toContain('nothing')
  })

  test('is changed by the fields of a body, on the version that it names', async () => {
    const { insight, request } = await createWith()
    const url = `insights/${insight.id}/`
    expect((await request('PATCH', url, { favorited: true, version: 1 })).body).toMatchObject({
      name: 'Views',
      favorited: true,
      version: 2,
    })
    expect((await request('PATCH', url, { favorited: true })).body.version).toBe(2)
    expect(await request('PATCH', url, { name: 'Late', version: 1 })).toMatchObject({
      status: 409,
      body: { code: 'version_conflict' },
    })
    expect((await request('PATCH', url, { query: null, name: null })).body).toMatchObject({ query: null, name: '' })
  })

  test('is deleted and restored by a change, and never removed', async () => {
    const { insight, request } = await createWith()
    const url = `insights/${insight.id}/`
    expect(await request('DELETE', url)).toMatchObject({ status: 405, headers: { allow: 'GET, PATCH' } })
    await request('PATCH', url, { deleted: true })
    expect((await request('GET', 'insights/')).body.count).toBe(0)
    expect((await request('GET', url)).body.deleted).toBe(true)
    await request('PATCH', url, { deleted: false })
    expect((await request('GET', 'insights/')).body.count).toBe(1)
  })

  test('is found by the fields of a list', async () => {
    const { insight, request } = await createWith()
    await request('POST', 'insights/', { name: 'Sales', favorited: true })
    const names = async (query: string) =>
      (await request('GET', `insights/?${query}`)).body.results.map(({ name }: JsonObject) => name)
    expect(await names('order=name')).toEqual(['Sales', 'Views'])
    expect(await names('search=VIEW')).toEqual(['Views'])
    expect(await names('favorited=true')).toEqual(['Sales'])
    expect(await names(`short_id=${insight.short_id}`)).toEqual(['Views'])
    expect(await names('created_by=77')).toEqual([])
    expect(await names('limit=1&offset=1&order=-name')).toEqual(['Sales'])
    const { body } = await request('GET', 'insights/?search=view&refresh=blocking')
    expect(body.results[0].result).toMatchObject([{ data: [0, 1] }])
  })

  test.each<[JsonObject, string]>([
    [{ query: { kind: 'MagicQuery' } }, '"query.kind" must be one of'],
    [{ query: { kind: 'TrendsQuery' } }, '"query.series" is missing'],
    [{ query: 'SELECT 1' }, '"query" must be'],
    [{ query: { kind: 'HogQLQuery', query: '' } }, '"query" is missing'],
    [{ name: 7 }, '"name" must be a string'],
    [{ tags: [''] }, '"tags[0]" must be'],
    [{ dashboards: [99] }, 'no dashboard of this project'],
    [{ query: { ...TRENDS, more: 'x'.repeat(70_000) } }, 'at most 65536 bytes'],
  ])('is refused with %j', async (fields, message) => {
    const { request } = await open()
    const { status, body } = await request('POST', 'insights/', fields)
    expect(status).toBe(400)
    expect(body.detail).toContain(message)
    expect((await request('GET', 'insights/')).body.count).toBe(0)
  })

  test.each(['99', 'abc', '-1', '1e3', '99999999999999999999'])('is not found by the id %s', async (id) => {
    const { request } = await open()
    expect(await request('GET', `insights/${id}/`)).toMatchObject({ status: 404 })
  })

  test('of another project is not found', async () => {
    const { insight, addUser } = await createWith()
    const { send } = await addUser('owner@shop.example', LEVELS.owner)
    const { body: other } = await send('POST', '/api/projects/', { name: 'Blog' })
    const url = `/api/environments/${other.id}/insights/`
    expect(await send('GET', url)).toMatchObject({ status: 200, body: { count: 0 } })
    expect(await send('GET', `${url}${insight.id}/`)).toMatchObject({ status: 404 })
    expect(await send('PATCH', `${url}${insight.id}/`, { name: 'x' })).toMatchObject({ status: 404 })
  })
})
