import { describe, expect, onTestFinished, test } from 'vitest'
import { createQuestionMethods } from '../../../src/service/insight/question/questions.ts'
import { openTestMetadata } from '../support/open-test-metadata.ts'
import type { Metadata } from '../../../src/service/store/metadata/open.ts'
import type { JsonObject } from '../../../src/wire/json.ts'
import { worldEvent } from '../../contract/questions/world.ts'
import { openInsights } from '../support/insights.ts'
import { openManagement } from '../support/management.ts'
import { createMemoryIndexer } from '../support/memory-indexer.ts'

const NOW = Date.UTC(2026, 0, 15, 12)

const trends = (event: string): JsonObject => ({
  kind: 'TrendsQuery',
  series: [{ event }],
  dateRange: { date_from: '-1d' },
})

/** A project whose queries begin and never end. */
const openWithStuckQueries = async (events: readonly string[]) => {
  const methods = createQuestionMethods(() => new Promise(() => {}))
  const indexer = createMemoryIndexer(() => new Promise(() => {}), methods)
  const service = await openManagement({ indexer, now: () => NOW })
  for (const event of events)
    expect(await service.request('POST', 'insights/', { query: trends(event) })).toMatchObject({ status: 201 })
  const readStatuses = async (refresh: string): Promise<JsonObject[]> => {
    const { status, body } = await service.request('GET', `insights/?order=id&refresh=${refresh}`)
    expect({ status, body }).toMatchObject({ status: 200 })
    return body.results.map(({ query_status }: JsonObject) => query_status)
  }
  return { ...service, readStatuses }
}

describe('the answers to many insights, as jobs', () => {
  test('wait as far as there is room, and the others say so', async () => {
    const events = Array.from({ length: 60 }, (_, index) => `event ${index}`)
    const { readStatuses } = await openWithStuckQueries(events)
    const statuses = await readStatuses('async')
    // Two run, 50 wait.
    expect(new Set(statuses.slice(0, 52).map(({ id }) => id)).size).toBe(52)
    for (const status of statuses.slice(0, 52)) expect(status).toMatchObject({ complete: false, error: false })
    for (const status of statuses.slice(52))
      expect(status).toMatchObject({ complete: true, error: true, error_code: 'too_many_queries', query_async: true })
    expect((await readStatuses('async')).slice(0, 52)).toMatchObject(statuses.slice(0, 52).map(({ id }) => ({ id })))
  })

  test('have one job for the same query, and another one for a forced answer', async () => {
    const { readStatuses } = await openWithStuckQueries(['view', 'view', 'buy'])
    const [first, second, third] = (await readStatuses('async')).map(({ id }) => id)
    expect(second).toBe(first)
    expect(third).not.toBe(first)
    expect((await readStatuses('lazy_async')).map(({ id }) => id)).toEqual([first, first, third])
    const forced = (await readStatuses('force_async')).map(({ id }) => id)
    expect(forced[0]).not.toBe(first)
    expect(forced[1]).toBe(forced[0])
  })

  test('are not computed again at once', async () => {
    const { request } = await openInsights([worldEvent({ event: 'view', timestamp: NOW })], NOW)
    await request('POST', 'insights/', { query: trends('view') })
    const read = async (refresh: string) => (await request('GET', `insights/?refresh=${refresh}`)).body.results[0]
    expect(await read('blocking')).toMatchObject({ result: [{ data: [0, 1] }] })
    expect(await read('async')).toMatchObject({ result: [{ data: [0, 1] }], is_cached: true, query_status: null })
    expect(await read('force_async')).toMatchObject({ is_cached: true, query_status: { query_async: true } })
  })
})

/** Metadata that counts the SELECTs from a table. */
const countSelects = (
  metadata: Metadata,
  table: string,
): { readonly metadata: Metadata; readonly count: () => number } => {
  let count = 0
  const counting = new Proxy(metadata, {
    get(target, name) {
      if (name === 'selectFrom')
        return (from: 'projects') => {
          if ((from as string) === table) count += 1
          return target.selectFrom(from)
        }
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
  return { metadata: counting, count: () => count }
}

test('a list reads what its cached answers depend on once', async () => {
  const opened = await openTestMetadata()
  onTestFinished(() => opened.destroy())
  const { metadata, count } = countSelects(opened, 'cohorts')
  const { request } = await openManagement({ metadata })
  for (const event of ['a', 'b', 'c']) await request('POST', 'insights/', { query: trends(event) })
  const before = count()
  expect((await request('GET', 'insights/')).body.count).toBe(3)
  expect(count() - before).toBe(1)
})
