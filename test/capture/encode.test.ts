import { describe, expect, it } from 'vitest'
import { chooseEncoding, encode, encodeSync } from '../../src/capture/encode.ts'
import { gzipSync } from '../../src/codec/gzip.ts'
import { bodyJson } from '../support/fake-service.ts'

const JSON_TEXT = JSON.stringify({ text: 'Grüße, 漢字 🎁 '.repeat(30) })
const compressor = { gzip: async (text: string) => gzipSync(text), gzipSync }
const broken = {
  gzip: () => Promise.reject(new Error('no')),
  gzipSync: (): never => {
    throw new Error('no')
  },
}

describe('the encoding', () => {
  it.each([
    ['gzip until the service has announced', undefined, 1_000, false, 'gzip'],
    ['gzip when announced', ['lz64', 'gzip'], 1_000, false, 'gzip'],
    ['gzip by its older name', ['gzip-js'], 1_000, false, 'gzip'],
    ['lz64 when only that is announced', ['lz64'], 1_000, false, 'lz64'],
    ['plain when nothing we know is announced', ['br'], 1_000, false, 'plain'],
    ['plain when nothing is announced', [], 1_000, false, 'plain'],
    ['plain for a tiny body', undefined, 199, false, 'plain'],
    ['plain when compression is off', undefined, 1_000, true, 'plain'],
  ] as const)('is %s', (_name, supported, size, isDisabled, expected) => {
    expect(chooseEncoding(supported, size, isDisabled)).toBe(expected)
  })
})

describe('a body', () => {
  it.each([['gzip'], ['lz64'], ['plain']] as const)(
    'as %s can be read back, and its bytes are counted',
    async (encoding) => {
      for (const encoded of [
        await encode(JSON_TEXT, encoding, compressor),
        encodeSync(JSON_TEXT, encoding, compressor),
      ]) {
        expect(bodyJson(encoded.body, encoded.contentType)).toBe(JSON_TEXT)
        expect(encoded.encoding).toBe(encoding)
        expect(encoded.bytes).toBe(Buffer.byteLength(encoded.body))
      }
    },
  )

  it('goes as plain JSON when the compressor fails', async () => {
    const plain = { body: JSON_TEXT, contentType: 'text/plain', encoding: 'plain', bytes: Buffer.byteLength(JSON_TEXT) }
    expect(await encode(JSON_TEXT, 'gzip', broken)).toEqual(plain)
    expect(encodeSync(JSON_TEXT, 'gzip', broken)).toEqual(plain)
  })
})
