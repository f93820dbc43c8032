import { describe, expect, it } from 'vitest'
import { encode, encodeSync, SYNC_MAX } from '../../src/capture/encode.ts'
import { gzipSync } from '../../src/codec/gzip.ts'
import { bodyJson } from '../support/fake-service.ts'

const JSON_TEXT = JSON.stringify({ text: 'Grüße, 漢字 🎁 '.repeat(30) })
const compressor = async (text: string): Promise<Uint8Array> => gzipSync(text)
const none = (): Promise<Uint8Array> => Promise.reject(new Error('no gzip here'))

describe('the encoding', () => {
  it.each([
    ['gzip until the service has announced', undefined, 1_000, false, true, 'gzip'],
    ['gzip when announced', ['lz64', 'gzip'], 1_000, false, true, 'gzip'],
    ['gzip by its older name', ['gzip-js'], 1_000, false, true, 'gzip'],
    ['lz64 when only that is announced', ['lz64'], 1_000, false, true, 'lz64'],
    ['lz64 without gzip, until the service has announced', undefined, 1_000, false, false, 'lz64'],
    ['lz64 without gzip, when it is announced', ['gzip', 'lz64'], 1_000, false, false, 'lz64'],
    ['plain without gzip, when lz64 is not announced', ['gzip'], 1_000, false, false, 'plain'],
    ['plain without gzip, when lz64 would take the page too long', undefined, SYNC_MAX + 1, false, false, 'plain'],
    ['plain when nothing we know is announced', ['br'], 1_000, false, true, 'plain'],
    ['plain when nothing is announced', [], 1_000, false, true, 'plain'],
    ['plain for a tiny body', undefined, 199, false, true, 'plain'],
    ['plain when compression is off', undefined, 1_000, true, true, 'plain'],
  ] as const)('is %s', async (_name, supported, size, isDisabled, canGzip, expected) => {
    const json = 'x'.repeat(size)
    expect((await encode(json, supported, isDisabled, canGzip ? compressor : none)).encoding).toBe(expected)
  })
})

describe('a body', () => {
  it.each([['gzip'], ['lz64'], ['plain']] as const)(
    'as %s can be read back, and its bytes are counted',
    async (encoding) => {
      const { body, contentType, ...told } = await encode(JSON_TEXT, [encoding], false, compressor)
      expect(bodyJson(body, contentType)).toBe(JSON_TEXT)
      expect(told).toEqual({ encoding, bytesBefore: JSON_TEXT.length, bytesAfter: Buffer.byteLength(body) })
    },
  )

  it('goes without gzip where the platform has none, and at once', async () => {
    for (const [supported, encoding] of [
      [undefined, 'lz64'],
      [['gzip'], 'plain'],
    ] as const) {
      const encoded = await encode(JSON_TEXT, supported, false, none)
      expect(encoded.encoding).toBe(encoding)
      expect(encodeSync(JSON_TEXT, supported, false)).toEqual(encoded)
      expect(bodyJson(encoded.body, encoded.contentType)).toBe(JSON_TEXT)
    }
  })

  it('goes as it is when compression is off', async () => {
    const [bytesBefore, bytesAfter] = [JSON_TEXT.length, Buffer.byteLength(JSON_TEXT)]
    const plain = { body: JSON_TEXT, contentType: 'text/plain', encoding: 'plain', bytesBefore, bytesAfter }
    expect(await encode(JSON_TEXT, undefined, true, compressor)).toEqual(plain)
    expect(encodeSync(JSON_TEXT, undefined, true)).toEqual(plain)
  })
})
