import { expect, test } from 'vitest'
import { decodeBody } from '../../src/service/ingest/decode-body.ts'
import { readParsedEvents } from '../service/support/read-parsed-events.ts'
import { createBodyFormat } from '../../src/service/ingest/body-format.ts'
import { parseRequest } from '../../src/service/ingest/parse-request.ts'
import { MAX_BODY_BYTES } from '../../src/wire/limits.ts'
import { bytesOf, vectors } from './vector.ts'

test.each(vectors)('the service reads %s', (_name, vector) => {
  const form = createBodyFormat({ contentType: vector.request.contentType, query: vector.request.query ?? {} })
  const text = decodeBody(bytesOf(vector), form, MAX_BODY_BYTES)
  expect(text).toBe(vector.json)
  expect(parseRequest(text).apiKey).toBe(vector.apiKey)
  const events = readParsedEvents({
    id: 1,
    projectId: 1,
    receivedAt: Date.parse(vector.receivedAt),
    address: null,
    form: JSON.stringify(form),
    body: bytesOf(vector),
  })
  expect(events).toEqual(
    vector.events.map((event) => ({
      uuid: undefined,
      isHistorical: false,
      ...event,
      timestamp: Date.parse(event.timestamp),
    })),
  )
})
