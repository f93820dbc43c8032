import { expect, test } from 'vitest'
import { createInsight } from '../../../src/service/store/metadata/insights.ts'
import { createDashboard } from '../../../src/service/store/metadata/dashboards.ts'
import { createPlaylist } from '../../../src/service/store/metadata/playlists.ts'
import type { JsonObject } from '../../../src/wire/json.ts'
import { worldEvent } from '../../contract/questions/world.ts'
import { OWNER_ID } from '../support/app.ts'
import { openInsights } from '../support/insights.ts'

const NOW = Date.UTC(2026, 0, 15, 12)
const AUTHOR = { userId: OWNER_ID, now: NOW }

const TRENDS: JsonObject = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'bought' }] }
const MISSPELLED: JsonObject = { ...TRENDS, dateRange: { date_form: '-30d' } }
const UNAPPLIED: JsonObject = { ...TRENDS, series: [{ event: 'bought', math_property: 'price' }] }
const FILTERS = [{ key: 'plan', operater: 'is_not', value: 'pro' }]

const open = () => openInsights([worldEvent({ event: 'bought', distinctId: 'ada', timestamp: NOW - 1000 })], NOW)

const toParameter = (value: unknown): string => encodeURIComponent(JSON.stringify(value))

test('refuses misspelled fields wherever a question is asked or saved, and names the right one', async () => {
  const { request, send, project } = await open()
  const asSaved = (query: JsonObject) => ({ name: 'a', query })
  const exportOf = (source: JsonObject) => ({ export_format: 'text/csv', export_context: { source } })
  for (const [method, path, body, attr, meant] of [
    ['POST', 'query/', { query: MISSPELLED }, 'query.dateRange.date_form', 'date_from'],
    ['POST', 'query/', { query: MISSPELLED, refresh: 'async' }, 'query.dateRange.date_form', 'date_from'],
    [
      'POST',
      'query/',
      { query: { kind: 'InsightVizNode', source: MISSPELLED } },
      'query.dateRange.date_form',
      'date_from',
    ],
    ['POST', 'query/', { query: TRENDS, filter_override: {} }, 'filter_override', 'filters_override'],
    ['POST', 'query/', { query: TRENDS, refesh: true }, 'refesh', 'refresh'],
    [
      'POST',
      'query/',
      { query: TRENDS, filters_override: { properties: FILTERS } },
      'filters_override.properties[0].operater',
      'operator',
    ],
    ['POST', 'query/', { query: { kind: 'HogQLQuery', querry: 'select 1' } }, 'query.querry', 'query'],
    ['POST', 'insights/', asSaved(MISSPELLED), 'query.dateRange.date_form', 'date_from'],
    ['POST', 'dashboards/', { name: 'a', filters: { dateFrom: '-7d' } }, 'filters.dateFrom', 'date_from'],
    ['POST', 'dashboards/', { filters: { properties: FILTERS } }, 'filters.properties[0].operater', 'operator'],
    ['POST', 'exports/', exportOf(MISSPELLED), 'query.dateRange.date_form', 'date_from'],
    [
      'POST',
      'session_recording_playlists/',
      { filters: { filter_groups: {} } },
      'filters.filter_groups',
      'filter_group',
    ],
    [
      'POST',
      'session_recording_playlists/',
      { filters: { filter_group: { type: 'AND', values: [{ id: 'a', type: 'events', propertis: [] }] } } },
      'filters.filter_group.values[0].propertis',
      'properties',
    ],
    ['GET', `events/?properties=${toParameter(FILTERS)}`, undefined, 'properties[0].operater', 'operator'],
    ['GET', `persons/?properties=${toParameter(FILTERS)}`, undefined, 'properties[0].operater', 'operator'],
  ] as const)
    expect([attr, await request(method, path, body)]).toMatchObject([
      attr,
      { status: 400, body: { code: 'unknown_field', attr, detail: `"${attr}" is not a field; use "${meant}".` } },
    ])
  expect(await send('PATCH', `/api/projects/${project.id}/`, { test_account_filters: FILTERS })).toMatchObject({
    status: 400,
    body: { attr: 'test_account_filters[0].operater' },
  })
})

test('refuses what would change numbers but is not applied, and ignores other fields', async () => {
  const { request, ask } = await open()
  const refusal = { status: 400, body: { code: 'field_not_applied', attr: 'query.series[0].math_property' } }
  expect(await ask(UNAPPLIED)).toMatchObject(refusal)
  expect(await request('POST', 'insights/', { query: UNAPPLIED })).toMatchObject(refusal)
  const query = {
    ...TRENDS,
    goal: 5,
    trendsFilter: { showLegend: true, yAxisScaleType: 'log10' },
    tags: { scene: 'x' },
  }
  expect((await ask(query)).status).toBe(200)
  expect(await request('POST', 'insights/', { query })).toMatchObject({ status: 201, body: { query } })
})

test('answers stored questions of earlier versions, and takes them back unchanged', async () => {
  const { request, metadata, project } = await open()
  const empty = {
    name: '',
    derivedName: null,
    description: '',
    order: null,
    tags: [],
    favorited: false,
    deleted: false,
  }
  for (const query of [MISSPELLED, UNAPPLIED]) {
    const stored = await createInsight(metadata, project.id, { ...empty, query }, AUTHOR)
    const path = `insights/${stored.id}/`
    const { status, body } = await request('GET', `${path}?refresh=blocking`)
    expect([status, body.query_status.error, body.result[0].count]).toEqual([200, false, 1])
    expect((await request('PATCH', path, { query, name: 'New' })).body.name).toBe('New')
    expect(await request('PATCH', path, { query: { ...query, interval: 'week' } })).toMatchObject({ status: 400 })
    const ofInsight = { export_format: 'text/csv', insight: stored.id }
    expect((await request('POST', 'exports/', ofInsight)).status).toBe(201)
  }
  const filters = { date_form: '-7d', properties: FILTERS }
  const fields = {
    name: 'a',
    description: '',
    pinned: false,
    tags: [],
    deleted: false,
    creationMode: 'default',
  } as const
  const dashboard = await createDashboard(metadata, project.id, { ...fields, filters }, AUTHOR)
  const path = `dashboards/${dashboard.id}/`
  expect((await request('GET', path)).body.filters).toEqual(filters)
  expect((await request('PATCH', path, { filters, name: 'New' })).body.name).toBe('New')
  expect((await request('PATCH', path, { filters: { ...filters, date_to: '-1d' } })).status).toBe(400)
  const playlist = await createPlaylist(
    metadata,
    project.id,
    { ...fields, derivedName: null, filters: { date_form: '-7d' }, type: 'filters', isTypeFixed: false },
    AUTHOR,
  )
  const playlistPath = `session_recording_playlists/${playlist.shortId}/`
  expect((await request('PATCH', playlistPath, { filters: { date_form: '-7d' }, name: 'New' })).body.name).toBe('New')
})
