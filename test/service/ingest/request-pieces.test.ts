import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { MOST_EVENT_VALUES } from '../../../src/service/ingest/json-scan.ts'
import { requestPieces } from '../../../src/service/ingest/request-pieces.ts'

const BOUNDS = { mostValues: 1e9, pieceUnits: 20 }
const pieces = (text: string, bounds = BOUNDS) => [...requestPieces(text, bounds)]

const valueOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return 'no JSON'
  }
}

/** What the pieces say together. */
const together = (parts: readonly string[]): unknown => {
  const values = parts.map(valueOf)
  if (values.length === 1) return values[0]
  if (values.includes('no JSON')) return 'no JSON'
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

test('the pieces of any text say what the whole says', () => {
  fc.assert(
    fc.property(fc.oneof(json, array, request, fc.array(member).map(String)), (text) => {
      expect(together(pieces(text))).toEqual(valueOf(text))
    }),
    { numRuns: 1000 },
  )
})

test('what is no JSON as a whole has a piece that is none', () => {
  const broken = fc
    .tuple(fc.oneof(array, request), fc.nat(), fc.constantFrom('', ',', ']', '}', '[', '"', ':', 'x'))
    .map(([text, at, sign]) => `${text.slice(0, at % text.length)}${sign}${text.slice((at % text.length) + 1)}`)
  fc.assert(
    fc.property(broken, (text) => {
      const whole = valueOf(text)
      const parts = together(pieces(text))
      if (whole === 'no JSON') expect(parts).toBe('no JSON')
      else expect(parts).toEqual(whole)
    }),
    { numRuns: 2000 },
  )
})

test('holds a few events in each piece, and what stands around them', () => {
  const batch = Array.from({ length: 100 }, (_, index) => ({ event: `e${index}` }))
  const parts = pieces(JSON.stringify({ api_key: 'k', batch, sent_at: 5 }), { ...BOUNDS, pieceUnits: 100 })
  expect(parts.length).toBeGreaterThan(10)
  expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(200)
  for (const part of parts) expect(JSON.parse(part)).toMatchObject({ api_key: 'k', sent_at: 5 })
})

test('refuses more values than a body or an event may hold, before anything is parsed', () => {
  const refused = (status: number) => expect.objectContaining({ status })
  const many = `[${'{},'.repeat(2000)}{}]`
  expect(() => pieces(many, { ...BOUNDS, mostValues: 1000 })).toThrow(refused(413))
  expect(pieces(many, { ...BOUNDS, mostValues: 5000 }).length).toBeGreaterThan(1)
  const large = `{"event":"e","properties":{"list":[${'[],'.repeat(MOST_EVENT_VALUES / 2)}[]]}}`
  expect(() => pieces(large)).toThrow(refused(413))
  expect(() => pieces(`[${large}]`)).toThrow(refused(413))
  expect(() => pieces('['.repeat(MOST_EVENT_VALUES * 2))).toThrow(refused(413))
})
