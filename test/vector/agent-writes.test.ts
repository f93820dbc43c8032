import { describe, expect, it } from 'vitest'
import { createBatchBody } from '../../src/capture/batch.ts'
import { encode, encodeSync } from '../../src/capture/encode.ts'
import { gzipSync } from '../../src/codec/gzip.ts'
import { lz64Form } from '../../src/codec/lz64.ts'
import type { BatchRequest } from '../../src/wire/event.ts'
import { Path } from '../../src/wire/path.ts'
import { bytesOf, vectors } from './vector.ts'

const batches = vectors.filter(([, { sender, request }]) => sender === 'agent' && request.path === Path.batch)

describe('the agent writes', () => {
  it.each(batches)('%s', async (_name, vector) => {
    const { api_key, batch, sent_at, historical_migration }: BatchRequest = JSON.parse(vector.json)
    const events = batch.map((event) => JSON.stringify(event))
    const json = createBatchBody(
      { apiKey: api_key, historicalMigration: historical_migration },
      events,
      Date.parse(sent_at!),
    )
    expect(json).toBe(vector.json)
    const written = await encode(json, [vector.encoding!], async (text) => gzipSync(text), lz64Form)
    expect(written.contentType).toBe(vector.request.contentType)
    expect(Buffer.from(written.body)).toEqual(Buffer.from(bytesOf(vector)))
    if (vector.encoding !== 'gzip') expect(encodeSync(json, [vector.encoding!], lz64Form)).toEqual(written)
  })

  it('every encoding that it supports', () => {
    expect(new Set(batches.map(([, { encoding }]) => encoding))).toEqual(new Set(['gzip', 'lz64', 'plain']))
  })
})
