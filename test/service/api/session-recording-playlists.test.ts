import { describe, expect, it, onTestFinished } from 'vitest'
import { QueryError } from '../../../src/service/indexer/query-error.ts'
import { LEVELS } from '../../../src/service/permission/levels.ts'
import { derivePersonId } from '../../../src/service/persons/person-id.ts'
import { createProject } from '../../../src/service/store/metadata/projects.ts'
import type { JsonObject } from '../../../src/wire/json.ts'
import { batchOf, storedEvent } from '../../contract/service-event-store.ts'
import { openTestEventStore } from '../support/event-store.ts'
import { openManagement } from '../support/management.ts'
import { createMemoryIndexer } from '../support/memory-indexer.ts'

/** Session recording playlists. A comment "API:" quotes the description of the API that the service implements. */

const PATH = 'session_recording_playlists/'
const NOW = Date.UTC(2026, 0, 15, 12)
const USER = {
  id: expect.any(Number),
  uuid: expect.stringMatching(/^[\da-f-]{36}$/),
  distinct_id: expect.any(String),
  first_name: expect.any(String),
  last_name: expect.any(String),
  email: expect.stringContaining('@'),
  is_email_verified: expect.any(Boolean),
  hedgehog_config: expect.any(Object),
  role_at_organization: expect.any(String),
}
const NOT_COUNTED = { count: null, has_more: null, watched_count: null, increased: null, last_refreshed_at: null }

/** The management API on a real event store; time passes as the test says. */
const open = async () => {
  const testStore = await openTestEventStore()
  onTestFinished(testStore.close)
  let time = NOW
  const indexer = createMemoryIndexer(({ sql, timeoutMs, maxRows }) =>
    testStore.store.query({ sql, timeoutMs, maxRows }),
  )
  const service = await openManagement({ indexer, now: () => time })
  let eventCount = 0
  /** Stores an event of a session in each element. */
  const storeEvents = (...events: readonly (readonly [session: string, event: string, properties?: JsonObject])[]) => {
    const stored = events.map(([$session_id, event, properties = {}]) =>
      storedEvent(++eventCount, {
        event,
        timestamp: time - 1000,
        properties: { $session_id, ...properties },
      }),
    )
    const person = { id: derivePersonId(1, 'ada'), properties: { plan: 'pro' }, createdAt: NOW, isIdentified: true }
    indexer.moveTo(eventCount)
    return testStore.store.commit(
      batchOf(stored, { persons: { persons: [person], distinctIds: new Map(), groups: [] } }),
    )
  }
  const pass = (milliseconds: number): void => {
    time += milliseconds
  }
  const create = async (body: JsonObject = {}) => (await service.request('POST', PATH, body)).body
  return { ...service, storeEvents, pass, create }
}

describe('the fields of a playlist', () => {
  // API: | POST | …/session_recording_playlists/ | body: name, derived_name, description (strings), pinned, deleted (booleans), filters | 201, playlist |
  it('has every field of the API', async () => {
    const { request, storeEvents } = await open()
    await storeEvents(['s1', 'paid'], ['s2', 'viewed'])
    const filters = { date_from: '-3d', filter_group: { type: 'AND', values: [{ id: 'paid', type: 'events' }] } }
    const body = {
      name: 'Paid',
      derived_name: 'derived',
      description: 'All that paid',
      pinned: true,
      deleted: false,
      filters,
    }
    const { status, body: playlist } = await request('POST', PATH, body)
    expect(status).toBe(201)
    expect(playlist).toEqual({
      // API: | id | integer | no |
      id: 1,
      // API: | short_id | string (identifies the playlist in paths) | no |
      short_id: expect.stringMatching(/^[\dA-Za-z]{12}$/),
      // API: | name | string | yes |, | derived_name | string | yes |, | description | string | yes |
      name: 'Paid',
      derived_name: 'derived',
      description: 'All that paid',
      // API: | pinned | boolean | yes |
      pinned: true,
      // API: | created_at | date-time | no |, | created_by | User object | no |
      created_at: '2026-01-15T12:00:00.000Z',
      created_by: USER,
      // API: | deleted | boolean (soft-delete flag) | yes |
      deleted: false,
      // API: | filters | type not shown | yes |
      filters,
      // API: | last_modified_at | date-time | no |, | last_modified_by | User object | no |
      last_modified_at: '2026-01-15T12:00:00.000Z',
      last_modified_by: USER,
      // API: | recordings_counts | object: string key to object: string key to integer | no |
      recordings_counts: {
        saved_filters: {
          count: 1,
          has_more: false,
          watched_count: 0,
          increased: false,
          last_refreshed_at: '2026-01-15T12:00:00.000Z',
        },
        collection: { count: null, watched_count: null },
      },
      type: 'filters',
      is_synthetic: false,
      version: 1,
    })
    const read = await request('GET', `${PATH}${playlist.short_id}/`)
    expect([read.status, read.body]).toEqual([200, playlist])
    expect((await request('GET', `${PATH}${playlist.short_id}`, undefined, 'projects')).body).toEqual(playlist)
  })

  it('has a default for every field', async () => {
    const { create } = await open()
    expect(await create({ name: null, filters: null, unknown: 1 })).toMatchObject({
      name: '',
      derived_name: 'All sessions',
      description: '',
      pinned: false,
      deleted: false,
      filters: {},
      type: 'collection',
      recordings_counts: { saved_filters: NOT_COUNTED, collection: { count: 0, watched_count: 0 } },
    })
  })

  it('ignores fields that clients cannot write', async () => {
    const { create } = await open()
    const fields = { id: 99, short_id: 'mine', created_at: '2020-01-01T00:00:00Z', version: 9, is_synthetic: true }
    expect(await create(fields)).toMatchObject({ id: 1, short_id: expect.not.stringMatching('mine'), version: 1 })
  })

  it('derives a name from the filters unless one was set', async () => {
    const { create, request } = await open()
    const { short_id: id, derived_name: name } = await create({ filters: { events: [{ id: 'paid', type: 'events' }] } })
    expect(name).toBe('paid')
    const change = async (body: JsonObject) => (await request('PATCH', `${PATH}${id}/`, body)).body.derived_name
    expect(await change({ filters: { date_from: '-1d' } })).toBe('All sessions (last 1 day)')
    expect(await change({ derived_name: 'mine' })).toBe('mine')
    expect(await change({ filters: { date_from: '-2d' } })).toBe('mine')
    expect(await change({ derived_name: null })).toBe('All sessions (last 2 days)')
  })

  it('refuses invalid fields, and creates nothing then', async () => {
    const cases: readonly (readonly [title: string, JsonObject, code: string, attr: string])[] = [
      ['a name that is a number', { name: 5 }, 'invalid_input', 'name'],
      ['a long name', { name: 'x'.repeat(401) }, 'invalid_input', 'name'],
      ['"pinned" as a string', { pinned: 'yes' }, 'invalid_input', 'pinned'],
      ['"deleted" as null', { deleted: null }, 'invalid_input', 'deleted'],
      ['filters that are a string', { filters: 'all' }, 'invalid_input', 'filters'],
      ['an invalid date', { filters: { date_from: 'soon' } }, 'invalid_filters', 'filters.date_from'],
      [
        'an unknown operator',
        { filters: { filter_group: { type: 'AND', values: [{ key: 'a', value: 1, operator: 'is_nearly' }] } } },
        'invalid_filters',
        'filters.filter_group.values[0].operator',
      ],
      [
        'a cohort that does not exist',
        { filters: { properties: [{ key: 'id', type: 'cohort', value: 7 }] } },
        'invalid_filters',
        'filters.properties[0].value',
      ],
      ['large filters', { filters: { x: 'x'.repeat(65_536) } }, 'invalid_filters', 'filters'],
      ['the type "filters" without filters', { type: 'filters' }, 'invalid_filters', 'filters'],
      [
        'the type "collection" with filters',
        { type: 'collection', filters: { date_from: '-1d' } },
        'invalid_filters',
        'filters',
      ],
      ['an unknown type', { type: 'list' }, 'invalid_choice', 'type'],
    ]
    const { request } = await openManagement()
    for (const [title, body, code, attr] of cases) {
      const response = await request('POST', PATH, body)
      expect([title, response]).toMatchObject([title, { status: 400, body: { type: 'validation_error', code, attr } }])
    }
    expect((await request('GET', PATH)).body.count).toBe(0)
  })

  it('fixes the type once it was chosen', async () => {
    const { create, request } = await open()
    const { short_id: free } = await create({ name: 'free' })
    const { short_id: fixed } = await create({ type: 'collection' })
    const filters = { date_from: '-1d' }
    expect((await request('PATCH', `${PATH}${free}/`, { filters })).body.type).toBe('filters')
    expect((await request('PATCH', `${PATH}${fixed}/`, { filters })).body).toMatchObject({ attr: 'filters' })
    expect((await request('PATCH', `${PATH}${fixed}/`, { filters, type: 'filters' })).body).toMatchObject({
      code: 'invalid_type',
      attr: 'type',
    })
  })
})

describe('the list of playlists', () => {
  // API: | GET | …/session_recording_playlists/ | query: created_by (integer), limit (integer, results per page), offset (integer, initial index), short_id (string) | 200, paginated list of playlists |
  it('is paginated, with the last change first', async () => {
    const { create, request, pass } = await open()
    for (const name of ['first', 'second', 'third']) {
      await create({ name })
      pass(1000)
    }
    const { status, body } = await request('GET', `${PATH}?limit=2`)
    // API: | count | integer, total number of results |, | next | string (URL of the next page) or null |, | previous | string (URL of the previous page) or null |, | results | array of the listed resource |
    expect([status, body.count, body.previous]).toEqual([200, 3, null])
    expect(new URL(body.next).search).toBe('?limit=2&offset=2')
    const names = (list: { results: readonly { name: string }[] }) => list.results.map(({ name }) => name)
    expect(names(body)).toEqual(['third', 'second'])
    expect(names((await request('GET', `${PATH}?limit=2&offset=2`)).body)).toEqual(['first'])
    expect(names((await request('GET', `${PATH}?order=name`)).body)).toEqual(['first', 'second', 'third'])
    expect(names((await request('GET', `${PATH}?order=-created_at&limit=1`)).body)).toEqual(['third'])
  })

  it('is filtered by its query parameters', async () => {
    const { create, request, pass } = await open()
    const first = await create({ name: 'Broken CHECKOUT', pinned: true })
    pass(60_000)
    const second = await create({ name: 'Other ÉCOLE', description: '100% of them', filters: { date_from: '-1d' } })
    const find = async (query: string): Promise<readonly number[]> =>
      (await request('GET', `${PATH}?order=id&${query}`)).body.results.map(({ id }: { id: number }) => id)
    expect(await find(`created_by=${first.created_by.id}`)).toEqual([first.id, second.id])
    expect(await find('created_by=999')).toEqual([])
    expect(await find(`short_id=${second.short_id}`)).toEqual([second.id])
    expect(await find(`short_id=${second.short_id.toLowerCase()}x`)).toEqual([])
    expect(await find('type=filters')).toEqual([second.id])
    expect(await find('pinned=true')).toEqual([first.id])
    expect(await find('search=checkout')).toEqual([first.id])
    expect(await find('search=100%25')).toEqual([second.id])
    expect(await find('search=_')).toEqual([])
    expect(await find(`search=${encodeURIComponent('École')}`)).toEqual([second.id])
    expect(await find('date_from=-30M')).toEqual([first.id, second.id])
    expect(await find('date_from=2026-01-15T12:00:30Z')).toEqual([second.id])
    expect(await find('date_to=2026-01-15T12:00:30Z')).toEqual([first.id])
    for (const [query, attr] of [
      ['created_by=ada', 'created_by'],
      ['order=color', 'order'],
      ['date_from=soon', 'date_from'],
      ['limit=0', 'limit'],
    ])
      expect(await request('GET', `${PATH}?${query}`)).toMatchObject({ status: 400, body: { attr } })
  })

  it('does not show the playlists of another project', async () => {
    const { app, create, metadata, personalApiKey, request } = await open()
    const playlist = await create({})
    const other = await createProject(metadata, 'Other', 1000)
    const headers = { authorization: `Bearer ${personalApiKey}` }
    const url = `/api/environments/${other.id}/${PATH}`
    const inOther = await app.inject({ method: 'GET', url: `${url}${playlist.short_id}/`, headers })
    expect(inOther.statusCode).toBe(404)
    expect((await request('GET', `${PATH}unknown-id/`)).status).toBe(404)
  })
})

describe('changing a playlist', () => {
  // API: | PATCH | …/session_recording_playlists/:short_id/ | same body fields as POST, partial | 200, playlist |
  it('changes only the fields in the body, and tells who did it and when', async () => {
    const { create, request, pass } = await open()
    const before = await create({ name: 'old', description: 'kept', filters: { date_from: '-1d' } })
    pass(5000)
    const { status, body } = await request('PATCH', `${PATH}${before.short_id}/`, { name: 'new', pinned: true })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      name: 'new',
      pinned: true,
      description: 'kept',
      filters: { date_from: '-1d' },
      created_at: before.created_at,
      last_modified_at: '2026-01-15T12:00:05.000Z',
      last_modified_by: USER,
      version: 2,
    })
    pass(5000)
    expect((await request('PATCH', `${PATH}${before.short_id}/`, { name: 'new' })).body.version).toBe(2)
    const stale = await request('PATCH', `${PATH}${before.short_id}/`, { name: 'newer', version: 1 })
    expect(stale).toMatchObject({ status: 409, body: { code: 'version_conflict', attr: 'version' } })
  })

  // API: | Session recording playlist | active (deleted is false) | PATCH with deleted set to true | playlist exists | deleted | the record is kept; it is soft-deleted |
  it('is deleted and restored by PATCH; the record is kept', async () => {
    const { create, request } = await open()
    const { short_id: id, name } = await create({ name: 'kept' })
    expect((await request('PATCH', `${PATH}${id}/`, { deleted: true })).body).toMatchObject({ deleted: true, name })
    expect((await request('GET', PATH)).body).toMatchObject({ count: 0, results: [] })
    expect((await request('GET', `${PATH}?short_id=${id}`)).body.count).toBe(0)
    expect((await request('GET', `${PATH}${id}/`)).body).toMatchObject({ deleted: true, name })
    expect((await request('PATCH', `${PATH}${id}/`, { deleted: false })).body).toMatchObject({ deleted: false, name })
    expect((await request('GET', PATH)).body.count).toBe(1)
    expect((await request('PATCH', `${PATH}unknown-id/`, { deleted: true })).status).toBe(404)
  })

  // API: | DELETE of a session recording playlist | 405, no body |
  // API: | DELETE | …/session_recording_playlists/:short_id/ | path short_id | 405, no body; set deleted to true with PATCH instead |
  // API: | Session recording playlist | any | DELETE | always | unchanged | rejected with 405; hard delete is not allowed |
  it('is not deleted by DELETE, which is answered with 405 and no body', async () => {
    const { create, request } = await open()
    const playlist = await create({})
    for (const id of [playlist.short_id, 'unknown-id'])
      for (const family of ['environments', 'projects']) {
        const { status, body, headers } = await request('DELETE', `${PATH}${id}/`, undefined, family)
        expect([status, body, headers['allow']]).toEqual([405, undefined, 'GET, PATCH'])
      }
    // API: | GET | …/session_recording_playlists/:short_id/ | path short_id (string) | 200, playlist |
    expect(await request('GET', `${PATH}${playlist.short_id}/`)).toMatchObject({ status: 200, body: playlist })
  })
})

// API: | GET | …/session_recording_playlists/ | session_recording_playlist:read |, also …/:short_id/
// API: | POST | …/session_recording_playlists/ | session_recording_playlist:write |, also PATCH and DELETE …/:short_id/
it('has no counts for a key without query:read', async () => {
  const { storeEvents, create, addUser, project } = await open()
  await storeEvents(['s1', 'paid'])
  const path = `/api/projects/${project.id}/${PATH}`
  const { short_id: id } = await create({ filters: { events: [{ id: 'paid', type: 'events' }] } })
  const scopes = ['session_recording_playlist:read', 'session_recording_playlist:write'] as const
  const without = await addUser('without@shop.example', LEVELS.member, { scopes })
  const withCounts = await addUser('with@shop.example', LEVELS.member, { scopes: [...scopes, 'query:read'] })
  const countsFor = async ({ send }: typeof without) => [
    (await send('GET', path)).body.results[0].recordings_counts,
    (await send('GET', `${path}${id}/`)).body.recordings_counts,
    (await send('PATCH', `${path}${id}/`, { pinned: true })).body.recordings_counts,
    (await send('POST', path, { name: 'collection' })).body.recordings_counts,
  ]
  expect(await countsFor(without)).toEqual([{}, {}, {}, {}])
  const [listed, ...others] = await countsFor(withCounts)
  expect(listed).toMatchObject({ collection: { count: 0 } })
  for (const counts of others) expect(counts).toMatchObject({ saved_filters: {}, collection: {} })
})

it('takes back stored filters that fit no more', async () => {
  const { create, request } = await open()
  const properties = { type: 'OR', values: [{ key: 'plan', type: 'person', value: 'pro' }] }
  const { id: cohort } = (await request('POST', 'cohorts/', { name: 'Pro', filters: { properties } })).body
  const filters = { properties: [{ key: 'id', type: 'cohort', value: cohort }] }
  const { short_id: id } = await create({ filters })
  expect((await request('PATCH', `cohorts/${cohort}/`, { deleted: true })).status).toBe(200)
  expect(await request('PATCH', `${PATH}${id}/`, { filters, name: 'new' })).toMatchObject({ body: { name: 'new' } })
  expect((await request('POST', PATH, { filters })).status).toBe(400)
})

// API: "The key must hold the scope shown for the endpoint"
it('needs a key with the scope of the endpoint', async () => {
  const { addUser, create, project } = await open()
  const url = `/api/environments/${project.id}/${PATH}`
  const item = `${url}${(await create()).short_id}/`
  const statuses = async (scope: 'session_recording_playlist:read' | 'session_recording_playlist:write') => {
    const { send } = await addUser(`${scope.replace(':', '-')}@shop.example`, LEVELS.member, { scopes: [scope] })
    const responses = [
      await send('GET', url),
      await send('GET', item),
      await send('POST', url, {}),
      await send('PATCH', item, { name: 'new' }),
      await send('DELETE', item),
    ]
    return responses.map(({ status }) => status)
  }
  expect(await statuses('session_recording_playlist:read')).toEqual([200, 200, 403, 403, 403])
  expect(await statuses('session_recording_playlist:write')).toEqual([403, 403, 201, 200, 405])
})

describe('the counts of a playlist', () => {
  const byEvent = { filters: { filter_group: { type: 'AND', values: [{ id: 'paid', type: 'events' }] } } }

  it('counts the sessions of events that match events, properties, persons and dates', async () => {
    const { create, storeEvents } = await open()
    await storeEvents(['s1', 'paid', { amount: 5 }], ['s1', 'paid'], ['s2', 'paid'], ['s3', 'viewed', { amount: 5 }])
    const count = async (filters: JsonObject) => (await create({ filters })).recordings_counts.saved_filters.count
    expect(await count({ order: 'start_time' })).toBe(3)
    expect(await count(byEvent.filters)).toBe(2)
    expect(await count({ properties: [{ key: 'amount', operator: 'gt', value: 4 }] })).toBe(2)
    expect(await count({ properties: [{ key: 'plan', type: 'person', value: 'pro' }] })).toBe(3)
    expect(await count({ date_to: '2026-01-14' })).toBe(0)
  })

  it('counts again when events have arrived, at most once a second', async () => {
    const { create, request, storeEvents, pass } = await open()
    const { short_id: id } = await create(byEvent)
    const read = async () => (await request('GET', `${PATH}${id}/`)).body.recordings_counts.saved_filters
    await storeEvents(['s1', 'paid'])
    expect(await read()).toMatchObject({ count: 0, increased: false })
    pass(1000)
    expect(await read()).toMatchObject({ count: 1, increased: true, last_refreshed_at: '2026-01-15T12:00:01.000Z' })
    pass(10_000)
    expect(await read()).toMatchObject({ count: 1, last_refreshed_at: '2026-01-15T12:00:01.000Z' })
    pass(30_000)
    expect(await read()).toMatchObject({ count: 1, increased: false, last_refreshed_at: '2026-01-15T12:00:41.000Z' })
    expect((await request('GET', PATH)).body.results[0].recordings_counts.saved_filters.count).toBe(1)
  })

  it('counts at once with new filters', async () => {
    const { create, request, storeEvents } = await open()
    await storeEvents(['s1', 'paid'], ['s2', 'viewed'])
    const { short_id: id } = await create(byEvent)
    const { body } = await request('PATCH', `${PATH}${id}/`, { filters: { date_from: 'all' } })
    expect(body.recordings_counts.saved_filters).toMatchObject({ count: 2, increased: false })
  })

  it('has no count for filters of the protocol on what events do not tell', async () => {
    const { create } = await open()
    const filters = { duration: [{ type: 'recording', key: 'active_seconds', operator: 'gt', value: 5 }] }
    const playlist = await create({ filters })
    expect(playlist.filters).toEqual(filters)
    expect(playlist.recordings_counts.saved_filters).toEqual({
      count: null,
      has_more: false,
      watched_count: 0,
      increased: false,
      last_refreshed_at: null,
    })
  })

  it('follows the cohorts that filters name', async () => {
    const { create, request, storeEvents, pass } = await open()
    await storeEvents(['s1', 'paid'])
    const cohort = await request('POST', 'cohorts/', {
      name: 'Free',
      filters: { properties: { type: 'AND', values: [{ key: 'plan', value: 'free' }] } },
    })
    const filters = { properties: [{ key: 'id', type: 'cohort', value: cohort.body.id }] }
    const { short_id: id, recordings_counts: counts } = await create({ filters })
    expect(counts.saved_filters.count).toBe(0)
    const properties = { type: 'AND', values: [{ key: 'plan', value: 'pro' }] }
    await request('PATCH', `cohorts/${cohort.body.id}/`, { filters: { properties } })
    pass(30_000)
    expect((await request('GET', `${PATH}${id}/`)).body.recordings_counts.saved_filters.count).toBe(1)
  })

  it.each([
    ['counts', { key: 'plan', value: 'pro' }, 201, { recordings_counts: { saved_filters: { count: 1 } } }],
    ['refuses', { key: 'distinct_id', value: 'ada' }, 400, { code: 'invalid_filters', attr: 'filters' }],
  ])('%s by cohorts that each name another one twice: %j', async (_, first, status, body) => {
    const { request, storeEvents } = await open()
    await storeEvents(['s1', 'paid'])
    let values: JsonObject[] = [first]
    // One more would be refused as a cohort that costs too much.
    for (let index = 0; index < 15; index++) {
      const cohort = await request('POST', 'cohorts/', {
        name: `${index}`,
        filters: { properties: { type: 'AND', values } },
      })
      const nested = { key: 'id', type: 'cohort', value: cohort.body.id }
      values = [nested, nested]
    }
    expect(await request('POST', PATH, { filters: { properties: values } })).toMatchObject({ status, body })
  })

  it('answers without a count while the event store is unavailable', async () => {
    const indexer = createMemoryIndexer(() => Promise.reject(new QueryError('store_unavailable', 'It restarts.')))
    const { request } = await openManagement({ indexer })
    const { status, body } = await request('POST', PATH, byEvent)
    expect([status, body.recordings_counts.saved_filters.count]).toEqual([201, null])
  })
})
