import { onTestFinished, expect, test } from 'vitest'
import { caughtUp, childrenOf, eventually, keysIn, queryRows, startService } from '../support/service-process.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { post } from './senders.ts'

const MIB = 2 ** 20

const eventOf = (apiKey: string, text = ''): string =>
  JSON.stringify({ api_key: apiKey, event: 'e', distinct_id: 'u', properties: { text } })

test('refuses with 503 and Retry-After while the indexer is too far behind, and goes on when it has caught up', async () => {
  const service = await startService(tempFolder(), { args: ['--inbox-limit-bytes', String(4 * MIB)] })
  const { apiKey, personalApiKey } = keysIn(service.output())
  const indexer = childrenOf(service.pid)[0]!
  process.kill(indexer, 'SIGSTOP')
  onTestFinished(() => {
    try {
      process.kill(indexer, 'SIGCONT')
    } catch {
      // The service has ended it.
    }
  })
  const send = () => post(eventOf(apiKey, 'x'.repeat(50_000)), { url: service.url, path: '/i/v0/e/' })
  let taken = 0
  let last = await send()
  while (last.status === 200) {
    taken++
    last = await send()
  }
  expect(last).toMatchObject({ status: 503, retryAfter: '5' })
  expect(JSON.parse(last.text)).toMatchObject({ code: 'inbox_full' })
  expect(taken).toBeGreaterThan(20)

  process.kill(indexer, 'SIGCONT')
  await eventually(async () => (await send()).status === 200)
  await caughtUp(service.url)
  const rows = await queryRows(service.url, personalApiKey, 'select count(*) from events')
  expect(Number(rows[0]?.[0])).toBe(taken + 1)
})

test('takes events while the indexer dies again and again, and says in /healthz that it does', async () => {
  const service = await startService(tempFolder())
  const { apiKey, personalApiKey } = keysIn(service.output())
  let kills = 0
  let taken = 0
  while (kills < 5) {
    const answer = await post(eventOf(apiKey), { url: service.url, path: '/i/v0/e/' })
    expect(answer.status).toBe(200)
    taken++
    const [indexer] = childrenOf(service.pid)
    if (indexer === undefined) continue
    process.kill(indexer, 'SIGKILL')
    kills++
    await eventually(async () => {
      const health = await fetch(`${service.url}/healthz`)
      const { store } = await health.json()
      return health.status === 503 && /SIGKILL/.test(store.detail)
    })
  }
  await caughtUp(service.url)
  const rows = await queryRows(service.url, personalApiKey, 'select count(*) from events')
  expect(Number(rows[0]?.[0])).toBe(taken)
})
