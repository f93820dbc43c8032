import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../src/wire/json.ts'
import { storeWorld, worldEvent } from '../../contract/questions/world.ts'
import { openInsights } from '../support/insights.ts'

const DAY_MS = 86_400_000
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

  test('is another one when the settings of the project change', async () => {
    const { request, ask } = await openInsights([event(4)], NOW)
    await ask(trends())
    expect((await ask(trends())).body.is_cached).toBe(true)
    await request('PATCH', '', { timezone: 'Asia/Tokyo' })
    expect((await ask(trends())).body.is_cached).toBe(false)
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
