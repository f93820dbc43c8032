import { gzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import lzString from 'lz-string'
import { expect, test } from 'vitest'
import { bodyText } from '../../../src/service/ingest/body.ts'
import { Refusal } from '../../../src/service/refusal.ts'
import { MAX_BODY_BYTES } from '../../../src/wire/limits.ts'

const json = '{"api_key":"k","event":"größe €","distinct_id":"u"}'
const form = (fields: Record<string, string>) => Buffer.from(new URLSearchParams(fields).toString())
const read = (bytes: Uint8Array, hints: object = {}) => bodyText(bytes, hints, MAX_BODY_BYTES)
const refusal = (run: () => unknown): Refusal => {
  try {
    run()
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
  throw new Error('was not refused')
}

test('reads plain JSON', () => {
  expect(read(Buffer.from(json))).toBe(json)
})

test('takes a byte order mark off the text, wherever it stands', () => {
  for (const body of [
    Buffer.from(`\uFEFF${json}`),
    gzipSync(`\uFEFF${json}`),
    form({ data: Buffer.from(`\uFEFF${json}`).toString('base64') }),
  ]) {
    expect(read(body)).toBe(json)
  }
})

test('leaves JSON that is no object to whoever reads it, rather than take it for base64', () => {
  for (const text of ['null', ' 1', '-2.5', 'true', '"text"']) expect(read(Buffer.from(text))).toBe(text)
})

test('says what may be wrong with a gzip body that something follows', () => {
  const body = Buffer.concat([gzipSync(json), Buffer.from('--boundary')])
  expect(refusal(() => read(body)).body).toMatchObject({
    code: 'invalid_gzip',
    detail: expect.stringContaining('followed by something else'),
  })
})

test('knows gzip by its first bytes, whatever the hints say', () => {
  for (const hints of [{}, { compression: 'gzip-js' }, { compression: 'lz64' }, { type: 'form' }]) {
    expect(read(gzipSync(json), hints)).toBe(json)
  }
})

test('reads plain JSON that claims to be gzip or a form', () => {
  expect(read(Buffer.from(json), { compression: 'gzip-js' })).toBe(json)
  expect(read(Buffer.from(json), { type: 'form' })).toBe(json)
})

test('reads a form: JSON, base64, base64 of gzip, lz64', () => {
  const base64 = Buffer.from(json).toString('base64')
  const lz64 = lzString.compressToBase64(json)
  expect(read(form({ data: json }), { type: 'form' })).toBe(json)
  expect(read(form({ data: base64 }), { type: 'form', compression: 'base64' })).toBe(json)
  expect(read(form({ data: gzipSync(json).toString('base64'), compression: 'gzip-js' }), { type: 'form' })).toBe(json)
  expect(read(form({ data: lz64, compression: 'lz64' }), { type: 'form' })).toBe(json)
  expect(read(form({ data: lz64 }), { compression: 'lz64' })).toBe(json)
})

test('reads base64 whose plus signs were not escaped', () => {
  const text = '{"a":"???>>>~~~"}'
  const base64 = Buffer.from(text).toString('base64')
  expect(base64).toContain('+')
  expect(read(Buffer.from(`data=${base64}`), { type: 'form' })).toBe(text)
})

test('reads base64 and lz64 without a form', () => {
  expect(read(Buffer.from(Buffer.from(json).toString('base64')), { compression: 'base64' })).toBe(json)
  expect(read(Buffer.from(lzString.compressToBase64(json)), { compression: 'lz64' })).toBe(json)
})

test('refuses what is broken with 400 and a code', () => {
  expect(refusal(() => read(gzipSync(json).subarray(0, 30))).body).toMatchObject({ code: 'invalid_gzip' })
  expect(refusal(() => read(Buffer.from([0xff, 0xfe, 0x41]))).body).toMatchObject({ code: 'invalid_utf8' })
  expect(refusal(() => read(Buffer.from('a=b'), { type: 'form' })).body).toMatchObject({
    code: 'missing_data',
    attr: 'data',
  })
  const lz64 = lzString.compressToBase64(json)
  const cut = form({ data: lz64.slice(0, 20), compression: 'lz64' })
  expect(refusal(() => read(cut, { type: 'form' }))).toMatchObject({ status: 400, body: { code: 'invalid_lz64' } })
})

test('refuses 20 MB before decompression', () => {
  expect(refusal(() => read(Buffer.alloc(MAX_BODY_BYTES, 0x20))).status).toBe(413)
  expect(read(Buffer.from(`{}${' '.repeat(MAX_BODY_BYTES - 3)}`))).toHaveLength(MAX_BODY_BYTES - 1)
})

test('refuses 20 MB after decompression, of gzip and of lz64, without making it', () => {
  expect(refusal(() => read(gzipSync(Buffer.alloc(MAX_BODY_BYTES)))).status).toBe(413)
  const lz64 = Buffer.from(lzString.compressToBase64('0'.repeat(100_000)))
  expect(lz64.length).toBeLessThan(1500)
  expect(refusal(() => bodyText(lz64, { compression: 'lz64' }, 50_000)).status).toBe(413)
})

test('counts the limit in bytes, not in characters', () => {
  const euros = Buffer.from(lzString.compressToBase64('€'.repeat(500)))
  expect(bodyText(euros, { compression: 'lz64' }, 1501)).toHaveLength(500)
  expect(refusal(() => bodyText(euros, { compression: 'lz64' }, 1500)).status).toBe(413)
})

test('any text comes out of any form as it went in', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom('plain', 'gzip', 'base64', 'lz64'), (value, kind) => {
      const text = JSON.stringify({ value })
      const bytes = {
        plain: () => Buffer.from(text),
        gzip: () => gzipSync(text),
        base64: () => form({ data: Buffer.from(text).toString('base64') }),
        lz64: () => form({ data: lzString.compressToBase64(text), compression: 'lz64' }),
      }[kind]()
      expect(read(bytes, kind === 'base64' || kind === 'lz64' ? { type: 'form' } : {})).toBe(text)
    }),
  )
})

test('reads gzip that was sent as a string of Latin-1', () => {
  const mangled = Buffer.from(gzipSync(json).toString('latin1'), 'utf8')
  expect(read(mangled, { compression: 'gzip-js' })).toBe(json)
})

test('reads base64 inside gzip and inside lz64, percent-encoded and with a prefix', () => {
  const base64 = `data=${encodeURIComponent(Buffer.from(json).toString('base64'))}`
  expect(read(gzipSync(base64), { compression: 'gzip-js' })).toBe(json)
  expect(read(form({ data: lzString.compressToBase64(base64), compression: 'lz64' }), { type: 'form' })).toBe(json)
  const quoted = encodeURIComponent(Buffer.from('{"a":"???>>>~~~ "}').toString('base64'))
  expect(read(Buffer.from(quoted), { compression: 'base64' })).toBe('{"a":"???>>>~~~ "}')
})
