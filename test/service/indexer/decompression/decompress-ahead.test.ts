import { gunzipSync, gzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Decompress } from '../../../../src/service/indexer/decompression/decompress-ahead.ts'
import { decompressAhead } from '../../../../src/service/indexer/decompression/decompress-ahead.ts'
import type { ReadableRow } from '../../../../src/service/ingest/read-events.ts'
import type { InboxRow } from '../../../../src/service/store/inbox/inbox.ts'

const createRow = (id: number, body: Uint8Array): InboxRow => ({
  id,
  projectId: 1,
  receivedAt: 0,
  address: null,
  form: '{}',
  body,
})

const gunzipAll: Decompress = async (bodies) => bodies.map((body) => gunzipSync(body))

const LARGE = Buffer.alloc(1_100_000, 'a')

test('yields all rows in order, those of gzip decompressed', async () => {
  const sizes = fc.array(fc.tuple(fc.constantFrom(0, 10, 300_000, 3_000_000), fc.boolean()), { maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(sizes, async (list) => {
      const rows = list.map(([size, isGzip], id) => {
        const body = Buffer.alloc(size, 'b')
        return createRow(id, isGzip ? gzipSync(body, { level: 1 }) : body)
      })
      const read: ReadableRow[] = []
      for await (const slice of decompressAhead(rows, gunzipAll)) read.push(...slice)
      expect(read.map(({ id }) => id)).toEqual(rows.map(({ id }) => id))
      for (const [index, { body, decompressed = null }] of read.entries()) {
        expect(body).toBe(rows[index]!.body)
        if (decompressed !== null) expect(gunzipSync(body).equals(decompressed)).toBe(true)
      }
    }),
    { numRuns: 20 },
  )
})

test('decompresses the next slice while one is read', async () => {
  const row = gzipSync(LARGE, { level: 1 })
  const rows = Array.from({ length: 6 }, (_, id) => createRow(id, row))
  const asked: number[] = []
  const slices = decompressAhead(rows, (bodies) => {
    asked.push(bodies.length)
    return gunzipAll(bodies)
  })
  const first: readonly ReadableRow[] = (await slices.next()).value
  expect(first.map(({ decompressed }) => decompressed?.length)).toEqual([LARGE.length, LARGE.length])
  expect(asked).toEqual([2, 2])
  await slices.next()
  expect(asked).toEqual([2, 2, 2])
})

test('leaves a few events and bodies without gzip to the reader', async () => {
  const neverCalled: Decompress = () => Promise.reject(new Error('called'))
  const few = [createRow(1, gzipSync('{}'))]
  const plain = [createRow(1, LARGE), createRow(2, LARGE)]
  for (const rows of [few, plain])
    for await (const slice of decompressAhead(rows, neverCalled)) for (const row of slice) expect(rows).toContain(row)
})
