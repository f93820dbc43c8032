import readExcelFile from 'read-excel-file/node'
import { describe, expect, test, vi } from 'vitest'
import type { JsonObject } from '../../../src/wire/json.ts'
import { createPersonalApiKey } from '../../../src/service/store/metadata/keys.ts'
import type { Grant } from '../../../src/service/permission/scopes.ts'
import { worldEvent } from '../../contract/questions/world.ts'
import { OWNER_ID } from '../support/app.ts'
import { openInsights } from '../support/insights.ts'
import { createSender } from '../support/management.ts'

const DAY_MS = 86_400_000
const NOW = Date.UTC(2026, 0, 15, 12)
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
const TRENDS: JsonObject = { kind: 'TrendsQuery', series: [{ event: 'view' }], dateRange: { date_from: '-1d' } }

const view = (daysAgo: number, properties: JsonObject = {}) =>
  worldEvent({ event: 'view', timestamp: NOW - daysAgo * DAY_MS, properties })

const open = async (events = [view(0, { plan: 'pro' }), view(0, { plan: 'frei, "gratis"' }), view(1)]) => {
  const clock = { now: NOW }
  const service = await openInsights(events, () => clock.now)
  const { app, request, personalApiKey, project } = service
  const { body: insight } = await request('POST', 'insights/', { name: 'Views per day', query: TRENDS })
  const send = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    app.inject({
      url: `/api/environments/${project.id}/${path}`,
      headers: { authorization: `Bearer ${personalApiKey}`, ...headers },
    })
  const create = async (body: JsonObject): Promise<number> => {
    const response = await request('POST', 'exports/', body)
    expect(response).toMatchObject({ status: 201, body: { has_content: false, exception: null } })
    return response.body.id
  }
  /** Waits until a job has ended. */
  const ended = (id: number) =>
    vi.waitFor(
      async () => {
        const { body } = await request('GET', `exports/${id}/`)
        expect(body.has_content || body.exception !== null).toBe(true)
        return body
      },
      { timeout: 30_000, interval: 20 },
    )
  const read = async (id: number, parameters = '') => {
    const body = await ended(id)
    expect(body).toMatchObject({ has_content: true })
    return send(`exports/${id}/content/${parameters}`)
  }
  return { ...service, clock, insight, send, create, ended, read }
}

describe('an export', () => {
  test('is a job, whose content can be read when it has ended', async () => {
    const { insight, request, create, read } = await open()
    const id = await create({ insight: insight.id, export_format: 'text/csv' })
    const { statusCode, headers, body } = await read(id)
    expect([statusCode, body]).toEqual([200, 'series,2026-01-14,2026-01-15\r\nview,1,2\r\n'])
    expect(headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename=export-views-per-day.csv',
      'content-length': String(body.length),
      'x-content-type-options': 'nosniff',
    })
    const item = {
      id,
      dashboard: null,
      insight: insight.id,
      export_format: 'text/csv',
      export_context: {},
      created_at: '2026-01-15T12:00:00.000Z',
      has_content: true,
      filename: 'export-views-per-day.csv',
      expires_after: '2026-01-22T12:00:00.000Z',
      exception: null,
    }
    expect((await request('GET', `exports/${id}/`)).body).toEqual(item)
    expect((await request('GET', 'exports/')).body).toMatchObject({ count: 1, results: [item] })
  })

  test('can be read in parts', async () => {
    const { insight, create, read, send } = await open()
    const id = await create({ insight: insight.id, export_format: 'text/csv' })
    const { body, headers } = await read(id)
    expect(headers['accept-ranges']).toBe('bytes')
    const readPart = async (range: string, more = {}) => {
      const response = await send(`exports/${id}/content/`, { range, ...more })
      return [response.statusCode, response.body, response.headers['content-range'], response.headers['content-length']]
    }
    expect(await readPart('bytes=0-5')).toEqual([206, 'series', `bytes 0-5/${body.length}`, '6'])
    expect(await readPart('bytes=-3')).toEqual([
      206,
      '2\r\n',
      `bytes ${body.length - 3}-${body.length - 1}/${body.length}`,
      '3',
    ])
    expect((await readPart('bytes=0-1,3-4')).slice(0, 2)).toEqual([200, body])
    const [status, error, range] = await readPart('bytes=99-')
    expect([status, JSON.parse(String(error)).code]).toEqual([416, 'range_not_satisfiable'])
    expect(range).toBe(`bytes */${body.length}`)
  })

  test('continues a download only of the same content', async () => {
    const { insight, create, read, send } = await open()
    const readPart = async (id: number, tag: unknown) => {
      const headers = { range: 'bytes=0-5', 'if-range': String(tag) }
      const { statusCode, body, headers: answered } = await send(`exports/${id}/content/`, headers)
      return [statusCode, body, answered.etag]
    }
    const [id, other] = [
      await create({ insight: insight.id, export_format: 'text/csv' }),
      await create({ insight: insight.id, export_format: 'text/csv' }),
    ]
    const { body, headers } = await read(id)
    const tag = headers.etag
    expect(tag).toMatch(/^"[^"]+"$/)
    expect(await readPart(id, tag)).toEqual([206, 'series', tag])
    for (const wrong of ['"x"', `W/${String(tag)}`, 'Thu, 15 Jan 2026 12:00:00 GMT'])
      expect(await readPart(id, wrong)).toEqual([200, body, tag])
    await read(other)
    expect((await readPart(other, tag)).slice(0, 2)).toEqual([200, body])
  })

  test('of rows may be for a spreadsheet program, or as they are', async () => {
    const { create, read } = await open()
    const source = { kind: 'HogQLQuery', query: `select '=1+1' as a` }
    const readCsv = async (fields: JsonObject): Promise<string> =>
      (await read(await create({ export_format: 'text/csv', export_context: { source, ...fields } }))).body
    expect(await readCsv({})).toBe("a\r\n'=1+1\r\n")
    expect(await readCsv({ raw: true })).toBe('a\r\n=1+1\r\n')
    expect(await readCsv({ bom: true })).toBe("\uFEFFa\r\n'=1+1\r\n")
  })

  test('of a dashboard has all its insights, with its filters, and the error of one that cannot be answered', async () => {
    const { insight, request, create, read } = await open()
    const { body: wrong } = await request('POST', 'insights/', {
      name: 'Broken',
      query: { kind: 'HogQLQuery', query: 'select nothing' },
    })
    const { body: dashboard } = await request('POST', 'dashboards/', {
      name: 'Growth',
      filters: { properties: [{ key: 'plan', value: 'pro' }] },
      tiles: [{ insight: insight.id }, { text: { body: 'Note' } }, { insight: wrong.id }],
    })
    const csv = await read(await create({ dashboard: dashboard.id, export_format: 'text/csv' }))
    expect(csv.body).toMatch(
      /^Views per day\r\nseries,2026-01-14,2026-01-15\r\nview,0,1\r\n\r\nBroken\r\nerror\r\n.*"?Referenced column "+nothing/,
    )
    const xlsx = await read(await create({ dashboard: dashboard.id, export_format: XLSX }))
    expect(xlsx.headers['content-disposition']).toBe('attachment; filename=export-growth.xlsx')
    expect(await readExcelFile(xlsx.rawPayload)).toMatchObject([
      {
        sheet: 'Views per day',
        data: [
          ['series', '2026-01-14', '2026-01-15'],
          ['view', 0, 1],
        ],
      },
      { sheet: 'Broken', data: [['error'], [expect.stringContaining('nothing')]] },
    ])
    const lines = await read(await create({ dashboard: dashboard.id, export_format: 'application/x-ndjson' }))
    expect(JSON.parse(lines.body.split('\n')[0]!)).toEqual({
      insight: 'Views per day',
      series: 'view',
      '2026-01-14': 0,
      '2026-01-15': 1,
    })
  })

  test('of SQL has its rows', async () => {
    const { create, read } = await open()
    const source = { kind: 'HogQLQuery', query: `select properties->>'plan' as plan, 1 as one from events order by 1` }
    const { body } = await read(await create({ export_format: 'application/json', export_context: { source } }))
    expect(JSON.parse(body)).toEqual([
      { plan: 'frei, "gratis"', one: 1 },
      { plan: 'pro', one: 1 },
      { plan: null, one: 1 },
    ])
  })

  test('of events has all of them, by filter, however many there are', async () => {
    const times = Array.from({ length: 1200 }, (_, index) => index)
    // Most have the same time, as imported ones have.
    const events = times.map((index) =>
      view(index < 1100 ? 2 : 3 + index / 1e4, { index, kind: index % 2 ? 'odd' : 'even' }),
    )
    const { create, read } = await open(events)
    const source = { kind: 'EventsQuery', select: ['*', 'properties.index'], event: 'view', after: 'all' }
    const all = await read(await create({ export_format: 'application/x-ndjson', export_context: { source } }))
    const rows = all.body
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(rows.map((row) => Number(row['properties.index'])).toSorted((a, b) => a - b)).toEqual(times)
    const timestamps = rows.map(({ timestamp }) => Date.parse(timestamp))
    expect(timestamps).toEqual(timestamps.toSorted((a, b) => b - a))
    expect(Object.keys(rows[0])).toEqual([
      'uuid',
      'event',
      'timestamp',
      'distinct_id',
      'created_at',
      'properties',
      'properties.index',
    ])
    const properties = encodeURIComponent(JSON.stringify([{ key: 'kind', value: 'odd' }]))
    const path = `/api/projects/@current/events/?event=view&properties=${properties}`
    const odd = await read(await create({ export_format: 'application/x-ndjson', export_context: { path } }))
    expect(odd.body.trim().split('\n')).toHaveLength(600)
    const ascending = { ...source, orderBy: ['timestamp ASC'] }
    const oldest = await read(await create({ export_format: 'text/csv', export_context: { source: ascending } }))
    expect(oldest.body.split('\r\n', 1)).toEqual([
      'uuid,event,timestamp,distinct_id,created_at,properties,properties.index',
    ])
    expect(oldest.body.trim().split('\r\n')).toHaveLength(1201)
    const newest = { path: '/api/projects/1/events/?limit=3&select=["event"]' }
    expect((await read(await create({ export_format: 'text/csv', export_context: newest }))).body).toBe(
      'event\r\nview\r\nview\r\nview\r\n',
    )
    const limited = await read(
      await create({
        export_format: 'text/csv',
        export_context: { source: { ...source, select: ['event'], limit: 700 } },
      }),
    )
    expect(limited.body.trim().split('\r\n')).toHaveLength(701)
  })

  test.each(['light', 'dark'])('as a picture shows the chart, in the size and with the theme %s', async (theme) => {
    const { insight, create, read } = await open()
    const export_context = { width: 600, height: 300, scale: 1.5, theme }
    const png = await read(await create({ insight: insight.id, export_format: 'image/png', export_context }))
    const [signature, width, height] = [0, 16, 20].map((place) => png.rawPayload.readUInt32BE(place))
    expect([signature, width, height]).toEqual([0x89504e47, 900, 450])
    expect(png.headers).toMatchObject({
      'content-type': 'image/png',
      'content-disposition': 'inline; filename=export-views-per-day.png',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    })
    const svg = await create({ insight: insight.id, export_format: 'image/svg+xml', export_context })
    const { headers, body } = await read(svg, '?download=true')
    expect(headers['content-disposition']).toBe('attachment; filename=export-views-per-day.svg')
    expect(body).toMatch(/^<svg .*Views per day/s)
  })

  test('of a dashboard as a picture shows its tiles, and the error of one that cannot be answered', async () => {
    const { insight, request, create, read } = await open()
    const query = { kind: 'HogQLQuery', query: 'select nothing' }
    const { body: wrong } = await request('POST', 'insights/', { name: 'Broken', query })
    const { body: dashboard } = await request('POST', 'dashboards/', {
      name: 'Growth <b>',
      tiles: [{ insight: insight.id }, { text: { body: 'Note' } }, { insight: wrong.id }],
    })
    const { body } = await read(await create({ dashboard: dashboard.id, export_format: 'image/svg+xml' }))
    for (const text of ['Growth &lt;b&gt;', 'Views per day', 'Note', 'Broken', 'nothing']) expect(body).toContain(text)
  })

  test('of persons has all of them', async () => {
    const person = { properties: { email: 'a@shop.example' }, createdAt: NOW }
    const { create, read } = await open([worldEvent({ timestamp: NOW, person })])
    const source = { kind: 'ActorsQuery', select: ['id', 'created_at'] }
    const { body } = await read(await create({ export_format: 'text/csv', export_context: { source } }))
    expect(body).toMatch(/^id,created_at\r\n[\da-f-]{36},2026-01-15T12:00:00.000Z\r\n$/)
  })

  test('keeps its query and its options, and nothing else of the request', async () => {
    const { request } = await open()
    const body = {
      export_format: 'text/csv',
      export_context: {
        path: '/api/projects/1/query/',
        method: 'POST',
        body: { query: 'select 1 as one' },
        theme: null,
        more: 'x'.repeat(1000),
      },
    }
    const response = await request('POST', 'exports/', body)
    expect(response.body.export_context).toEqual({ source: { kind: 'HogQLQuery', query: 'select 1 as one' } })
  })

  test('of events that are too large to be read together has all of them', async () => {
    const events = Array.from({ length: 60 }, (_, index) => view(1, { text: 'x'.repeat(900_000), index }))
    const { create, read } = await open(events)
    const source = { kind: 'EventsQuery', select: ['properties.index', 'properties'], after: 'all' }
    const { body } = await read(await create({ export_format: 'text/csv', export_context: { source } }))
    expect(body.trim().split('\r\n')).toHaveLength(61)
  })

  test('of a query that fails says why', async () => {
    const { create, ended, send } = await open()
    const source = { kind: 'HogQLQuery', query: 'select nothing from events' }
    const id = await create({ export_format: 'text/csv', export_context: { source } })
    expect(await ended(id)).toMatchObject({ has_content: false, exception: expect.stringContaining('nothing') })
    const response = await send(`exports/${id}/content/`)
    expect([response.statusCode, response.json()]).toMatchObject([409, { code: 'export_failed' }])
  })

  test('is removed with its content', async () => {
    const { insight, request, create, read, send } = await open()
    const id = await create({ insight: insight.id, export_format: 'text/csv' })
    await read(id)
    expect(await request('DELETE', `exports/${id}/`)).toMatchObject({ status: 204, body: undefined })
    expect((await request('GET', `exports/${id}/`)).status).toBe(404)
    expect((await send(`exports/${id}/content/`)).statusCode).toBe(404)
    expect((await request('DELETE', `exports/${id}/`)).status).toBe(404)
  })

  test('expires', async () => {
    const { clock, insight, request, create, ended } = await open()
    const id = await create({ insight: insight.id, export_format: 'text/csv', expires_after: '2026-01-15T13:00:00Z' })
    await ended(id)
    clock.now = NOW + 3_600_000
    expect((await request('GET', `exports/${id}/`)).status).toBe(404)
    expect((await request('GET', 'exports/')).body).toMatchObject({ count: 0, results: [] })
  })

  test('has the name that the client chose', async () => {
    const { insight, create, read } = await open()
    const named = (filename: string) =>
      create({ insight: insight.id, export_format: 'text/csv', export_context: { filename } })
    const { headers } = await read(await named('Umsätze 売上.CSV'))
    expect(headers['content-disposition']).toBe(
      `attachment; filename="Ums?tze ??.csv"; filename*=UTF-8''Ums%C3%A4tze%20%E5%A3%B2%E4%B8%8A.csv`,
    )
    expect((await read(await named('../../etc/pass"wd'))).headers['content-disposition']).toBe(
      'attachment; filename=-..-etc-pass-wd.csv',
    )
  })
})

describe('an export is refused', () => {
  test.each<[string, JsonObject, string]>([
    ['without a format', { insight: 1 }, 'export_format'],
    ['of an unknown format', { insight: 1, export_format: 'video/mp4' }, 'export_format'],
    ['of nothing', { export_format: 'text/csv' }, 'one thing'],
    ['of two things', { insight: 1, dashboard: 1, export_format: 'text/csv' }, 'one thing'],
    ['of an unknown insight', { insight: 99, export_format: 'text/csv' }, 'no insight of this project'],
    ['of an unknown dashboard', { dashboard: 99, export_format: 'text/csv' }, 'no dashboard of this project'],
    ['in the past', { insight: 1, export_format: 'text/csv', expires_after: '2020-01-01T00:00:00Z' }, 'future'],
    ['of a query of no kind', { export_format: 'text/csv', export_context: { source: { kind: 'X' } } }, 'kind'],
    [
      'of an invalid query',
      { export_format: 'text/csv', export_context: { source: { kind: 'TrendsQuery' } } },
      'series',
    ],
    [
      'of another project',
      { export_format: 'text/csv', export_context: { path: '/api/projects/77/events/' } },
      'this project',
    ],
    ['of another path', { export_format: 'text/csv', export_context: { path: '/api/users/' } }, 'must be the path'],
    ['of a query with other dates', { export_format: 'text/csv', export_context: { path: '/api/projects/1/query/', method: 'POST', body: { query: TRENDS, filters_override: { date_from: '-2d' } } } }, '"export_context.body.filters_override" must be empty'], // prettier-ignore
    [
      'of a parameter that is unknown',
      { export_format: 'text/csv', export_context: { path: '/api/projects/1/events/?nonsense=1' } },
      'nonsense',
    ],
    ['for years', { insight: 1, export_format: 'text/csv', expires_after: '9999-01-01T00:00:00Z' }, '366 days'],
    ['of a path that is none', { export_format: 'text/csv', export_context: { path: 'http://' } }, 'must be the path'],
    ['as a picture without size', { insight: 1, export_format: 'image/png', export_context: { width: 0 } }, 'width'],
  ])('%s', async (_name, body, detail) => {
    const { request } = await open()
    const response = await request('POST', 'exports/', body)
    expect(response).toMatchObject({ status: 400, body: { detail: expect.stringContaining(detail) } })
  })

  test.each<[Grant[], JsonObject, string]>([
    [['export:write'], { insight: 1, export_format: 'text/csv' }, 'insight:read'],
    [['export:write', 'insight:read'], { export_format: 'text/csv', export_context: { source: TRENDS } }, 'query:read'],
    [['export:read', 'insight:read'], { insight: 1, export_format: 'text/csv' }, 'export:write'],
  ])('to a key with the scopes %j', async (scopes, body, missing) => {
    const { app, metadata, project } = await open()
    const { key } = await createPersonalApiKey(metadata, { userId: OWNER_ID, label: 'less', scopes, now: NOW })
    const response = await createSender(app, key)('POST', `/api/projects/${project.id}/exports/`, body)
    expect(response).toMatchObject({ status: 403, body: { detail: expect.stringContaining(missing) } })
  })
})
