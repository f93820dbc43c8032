import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseKeys, queryRows, startService, waitForIndexer } from '../../service/support/service-process.ts'
import type { ServiceProcess } from '../../service/support/service-process.ts'
import { createTempFolder } from '../../service/support/temp-folder.ts'
import type { TestClickHouse } from './start-clickhouse.ts'
import { startClickHouse } from './start-clickhouse.ts'

let server: TestClickHouse
beforeAll(async () => {
  server = await startClickHouse()
})
afterAll(() => server.cleanUp())

let prefixCount = 0

/** The arguments for databases of their own, with the password in a file. */
const createArgs = (): readonly string[] => {
  prefixCount += 1
  const passwordFile = join(createTempFolder(), 'password')
  writeFileSync(passwordFile, `${server.options.password}\n`)
  const { host } = new URL(server.options.url)
  return ['--events', `clickhouse://default@${host}/service_${prefixCount}`, '--events-password-file', passwordFile]
}

const post = (url: string, body: object): Promise<Response> =>
  fetch(url, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } })

const actions = ({ url }: ServiceProcess, { apiKey, personalApiKey }: ReturnType<typeof parseKeys>) => ({
  capture: async (event: string, properties: object = {}): Promise<number> =>
    (await post(`${url}/i/v0/e/`, { api_key: apiKey, event, distinct_id: 'ada', properties })).status,
  decide: async (): Promise<unknown> =>
    (await (await post(`${url}/decide?v=3`, { api_key: apiKey, distinct_id: 'ada' })).json()).featureFlags,
  manage: async (method: string, path: string, body?: object) => {
    const response = await fetch(`${url}/api/projects/1/${path}`, {
      method,
      headers: { authorization: `Bearer ${personalApiKey}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: await response.json() }
  },
  events: () => queryRows(url, personalApiKey, 'SELECT event, count() FROM events GROUP BY event ORDER BY event'),
})

const IF_PRO = {
  key: 'pro',
  filters: { groups: [{ properties: [{ key: 'plan', type: 'person', value: 'pro' }] }] },
}

test('serves from start to end', async () => {
  const service = await startService(createTempFolder(), { args: createArgs() })
  const keys = parseKeys(service.output())
  const { capture, decide, manage, events } = actions(service, keys)
  expect(await capture('bought', { $set: { plan: 'pro' }, $session_id: 's1' })).toBe(200)
  expect((await manage('POST', 'feature_flags/', IF_PRO)).status).toBe(201)
  await waitForIndexer(service.url)
  expect(await events()).toEqual([['bought', 1]])
  expect(await decide()).toEqual({ pro: true })
  const trend = await manage('POST', 'query/', {
    query: { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'bought' }], dateRange: { date_from: '-1d' } },
  })
  expect(trend.body).toMatchObject({ results: [{ count: 1 }] })
  expect(await service.end('SIGTERM'), service.output()).toBe(0)
})
