import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { MAX_EVENT_VALUES } from '../../../src/service/ingest/json-scanner.ts'
import { splitRequest } from '../../../src/service/ingest/split-request.ts'

const LIMITS = { maxValues: 1e9, chunkUnits: 20 }
const split = (text: string, limits = LIMITS) => [...splitRequest(text, limits)].map((part) => part.json)

const parse = (json: string): unknown => {
  try {
    return JSON.parse(json)
  } catch {
    return 'invalid JSON'
  }
}

/** The request that the chunks make together. */
const merge = (chunks: readonly string[]): unknown => {
  const values = chunks.map(parse)
  if (values.length === 1) return values[0]
  if (values.includes('invalid JSON')) return 'invalid JSON'
  if (values.every(Array.isArray)) return values.flat(1)
  const objects = values as { batch: unknown[] }[]
  return { ...objects[0], batch: objects.flatMap(({ batch }) => batch) }
}

const json = fc.json({ maxDepth: 3 })
const space = fc.constantFrom('', ' ', '\n\t ')
const member = fc
  .tuple(fc.constantFrom('"api_key"', '"batch"', '"\\u0062atch"', '"a\\"b"', '"__proto__"'), space, json)
  .map(([name, gap, value]) => `${gap}${name}${gap}:${gap}${value}${gap}`)
const array = fc.tuple(fc.array(json), space).map(([values, gap]) => `[${gap}${values.join(`${gap},${gap}`)}${gap}]`)
const request = fc
  .tuple(fc.array(member, { maxLength: 4 }), array)
  .map(([members, batch]) => `{${[...members, `"batch":${batch}`].join()}}`)

test('splits any request into chunks with the same events and fields', () => {
  fc.assert(
    fc.property(fc.oneof(json, array, request, fc.array(member).map(String)), (text) => {
      expect(merge(split(text))).toEqual(parse(text))
    }),
    { numRuns: 1000 },
  )
})

test('yields at least one invalid chunk for invalid JSON', () => {
  const broken = fc
    .tuple(fc.oneof(array, request), fc.nat(), fc.constantFrom('', ',', ']', '}', '[', '"', ':', 'x'))
    .map(([text, at, sign]) => `${text.slice(0, at % text.length)}${sign}${text.slice((at % text.length) + 1)}`)
  fc.assert(
    fc.property(broken, (text) => {
      const whole = parse(text)
      const merged = merge(split(text))
      if (whole === 'invalid JSON') expect(merged).toBe('invalid JSON')
      else expect(merged).toEqual(whole)
    }),
    { numRuns: 2000 },
  )
})

test('yields chunks of a few events, each with all other fields of the request', () => {
  const batch = Array.from({ length: 100 }, (_, index) => ({ event: `e${index}` }))
  const chunks = split(JSON.stringify({ api_key: 'k', batch, sent_at: 5 }), { ...LIMITS, chunkUnits: 100 })
  expect(chunks.length).toBeGreaterThan(10)
  expect(Math.max(...chunks.map(({ length }) => length))).toBeLessThan(200)
  for (const chunk of chunks) expect(JSON.parse(chunk)).toMatchObject({ api_key: 'k', sent_at: 5 })
})

test('rejects a body or an event with too many values before parsing', () => {
  const httpError = (status: number) => expect.objectContaining({ status })
  const manyObjects = `[${'{},'.repeat(2000)}{}]`
  expect(() => split(manyObjects, { ...LIMITS, maxValues: 1000 })).toThrow(httpError(413))
  expect(split(manyObjects, { ...LIMITS, maxValues: 5000 }).length).toBeGreaterThan(1)
  const large = `{"event":"e","properties":{"list":[${'[],'.repeat(MAX_EVENT_VALUES / 2)}[]]}}`
  expect(() => split(large)).toThrow(httpError(413))
  expect(() => split(`[${large}]`)).toThrow(httpError(413))
  expect(() => split('['.repeat(MAX_EVENT_VALUES * 2))).toThrow(httpError(413))
})
