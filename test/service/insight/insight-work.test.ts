import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../src/wire/json.ts'
import { storeWorld, worldEvent } from '../../contract/questions/world.ts'
import { openInsights } from '../support/insights.ts'
import { eventually } from '../support/service-process.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const NOW = Date.UTC(2026, 0, 15, 12)
const event = (daysAgo: number, event = 'view') => worldEvent({ event, timestamp: NOW - daysAgo * DAY_MS })
const trends = (fields: JsonObject = {}): JsonObject => ({
  kind: 'TrendsQuery',
  series: [{ event: 'view' }],
  dateRange: { date_from: '2026-01-10', date_to: '2026-01-11' },
  ...fields,
})

describe('the answer to an insight', () => {
  test('is cached until an event arrives late in its range', async () => {
    const { request, store } = await openInsights([event(4)], NOW)
    const ask = async (query: JsonObject, refresh = 'blocking') => {
      const { body } = await request('POST', 'query/', { query, refresh })
      return { data: body.results[0].data, isCached: body.is_cached, key: body.cache_key }
    }
    const first = await ask(trends())
    expect(first).toMatchObject({ data: [0, 1], isCached: false })
    expect(await ask(trends())).toEqual({ ...first, isCached: true })
    await storeWorld(store, [event(1)])
    expect(await ask(trends())).toMatchObject({ isCached: true })
    await storeWorld(store, [event(5)])
    expect(await ask(trends())).toMatchObject({ data: [1, 1], isCached: false })
    expect(await ask(trends(), 'force_blocking')).toMatchObject({ isCached: false })
    expect(await ask(trends({ interval: 'month' }))).toMatchObject({ data: [2], isCached: false })
  })

  test('is given at once instead of a job as long as it is young enough', async () => {
    let now = NOW
    const { request, store } = await openInsights([event(4)], () => now)
    const send = (fields: JsonObject) => request('POST', 'query/', { query: trends(), ...fields })
    const waitFor = (id: string) =>
      eventually(async () => (await request('GET', `query/${id}/`)).body.query_status.complete)
    const startJob = async (fields: JsonObject): Promise<void> => {
      const { status, body } = await send(fields)
      expect(status).toBe(202)
      await waitFor(body.query_status.id)
    }
    const modes: readonly JsonObject[] = [{ refresh: 'async' }, { refresh: 'lazy_async' }, { async: true }]
    await startJob({ ...modes[0], client_query_id: 'first' })
    await storeWorld(store, [event(5)])
    for (const mode of modes) {
      const { status, body } = await send(mode)
      expect([status, body.is_cached, body.results[0].data]).toEqual([200, true, [0, 1]])
      expect(body).not.toHaveProperty('query_status')
    }
    // The request is repeated.
    await startJob({ refresh: 'async', client_query_id: 'first' })
    now += 10_000
    expect((await send({ refresh: 'lazy_async' })).status).toBe(200)
    await startJob({ refresh: 'async' })
    await startJob({ refresh: 'force_async' })
    now += HOUR_MS
    await startJob({ refresh: 'lazy_async' })
  })

  test('is another one when the settings of the project change', async () => {
    const { request, ask } = await openInsights([event(4)], NOW)
    await ask(trends())
    expect((await ask(trends())).body.is_cached).toBe(true)
    await request('PATCH', '', { timezone: 'Asia/Tokyo' })
    expect((await ask(trends())).body.is_cached).toBe(false)
  })

  test('is another one when a cohort changes', async () => {
    const { request, ask } = await openInsights([event(4)], NOW)
    const cohort = (value: string) => ({ filters: { properties: { type: 'AND', values: [{ key: 'plan', value }] } } })
    await request('POST', 'cohorts/', { name: 'Pros', ...cohort('pro') })
    const query = trends({ properties: [{ type: 'cohort', key: 'id', value: 1 }] })
    await ask(query)
    expect((await ask(query)).body.is_cached).toBe(true)
    await request('PATCH', 'cohorts/1/', cohort('free'))
    expect((await ask(query)).body.is_cached).toBe(false)
  })

  test.each<[string, JsonObject, object]>([
    ['filter', { key: 'born', operator: 'is_date_after', value: '-1d' }, {}],
    ['cohort', { type: 'cohort', key: 'id', value: 1 }, {}],
    ['filter against test users', {}, { filterTestAccounts: true }],
  ])('counts the relative date of a %s from now', async (_of, filter, fields) => {
    let now = NOW
    const born = new Date(NOW - DAY_MS + 20_000).toISOString()
    const { request, ask } = await openInsights(
      [
        worldEvent({
          event: 'view',
          timestamp: NOW - 4 * DAY_MS,
          properties: { born },
          person: { properties: { born }, createdAt: NOW },
        }),
      ],
      () => now,
    )
    const condition = { type: 'person', key: 'born', operator: 'is_date_after', value: '-1d' }
    await request('POST', 'cohorts/', { name: 'Young', filters: { properties: { type: 'AND', values: [condition] } } })
    await request('PATCH', '', { test_account_filters: [condition] })
    const read = async () => {
      const { results, is_cached } = (await ask(trends({ properties: [filter], ...fields }))).body
      return [results[0].data, is_cached]
    }
    expect(await read()).toEqual([[0, 1], false])
    now += 9_000
    expect(await read()).toEqual([[0, 1], true])
    now += 12_000
    expect(await read()).toEqual([[0, 0], false])
  })

  test('of the first events of persons depends on all earlier events', async () => {
    const { ask, store } = await openInsights([event(4)], NOW)
    const query = trends({ series: [{ event: 'view', math: 'first_time_for_user' }] })
    expect((await ask(query)).body.results[0].data).toEqual([0, 1])
    await storeWorld(store, [event(40)])
    expect((await ask(query)).body.results[0].data).toEqual([0, 0])
  })

  test('is not kept where the dates are moments', async () => {
    const { ask } = await openInsights([event(4)], NOW)
    const query = trends({ dateRange: { date_from: '-5d', explicitDate: true } })
    await ask(query)
    expect((await ask(query)).body.is_cached).toBe(false)
  })
})
