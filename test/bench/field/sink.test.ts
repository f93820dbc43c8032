import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startSink } from './sink.mjs'

let sink: Awaited<ReturnType<typeof startSink>>
beforeEach(async () => {
  sink = await startSink()
})
afterEach(() => sink.close())

const post = async (path: string, body: string | Uint8Array<ArrayBuffer>): Promise<unknown> =>
  (await fetch(sink.url + path, { method: 'POST', body })).json()
const batch = (...items: number[]): string =>
  JSON.stringify({ batch: items.map((item) => ({ event: 'item viewed', properties: { bench_item: item } })) })

it('counts events in every format that packages send', async () => {
  await post('/batch/', batch(0))
  await post('/i/v0/e/', new Uint8Array(gzipSync(batch(1))))
  await post('/e/', `data=${encodeURIComponent(Buffer.from(batch(2)).toString('base64'))}`)
  await post('/com.snowplowanalytics.snowplow/tp2', JSON.stringify({ data: [{ ue_pr: batch(3) }] }))
  expect([...sink.seen.items]).toEqual([0, 1, 2, 3])
})

it('counts a duplicate event once, but its bytes each time', async () => {
  await post('/batch/', batch(0, 1))
  const { bytesWithHeaders } = sink.seen
  await post('/batch/', batch(0, 1))
  expect(sink.seen).toMatchObject({ events: 4, requests: 2, bodyBytes: 2 * batch(0, 1).length })
  expect(sink.seen.items.size).toBe(2)
  expect(sink.seen.bytesWithHeaders).toBe(2 * bytesWithHeaders)
  expect(bytesWithHeaders).toBeGreaterThan(batch(0, 1).length)
})

it("ignores a package's own events and counts preflights separately", async () => {
  await post('/e/', '{"event":"$pageview"}')
  await fetch(`${sink.url}/e/`, { method: 'OPTIONS' })
  expect(sink.seen).toMatchObject({ events: 0, requests: 0, preflights: 1 })
})

it('sends the responses that packages need and 404 otherwise', async () => {
  expect(await post('/decide/?v=3', '{}')).toMatchObject({ errorsWhileComputingFlags: false })
  expect(await post('/2/httpapi', '{}')).toMatchObject({ code: 200 })
  expect((await fetch(`${sink.url}/static/recorder.js`)).status).toBe(404)
})
