import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../../../../../src/wire/json.ts'
import { createTape } from '../../../../../../src/service/json/json-members.ts'
import type { JsonMembers } from '../../../../../../src/service/json/json-members.ts'
import { createNameTable } from '../../../../../../src/service/json/name-table.ts'
import { scanMembers } from '../../../../../../src/service/json/scan-members.ts'
import { createPropertyCounter } from '../../../../../../src/service/store/events/duckdb/event-table/frequent-properties.ts'
import { createPropertyPacker } from '../../../../../../src/service/store/events/duckdb/event-table/pack-properties.ts'
import { splitProperties } from '../../../../../../src/service/store/events/duckdb/event-table/split-properties.ts'
import { toWellFormed } from '../../../../../../src/service/store/events/to-well-formed-json.ts'
import { createTextBuilder } from '../../../../../../src/service/store/events/duckdb/rows/text-builder.ts'
import type { EventProperties } from '../../../../../../src/service/store/events/event-store.ts'
import { objectText } from '../../../../support/json-text.ts'

const COLUMNS = new Map(
  ['$browser', 'plan', 'a', '$groups', 'é'].map((property, number) => [
    property,
    { property, number, unfilledRows: 0 },
  ]),
)

interface Row {
  readonly shape: string
  readonly rest: string
  readonly texts: readonly (string | null)[]
}

const packRows = (
  properties: readonly EventProperties[],
  pack = createPropertyPacker(COLUMNS, createPropertyCounter()),
): Row[] => {
  const builder = createTextBuilder(1)
  const columns = pack(
    properties.map((item) => ({ properties: item })),
    builder,
  )
  const text = Buffer.from(builder.take())
  const [shapes, rests, ...texts] = columns.map((column) =>
    properties.map((_, row) => {
      if (column.type !== 'VARCHAR' || column.lengths[row] === -1) return null
      return text.toString('utf8', column.starts[row], column.starts[row]! + column.lengths[row]!)
    }),
  )
  return properties.map((_, row) => ({
    shape: shapes![row]!,
    rest: rests![row]!,
    texts: texts.map((column) => column[row]!),
  }))
}

/** What `splitProperties` makes of parsed properties. */
const splitRow = (properties: JsonObject): Row => {
  const texts: (string | null)[] = Array.from(COLUMNS, () => null)
  const onText = ({ number }: { readonly number: number }, text: string) => {
    texts[number] = toWellFormed(text)
  }
  return { ...splitProperties(properties, COLUMNS, { onText, onOther: () => undefined }), texts }
}

const names = createNameTable()

const scan = (json: string, added: JsonObject | null = null): JsonMembers | null => {
  const bytes = Buffer.from(json)
  const tape = createTape(names, 4)
  const end = scanMembers(bytes, 0, tape)
  return end < 0 ? null : { bytes, start: 0, end, tape, firstNumber: 0, endNumber: tape.length, added }
}

test('packs properties that are not parsed as parsed ones are split', () => {
  fc.assert(
    fc.property(fc.array(objectText, { maxLength: 5 }), (texts) => {
      const properties = texts.map((text) => scan(text) ?? (JSON.parse(text) as JsonObject))
      expect(packRows(properties)).toEqual(texts.map((text) => splitRow(JSON.parse(text))))
    }),
    { numRuns: 1000 },
  )
})

test('packs parsed properties as they are split', () => {
  fc.assert(
    fc.property(objectText, (text) => {
      const parsed = JSON.parse(text) as JsonObject
      expect(packRows([parsed])).toEqual([splitRow(parsed)])
    }),
    { numRuns: 500 },
  )
})

test('adds members behind those that are not parsed', () => {
  const added = { plan: 'pro', city: 'Lyon', $groups: { company: 'acme' } }
  const json = '{"x": 1, "$browser":"Chrome","y":"z"}'
  expect(packRows([scan(json, added)!])).toEqual([splitRow({ ...JSON.parse(json), ...added })])
})

test('keeps nothing of one event in the next, of the same packer', () => {
  const packer = createPropertyPacker(COLUMNS, createPropertyCounter())
  const texts = [
    '{"a":"x","a":"y"}',
    '{}',
    '{"plan":"p","q":1}',
    '{"plan":null}',
    String.raw`{"plan":"\u0000"}`,
    '{"q":2}',
  ]
  for (const text of [...texts, ...texts]) {
    expect(packRows([scan(text)!], packer)).toEqual([splitRow(JSON.parse(text))])
  }
})

test('counts the properties without a column', () => {
  const counter = createPropertyCounter()
  const pack = createPropertyPacker(COLUMNS, counter)
  const members = scan('{"plan":"pro","seats":5,"tags":["x"],"note":null}')!
  packRows(
    Array.from({ length: 2000 }, () => members),
    pack,
  )
  expect(counter.takeFrequent(COLUMNS.size)).toEqual(['seats'])
})

test('counts the properties of an event once, although it is packed twice', () => {
  const counter = createPropertyCounter()
  const pack = createPropertyPacker(COLUMNS, counter)
  const usual = scan('{"plan":"pro"}')!
  // 15 of 2,000 are fewer than one in a hundred.
  const repeated = scan('{"seats":5,"plan":"a","plan":"b"}')!
  packRows(
    Array.from({ length: 2000 }, (_, row) => (row < 15 ? repeated : usual)),
    pack,
  )
  expect(counter.takeFrequent(COLUMNS.size)).toEqual([])
})
