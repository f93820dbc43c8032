import { expect, test } from 'vitest'
import {
  waitForIndexer,
  listChildPids,
  eventually,
  killProcess,
  parseKeys,
  queryRows,
  startService,
  suspendProcess,
} from '../support/service-process.ts'
import { createTempFolder } from '../support/temp-folder.ts'
import { post } from './senders.ts'

const MIB = 2 ** 20

const eventOf = (apiKey: string, text = ''): string =>
  JSON.stringify({ api_key: apiKey, event: 'e', distinct_id: 'u', properties: { text } })

test('rejects with 503 while the indexer is too far behind', async () => {
  const service = await startService(createTempFolder(), { args: ['--inbox-limit-bytes', String(4 * MIB)] })
  const { apiKey, personalApiKey } = parseKeys(service.output())
  const indexer = listChildPids(service.pid)[0]!
  suspendProcess(indexer)
  const send = () => post(eventOf(apiKey, 'x'.repeat(50_000)), { url: service.url, path: '/i/v0/e/' })
  let acceptedCount = 0
  let response = await send()
  while (response.status === 200) {
    acceptedCount++
    response = await send()
  }
  expect(response).toMatchObject({ status: 503, retryAfter: '5' })
  expect(JSON.parse(response.text)).toMatchObject({ code: 'inbox_full' })
  expect(acceptedCount).toBeGreaterThan(20)

  process.kill(indexer, 'SIGCONT')
  await eventually(async () => (await send()).status === 200)
  await waitForIndexer(service.url)
  const rows = await queryRows(service.url, personalApiKey, 'select count(*) from events')
  expect(Number(rows[0]?.[0])).toBe(acceptedCount + 1)
})

test('accepts events while the indexer keeps dying, and reports it in /healthz', async () => {
  const service = await startService(createTempFolder())
  const { apiKey, personalApiKey } = parseKeys(service.output())
  let kills = 0
  let acceptedCount = 0
  while (kills < 5) {
    const response = await post(eventOf(apiKey), { url: service.url, path: '/i/v0/e/' })
    expect(response.status).toBe(200)
    acceptedCount++
    const [indexer] = listChildPids(service.pid)
    if (indexer === undefined) continue
    killProcess(indexer)
    kills++
    await eventually(async () => {
      const health = await fetch(`${service.url}/healthz`)
      const { store } = await health.json()
      if (health.status === 503 && /SIGKILL/.test(store.detail)) return true
      // The next one may be there before this test, on a busy machine, has seen that none was.
      const [next] = listChildPids(service.pid)
      if (health.status === 200 && next !== undefined) killProcess(next)
      return false
    })
  }
  await waitForIndexer(service.url)
  const rows = await queryRows(service.url, personalApiKey, 'select count(*) from events')
  expect(Number(rows[0]?.[0])).toBe(acceptedCount)
})
