import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { shareService } from '../support/shared-service.ts'

/** Limits of ingestion. A comment "API:" quotes the description of the API that the service implements. */

const service = shareService()
const MAX_BODY_BYTES = 20 * 1024 * 1024

/** Bytes of an event, which may have 1 MiB. */
const EVENT_BYTES = 1_000_000

/** A batch request whose JSON has exactly `bytes` bytes, in as many events as it needs. */
const bodyOf = (bytes: number, marker: string): string => {
  const eventOf = (filler: string): string =>
    JSON.stringify({ event: marker, distinct_id: 'u', properties: { filler } })
  const whole = eventOf('x'.repeat(EVENT_BYTES))
  const [head, tail] = JSON.stringify({ api_key: service.apiKey, batch: ['|'] }).split('"|"') as [string, string]
  const count = Math.floor((bytes - EVENT_BYTES / 2) / (whole.length + 1))
  const start = head + `${whole},`.repeat(count)
  return start + eventOf('x'.repeat(bytes - start.length - tail.length - eventOf('').length)) + tail
}

// API: | Batch request body size | less than 20 MB by default |
test('accepts a body just below 20 MiB, also decompressed, and rejects larger ones', async () => {
  expect((await service.post('/batch/', bodyOf(MAX_BODY_BYTES - 1, 'largest'))).status).toBe(200)
  expect((await service.post('/batch/', gzipSync(bodyOf(MAX_BODY_BYTES - 1, 'largest packed')))).status).toBe(200)
  for (const body of [bodyOf(MAX_BODY_BYTES, 'too large'), gzipSync(bodyOf(MAX_BODY_BYTES, 'too large packed'))]) {
    const response = await service.post('/batch/', body)
    expect([response.status, response.body.code]).toEqual([413, 'body_too_large'])
  }
  const rows = await service.queryStored(
    "select event, sum(length(properties->>'filler')) > 20900000 from events where event like '%large%' group by event order by 1",
  )
  expect(rows).toEqual([
    ['largest', true],
    ['largest packed', true],
  ])
})

// API: | Number of events in one batch | no limit |
test('accepts a batch with 60,000 events', async () => {
  const batch = Array.from({ length: 60_000 }, (_, index) => ({
    event: 'one of many',
    properties: { distinct_id: `u${index % 100}`, index },
  }))
  expect((await service.batch(batch)).status).toBe(200)
  const query = `select count(*), count(distinct properties->>'index'), count(distinct distinct_id) from events where event = 'one of many'`
  expect(await service.queryStored(query)).toEqual([[60_000, 60_000, 100]])
})

// API: "When the organization is over its feature-flag quota, the response has quotaLimited containing feature_flags, and
// featureFlags and featureFlagPayloads are empty objects. Flag evaluation is then paused."
// API: | quotaLimited | array of string | present only when quota-limited; contains feature_flags |
// API: | Decide, quota exceeded | 200 with quotaLimited containing feature_flags |
// API: | Feature-flag quota | per organization; when exceeded, decide returns the quota-limited response |
test('sends no flags while the flag quota of the organisation is used up, but still accepts events', async () => {
  const otherApiKey = /wm_[\w-]+/.exec(await service.runCommand('project', 'create', 'Blog'))![0]
  const organizationId = (await service.runCommand('org', 'list')).split(/ +/)[1]!
  await service.runCommand('flag', 'pause', '--organization', organizationId)
  for (const apiKey of [service.apiKey, otherApiKey])
    await expect
      .poll(() => service.post('/decide?v=3', { api_key: apiKey, distinct_id: 'u' }), { timeout: 20_000 })
      .toMatchObject({ status: 200, body: { quotaLimited: ['feature_flags'] } })
  const { body } = await service.post('/decide?v=3', { api_key: service.apiKey, distinct_id: 'u' })
  expect([body.featureFlags, body.featureFlagPayloads]).toEqual([{}, {}])
  expect(await service.capture({ event: 'meanwhile', distinct_id: 'u' })).toMatchObject({
    status: 200,
    body: { status: 1 },
  })
  expect(await service.queryStored("select count(*) from events where event = 'meanwhile'")).toEqual([[1]])
})
