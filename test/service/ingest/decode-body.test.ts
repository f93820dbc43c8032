import { gzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import lzString from 'lz-string'
import { expect, test } from 'vitest'
import { decodeBody } from '../../../src/service/ingest/decode-body.ts'
import { HttpError } from '../../../src/service/http-error.ts'
import { MAX_BODY_BYTES } from '../../../src/wire/limits.ts'

const json = '{"api_key":"k","event":"größe €","distinct_id":"u"}'
const form = (fields: Record<string, string>) => Buffer.from(new URLSearchParams(fields).toString())
const decode = (bytes: Uint8Array, format: object = {}) => decodeBody(bytes, format, MAX_BODY_BYTES)
const catchHttpError = (run: () => unknown): HttpError => {
  try {
    run()
  } catch (error) {
    if (error instanceof HttpError) return error
    throw error
  }
  throw new Error('It did not throw.')
}

test('decodes plain JSON', () => {
  expect(decode(Buffer.from(json))).toBe(json)
})

test('removes a byte order mark from a body in any encoding', () => {
  for (const body of [
    Buffer.from(`\uFEFF${json}`),
    gzipSync(`\uFEFF${json}`),
    form({ data: Buffer.from(`\uFEFF${json}`).toString('base64') }),
  ]) {
    expect(decode(body)).toBe(json)
  }
})

test('does not decode JSON scalars as base64', () => {
  for (const scalar of ['null', ' 1', '-2.5', 'true', '"text"']) expect(decode(Buffer.from(scalar))).toBe(scalar)
})

test('explains the error of a gzip body with trailing bytes', () => {
  const body = Buffer.concat([gzipSync(json), Buffer.from('--boundary')])
  expect(catchHttpError(() => decode(body)).body).toMatchObject({
    code: 'invalid_gzip',
    detail: expect.stringContaining('followed by other bytes'),
  })
})

test('recognises gzip by its first bytes despite other headers', () => {
  for (const format of [{}, { compression: 'gzip-js' }, { compression: 'lz64' }, { type: 'form' }]) {
    expect(decode(gzipSync(json), format)).toBe(json)
  }
})

test('reads plain JSON despite headers of gzip or a form', () => {
  expect(decode(Buffer.from(json), { compression: 'gzip-js' })).toBe(json)
  expect(decode(Buffer.from(json), { type: 'form' })).toBe(json)
})

test('reads JSON, base64, base64 of gzip and lz64 in a form', () => {
  const base64 = Buffer.from(json).toString('base64')
  const lz64 = lzString.compressToBase64(json)
  expect(decode(form({ data: json }), { type: 'form' })).toBe(json)
  expect(decode(form({ data: base64 }), { type: 'form', compression: 'base64' })).toBe(json)
  expect(decode(form({ data: gzipSync(json).toString('base64'), compression: 'gzip-js' }), { type: 'form' })).toBe(json)
  expect(decode(form({ data: lz64, compression: 'lz64' }), { type: 'form' })).toBe(json)
  expect(decode(form({ data: lz64 }), { compression: 'lz64' })).toBe(json)
})

test('reads base64 whose plus signs were not escaped', () => {
  const text = '{"a":"???>>>~~~"}'
  const base64 = Buffer.from(text).toString('base64')
  expect(base64).toContain('+')
  expect(decode(Buffer.from(`data=${base64}`), { type: 'form' })).toBe(text)
})

test('reads base64 and lz64 without a form', () => {
  expect(decode(Buffer.from(Buffer.from(json).toString('base64')), { compression: 'base64' })).toBe(json)
  expect(decode(Buffer.from(lzString.compressToBase64(json)), { compression: 'lz64' })).toBe(json)
})

test('rejects malformed bodies with 400 and a code', () => {
  expect(catchHttpError(() => decode(gzipSync(json).subarray(0, 30))).body).toMatchObject({ code: 'invalid_gzip' })
  expect(catchHttpError(() => decode(Buffer.from([0xff, 0xfe, 0x41]))).body).toMatchObject({ code: 'invalid_utf8' })
  expect(catchHttpError(() => decode(Buffer.from('a=b'), { type: 'form' })).body).toMatchObject({
    code: 'missing_data',
    attr: 'data',
  })
  const lz64 = lzString.compressToBase64(json)
  const truncated = form({ data: lz64.slice(0, 20), compression: 'lz64' })
  expect(catchHttpError(() => decode(truncated, { type: 'form' }))).toMatchObject({
    status: 400,
    body: { code: 'invalid_lz64' },
  })
})

test('rejects a body of 20 MiB without decompressing it', () => {
  expect(catchHttpError(() => decode(Buffer.alloc(MAX_BODY_BYTES, 0x20))).status).toBe(413)
  expect(decode(Buffer.from(`{}${' '.repeat(MAX_BODY_BYTES - 3)}`))).toHaveLength(MAX_BODY_BYTES - 1)
})

test('rejects a body that decompresses to 20 MiB without producing all of it', () => {
  expect(catchHttpError(() => decode(gzipSync(Buffer.alloc(MAX_BODY_BYTES)))).status).toBe(413)
  const lz64 = Buffer.from(lzString.compressToBase64('0'.repeat(100_000)))
  expect(lz64.length).toBeLessThan(1500)
  expect(catchHttpError(() => decodeBody(lz64, { compression: 'lz64' }, 50_000)).status).toBe(413)
})

test('limits the decoded body in bytes, not in characters', () => {
  const euros = Buffer.from(lzString.compressToBase64('€'.repeat(500)))
  expect(decodeBody(euros, { compression: 'lz64' }, 1501)).toHaveLength(500)
  expect(catchHttpError(() => decodeBody(euros, { compression: 'lz64' }, 1500)).status).toBe(413)
})

test('decodes any JSON in any encoding', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom('plain', 'gzip', 'base64', 'lz64'), (value, kind) => {
      const text = JSON.stringify({ value })
      const bytes = {
        plain: () => Buffer.from(text),
        gzip: () => gzipSync(text),
        base64: () => form({ data: Buffer.from(text).toString('base64') }),
        lz64: () => form({ data: lzString.compressToBase64(text), compression: 'lz64' }),
      }[kind]()
      expect(decode(bytes, kind === 'base64' || kind === 'lz64' ? { type: 'form' } : {})).toBe(text)
    }),
  )
})

test('reads gzip that was sent as a Latin-1 string', () => {
  const mangled = Buffer.from(gzipSync(json).toString('latin1'), 'utf8')
  expect(decode(mangled, { compression: 'gzip-js' })).toBe(json)
})

test('reads percent-encoded base64 with a prefix inside gzip and lz64', () => {
  const base64 = `data=${encodeURIComponent(Buffer.from(json).toString('base64'))}`
  expect(decode(gzipSync(base64), { compression: 'gzip-js' })).toBe(json)
  expect(decode(form({ data: lzString.compressToBase64(base64), compression: 'lz64' }), { type: 'form' })).toBe(json)
  const quoted = encodeURIComponent(Buffer.from('{"a":"???>>>~~~ "}').toString('base64'))
  expect(decode(Buffer.from(quoted), { compression: 'base64' })).toBe('{"a":"???>>>~~~ "}')
})
