import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../src/wire/json.ts'
import { worldEvent } from '../../contract/questions/world.ts'
import { openInsights } from '../support/insights.ts'

const DAY_MS = 86_400_000
const NOW = Date.UTC(2026, 0, 15, 12)
const TRENDS: JsonObject = { kind: 'TrendsQuery', series: [{ event: 'view' }], dateRange: { date_from: '-1d' } }

const view = (daysAgo: number, plan: string) =>
  worldEvent({ event: 'view', timestamp: NOW - daysAgo * DAY_MS, properties: { plan } })

const open = async () => {
  const service = await openInsights([view(0, 'pro'), view(0, 'free'), view(2, 'pro')], NOW)
  const { body: insight } = await service.request('POST', 'insights/', { name: 'Views', query: TRENDS })
  const create = async (fields: JsonObject = {}) => {
    const { status, body } = await service.request('POST', 'dashboards/', { name: 'Growth', ...fields })
    expect({ status, body }).toMatchObject({ status: 201 })
    return body
  }
  return { ...service, insight, create }
}

describe('a dashboard', () => {
  test('has insights with their answers, and texts, in their order', async () => {
    const { insight, create, request } = await open()
    const { id, tiles } = await create({
      tiles: [
        { insight: insight.id, order: 2, layouts: { sm: { w: 6 } }, color: 'blue' },
        { text: { body: '# Growth' }, order: 1 },
      ],
    })
    expect(tiles).toMatchObject([
      { insight: null, text: { body: '# Growth' }, order: 1 },
      { insight: { id: insight.id, dashboards: [id] }, text: null, layouts: { sm: { w: 6 } }, color: 'blue' },
    ])
    const { body } = await request('GET', `dashboards/${id}/?refresh=blocking`)
    expect(body).toMatchObject({ name: 'Growth', last_viewed_at: null, creation_mode: 'default', is_shared: false })
    expect(body.tiles[1]).toMatchObject({ insight: { result: [{ data: [0, 2] }] }, is_cached: false })
    const again = await request('GET', `dashboards/${id}/`)
    expect(again.body).toMatchObject({ last_viewed_at: '2026-01-15T12:00:00.000Z', tiles: [{}, { is_cached: true }] })
  })

  test('applies its filters to all its insights', async () => {
    const { insight, create, request } = await open()
    const filters = { date_from: '-2d', properties: [{ key: 'plan', value: 'pro' }] }
    const { id } = await create({ filters, tiles: [{ insight: { id: insight.id } }] })
    const { body } = await request('GET', `dashboards/${id}/?refresh=blocking`)
    expect(body.tiles[0].insight).toMatchObject({ query: TRENDS, result: [{ data: [1, 0, 1] }] })
    await request('PATCH', `insights/${insight.id}/`, { query: { kind: 'InsightVizNode', source: TRENDS } })
    const wrapped = await request('GET', `dashboards/${id}/?refresh=blocking`)
    expect(wrapped.body.tiles[0].insight).toMatchObject({ result: [{ data: [1, 0, 1] }] })
  })

  test('has the error of a tile in this tile, and the answers of the others', async () => {
    const { insight, create, request, metadata } = await open()
    await request('POST', 'cohorts/', { name: 'Pros', filters: { properties: { type: 'AND', values: [] } } })
    const query = { ...TRENDS, properties: [{ type: 'cohort', key: 'id', value: 1 }] }
    const { body: ofCohort } = await request('POST', 'insights/', { query })
    const { id } = await create({ tiles: [{ insight: insight.id }, { insight: ofCohort.id }, { text: { body: 'x' } }] })
    const read = async () => (await request('GET', `dashboards/${id}/?refresh=blocking`)).body.tiles
    expect((await read()).map(({ error }: JsonObject) => error)).toEqual([null, null, null])
    await request('DELETE', 'cohorts/1/')
    expect(await read()).toMatchObject([
      { insight: { result: [{ data: [0, 2] }] }, error: null },
      {
        insight: { result: null, query_status: { error: true } },
        error: { type: 'query_invalid', message: expect.stringContaining('cohort 1, which does not exist') },
      },
      { text: { body: 'x' }, error: null },
    ])
    // As an earlier version may have stored it.
    await metadata.updateTable('dashboards').set({ filters: '{"date_from": 5}' }).where('id', '=', id).execute()
    for (const refresh of ['blocking', 'async'])
      expect((await request('GET', `dashboards/${id}/?refresh=${refresh}`)).body.tiles[0]).toMatchObject({
        insight: { result: null },
        error: { message: expect.stringContaining('"query.dateRange.date_from"') },
      })
  })

  test('gets tiles from the insight, too', async () => {
    const { insight, create, request } = await open()
    const [first, second] = [await create(), await create({ name: 'Second' })]
    const put = async (dashboards: readonly number[]) =>
      (await request('PATCH', `insights/${insight.id}/`, { dashboards })).body.dashboards
    expect(await put([first.id, second.id])).toEqual([first.id, second.id])
    expect(await put([second.id])).toEqual([second.id])
    expect((await request('GET', `dashboards/${first.id}/`)).body.tiles).toEqual([])
    expect((await request('GET', `insights/?dashboard=${second.id}`)).body.count).toBe(1)
    expect((await request('GET', `insights/?dashboard=${first.id}`)).body.count).toBe(0)
    expect(await put([first.id, second.id])).toEqual([first.id, second.id])
  })

  test('is changed when an insight is put on it or removed from it, as the insight is', async () => {
    const { insight, create, request } = await open()
    const { id } = await create()
    const versions = async () => {
      const { body: dashboard } = await request('GET', `dashboards/${id}/`)
      return [dashboard.version, (await request('GET', `insights/${insight.id}/`)).body.version]
    }
    const put = (dashboards: readonly number[]) => request('PATCH', `insights/${insight.id}/`, { dashboards })
    await put([id])
    expect(await versions()).toEqual([2, 2])
    await put([id, id])
    expect(await versions()).toEqual([2, 2])
    await put([])
    expect(await versions()).toEqual([3, 3])
    expect(await request('PATCH', `dashboards/${id}/`, { name: 'x', version: 2 })).toMatchObject({ status: 409 })
    await request('POST', 'insights/', { name: 'Sales', dashboards: [id] })
    expect(await versions()).toEqual([4, 3])
  })

  test('has at most 200 tiles, however they come', async () => {
    const { insight, create, request } = await open()
    const texts = (count: number) => Array.from({ length: count }, () => ({ text: { body: 'x' } }))
    const { id, tiles } = await create({ tiles: texts(200) })
    const change = (body: JsonObject) => request('PATCH', `dashboards/${id}/`, body)
    const put = () => request('PATCH', `insights/${insight.id}/`, { dashboards: [id] })
    const isRefused = { status: 400, body: { detail: 'A dashboard has at most 200 tiles.' } }
    expect(await change({ tiles: texts(1) })).toMatchObject(isRefused)
    expect(await put()).toMatchObject({ ...isRefused, body: { attr: 'dashboards' } })
    // One goes, another one comes; then the first one cannot come back.
    const [{ id: first }] = tiles
    const swapped = await change({ tiles: [{ id: first, deleted: true }, ...texts(1)] })
    expect(swapped.body.tiles).toHaveLength(200)
    expect(await change({ tiles: [{ id: first, deleted: false }] })).toMatchObject(isRefused)
  })

  test('changes and removes its tiles', async () => {
    const { create, request } = await open()
    const { id, tiles } = await create({ tiles: [{ text: { body: 'One' } }, { text: { body: 'Two' } }] })
    const change = (body: JsonObject) => request('PATCH', `dashboards/${id}/`, body)
    const moved = await change({ tiles: [{ id: tiles[0].id, order: 9, text: { body: 'Uno' } }], version: 1 })
    expect(moved.body).toMatchObject({ version: 2, tiles: [{ text: { body: 'Two' } }, { text: { body: 'Uno' } }] })
    const removed = await change({ tiles: [{ id: tiles[1].id, deleted: true }] })
    expect(removed.body).toMatchObject({ version: 3, tiles: [{ text: { body: 'Uno' } }] })
    expect((await change({ tiles: [{ id: tiles[1].id, deleted: true }] })).body.version).toBe(3)
    expect(await change({ pinned: true, version: 1 })).toMatchObject({ status: 409 })
  })

  test('is made from another one', async () => {
    const { create } = await open()
    const source = await create({ tiles: [{ text: { body: 'One' } }] })
    const copy = await create({ use_dashboard: source.id, tiles: [{ text: { body: 'Two' } }] })
    expect(copy).toMatchObject({
      creation_mode: 'duplicate',
      tiles: [{ text: { body: 'One' } }, { text: { body: 'Two' } }],
    })
    expect(copy.tiles[0].id).not.toBe(source.tiles[0].id)
  })

  test('is listed: pinned ones first, and without deleted ones', async () => {
    const { create, request } = await open()
    const last = await create({ name: 'Zoo', pinned: true })
    const first = await create({ name: 'Attic', description: 'Old things' })
    const names = async (query = '') =>
      (await request('GET', `dashboards/${query}`)).body.results.map(({ name }: JsonObject) => name)
    expect(await names()).toEqual(['Zoo', 'Attic'])
    expect(await names('?search=THINGS')).toEqual(['Attic'])
    expect(await names('?pinned=true')).toEqual(['Zoo'])
    expect(await request('DELETE', `dashboards/${first.id}/`)).toMatchObject({ status: 405 })
    await request('PATCH', `dashboards/${first.id}/`, { deleted: true })
    expect(await names()).toEqual(['Zoo'])
    expect((await request('GET', 'dashboards/')).body.results[0]).not.toHaveProperty('tiles')
    await request('PATCH', `dashboards/${last.id}/`, { pinned: false, tags: ['a'] })
    expect((await request('GET', `dashboards/${last.id}/`)).body).toMatchObject({ pinned: false, tags: ['a'] })
  })

  test('hides the tile of a deleted insight until it is restored', async () => {
    const { insight, create, request } = await open()
    const { id } = await create({ tiles: [{ insight: insight.id }] })
    await request('PATCH', `insights/${insight.id}/`, { deleted: true })
    expect((await request('GET', `dashboards/${id}/`)).body.tiles).toEqual([])
    await request('PATCH', `insights/${insight.id}/`, { deleted: false })
    expect((await request('GET', `dashboards/${id}/`)).body.tiles).toHaveLength(1)
  })

  test.each<[JsonObject, string]>([
    [{ tiles: [{}] }, '"tiles[0]" must have "insight" or "text"'],
    [{ tiles: [{ insight: 99 }] }, '"tiles[0].insight" must be the id of an insight of this project'],
    [{ tiles: [{ id: 99, color: 'red' }] }, '"tiles[0].id" must be the id of a tile of this dashboard'],
    [{ tiles: [{ insight: 1, text: { body: 'x' } }] }, 'must have either'],
    [{ use_dashboard: 99 }, '"use_dashboard" must be the id of a dashboard'],
    [{ name: 'x'.repeat(401) }, '"name" must be a string of at most 400 characters'],
    [{ filters: { date_from: 'soon' } }, '"filters.date_from" must be an ISO 8601 date'],
    [{ filters: { date_to: 7 } }, '"filters.date_to" must be'],
    [{ filters: { date_from: '2026-02-01', date_to: '2026-01-01' } }, '"filters.date_to" must not be before'],
    [{ filters: { properties: [{ key: 'plan' }] } }, '"filters.properties[0].value" is missing'],
    [{ filters: { properties: 'plan' } }, '"filters.properties" must be an object'],
    [
      { filters: { properties: { type: 'AND', values: [{ type: 'cohort', value: 9 }] } } },
      'cohort 9, which does not exist',
    ],
    [{ filters: { more: 'x'.repeat(70_000) } }, '"filters" must be at most 65536 bytes'],
  ])('is refused with %j', async (fields, message) => {
    const { request } = await open()
    const { status, body } = await request('POST', 'dashboards/', fields)
    expect(status).toBe(400)
    expect(body.detail).toContain(message)
    expect((await request('GET', 'dashboards/')).body.count).toBe(0)
  })

  test('keeps its filters when they were sent back, although their cohort is gone', async () => {
    const { create, request } = await open()
    await request('POST', 'cohorts/', { name: 'Pros', filters: { properties: { type: 'AND', values: [] } } })
    const filters = { properties: [{ type: 'cohort', key: 'id', value: 1 }] }
    const { id } = await create({ filters })
    await request('DELETE', 'cohorts/1/')
    expect(await request('PATCH', `dashboards/${id}/`, { name: 'New', filters })).toMatchObject({ status: 200 })
    expect(await request('PATCH', `dashboards/${id}/`, { filters: { ...filters, date_from: '-7d' } })).toMatchObject({
      status: 400,
      body: { code: 'invalid_filter', attr: 'filters.properties[0].value' },
    })
  })

  test('that does not exist is not found', async () => {
    const { request } = await open()
    expect(await request('GET', 'dashboards/99/')).toMatchObject({ status: 404 })
    expect(await request('PATCH', 'dashboards/99/', { name: 'x' })).toMatchObject({ status: 404 })
  })
})
