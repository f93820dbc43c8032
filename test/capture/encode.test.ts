import { describe, expect, it } from 'vitest'
import { encode, encodeSync, MAX_SYNC_LENGTH } from '../../src/capture/encode.ts'
import { gzipSync } from '../../src/codec/gzip.ts'
import { lz64Form } from '../../src/codec/lz64.ts'
import { decodeBody } from '../support/fake-service.ts'

const JSON_STRING = JSON.stringify({ text: 'Grüße, 漢字 🎁 '.repeat(30) })
const compressor = async (json: string): Promise<Uint8Array> => gzipSync(json)
const failingCompressor = (): Promise<Uint8Array> => Promise.reject(new Error('no gzip here'))

describe('the encoding', () => {
  it.each([
    ['gzip before the service has announced anything', undefined, 1_000, true, 'gzip'],
    ['gzip when announced', ['lz64', 'gzip'], 1_000, true, 'gzip'],
    ['gzip by its older name', ['gzip-js'], 1_000, true, 'gzip'],
    ['lz64 when only that is announced', ['lz64'], 1_000, true, 'lz64'],
    ['lz64 without gzip, before any announcement', undefined, 1_000, false, 'lz64'],
    ['lz64 without gzip, when it is announced', ['gzip', 'lz64'], 1_000, false, 'lz64'],
    ['plain without gzip, when lz64 is not announced', ['gzip'], 1_000, false, 'plain'],
    ['plain without gzip, when lz64 would be too slow', undefined, MAX_SYNC_LENGTH + 1, false, 'plain'],
    ['plain when only unknown encodings are announced', ['br'], 1_000, true, 'plain'],
    ['plain when nothing is announced', [], 1_000, true, 'plain'],
    ['plain for a tiny body', undefined, 199, true, 'plain'],
  ] as const)('is %s', async (_name, supported, size, canGzip, expected) => {
    const json = 'x'.repeat(size)
    const { sizes } = await encode(json, supported, canGzip ? compressor : failingCompressor, lz64Form)
    expect(sizes.encoding).toBe(expected)
  })
})

it('is plain while the code for lz64 is not there', () => {
  expect(encodeSync(JSON_STRING, undefined, () => undefined).sizes.encoding).toBe('plain')
})

describe('a body', () => {
  it.each([['gzip'], ['lz64'], ['plain']] as const)(
    'in the encoding %s can be decoded, and reports its size in bytes',
    async (encoding) => {
      const { body, contentType, sizes } = await encode(JSON_STRING, [encoding], compressor, lz64Form)
      expect(decodeBody(body, contentType)).toBe(JSON_STRING)
      expect(sizes).toEqual({ encoding, bytesAfter: Buffer.byteLength(body) })
    },
  )

  it('is encoded as encodeSync() does on a platform without gzip', async () => {
    for (const [supported, encoding] of [
      [undefined, 'lz64'],
      [['gzip'], 'plain'],
    ] as const) {
      const encodedBody = await encode(JSON_STRING, supported, failingCompressor, lz64Form)
      expect(encodedBody.sizes.encoding).toBe(encoding)
      expect(encodeSync(JSON_STRING, supported, lz64Form)).toEqual(encodedBody)
      expect(decodeBody(encodedBody.body, encodedBody.contentType)).toBe(JSON_STRING)
    }
  })

  it('stays plain JSON when no encoding may be used', async () => {
    const plainBody = {
      body: JSON_STRING,
      contentType: 'text/plain',
      sizes: { encoding: 'plain', bytesAfter: Buffer.byteLength(JSON_STRING) },
    }
    expect(await encode(JSON_STRING, [], compressor, lz64Form)).toEqual(plainBody)
    expect(encodeSync(JSON_STRING, [], lz64Form)).toEqual(plainBody)
  })

  it('is gzip or plain JSON in an agent without lz64', async () => {
    const { sizes } = await encode(JSON_STRING, undefined, compressor, undefined)
    expect(sizes.encoding).toBe('gzip')
    expect(encodeSync(JSON_STRING, undefined, undefined).body).toBe(JSON_STRING)
  })
})
