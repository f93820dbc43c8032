import { expect, test } from 'vitest'
import { bytesOf, vectors } from '../../vector/vector.ts'
import { openApp } from '../support/app.ts'
import { readParsedEvents } from '../support/read-parsed-events.ts'
import { openSdkService } from './sdk-service.ts'

test.each(vectors)('accepts %s at the path of its sender and stores all its events', async (_name, vector) => {
  const { app, inbox, metadata } = await openApp({ now: () => Date.parse(vector.receivedAt) })
  await metadata.updateTable('projects').set({ api_key: vector.apiKey }).execute()
  const { body: _body, contentEncoding, contentType, method, path, query } = vector.request
  const response = await app.inject({
    method,
    url: path,
    query: { ...query },
    headers: { 'content-type': contentType, ...(contentEncoding && { 'content-encoding': contentEncoding }) },
    payload: Buffer.from(bytesOf(vector)),
  })
  expect([response.statusCode, response.json()]).toEqual([200, { status: 1 }])
  const rows = inbox.readAfter(0, 10, 1e9)
  expect(rows).toHaveLength(1)
  expect(rows.flatMap(readParsedEvents)).toMatchObject(
    vector.events.map((event) => ({ ...event, timestamp: Date.parse(event.timestamp) })),
  )
})

test('stores an event once that is resent with the same messageId', async () => {
  const { url, apiKey, query } = await openSdkService()
  const [, ruby] = vectors.find(([name]) => name === 'field-ruby')!
  const body = ruby.json.replaceAll(ruby.apiKey, apiKey)
  for (const _time of ['first', 'second'])
    expect((await fetch(`${url}${ruby.request.path}`, { method: 'POST', body })).status).toBe(200)
  // The other event has no id, so the service cannot recognise it.
  expect(await query('SELECT event, count(*) FROM events GROUP BY event ORDER BY event')).toEqual([
    ['$identify', 2],
    ['bought', 1],
  ])
})
