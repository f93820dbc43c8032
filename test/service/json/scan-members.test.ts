import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTape, formOf, MEMBER_NUMBERS, nameOf, ValueForm } from '../../../src/service/json/json-members.ts'
import { createNameTable } from '../../../src/service/json/name-table.ts'
import { scanMembers } from '../../../src/service/json/scan-members.ts'
import { objectText } from '../support/json-text.ts'

interface Member {
  readonly name: string
  readonly form: number
  readonly text: string
}

const names = createNameTable(['inner'])

const scan = (json: string, start = 0): { end: number; members: Member[]; inner: Member[] } => {
  const bytes = Buffer.from(json)
  const tape = createTape(names, 1)
  const innerTape = createTape(names, 1)
  const end = scanMembers(bytes, start, tape, 0, innerTape)
  const read = ({ numbers, length }: typeof tape): Member[] =>
    Array.from({ length: length / MEMBER_NUMBERS }, (_, index) => {
      const [head, nameStart, valueStart, valueEnd] = numbers.subarray(index * MEMBER_NUMBERS)
      expect(bytes[nameStart!]).toBe(0x22)
      return {
        name: names.names[nameOf(head!)]!,
        form: formOf(head!),
        text: bytes.toString('utf8', valueStart, valueEnd),
      }
    })
  return { end, members: read(tape), inner: read(innerTape) }
}

const textsOf = (members: readonly Member[]): (readonly [string, string])[] =>
  members.map(({ name, text }) => [name, text])

test('divides an object into its members, and gives the members of one of them', () => {
  const { end, members, inner } = scan('{"a": "x", "inner":{"b":[1, {"c":2}]},"d":-1.5}')
  expect(end).toBe(47)
  expect(textsOf(members)).toEqual([
    ['a', '"x"'],
    ['inner', '{"b":[1, {"c":2}]}'],
    ['d', '-1.5'],
  ])
  expect(textsOf(inner)).toEqual([['b', '[1, {"c":2}]']])
})

test('reads the members that JSON.parse reads, in any form', () => {
  fc.assert(
    fc.property(objectText, fc.boolean(), (json, isShifted) => {
      const { end, members } = scan(isShifted ? `[${json}` : json, Number(isShifted))
      if (end < 0) return
      expect(end).toBe(Buffer.byteLength(json) + Number(isShifted))
      const entries = members.map(({ name, text }) => [name, JSON.parse(text)])
      expect(Object.fromEntries(entries)).toEqual(Object.fromEntries(Object.entries(JSON.parse(json))))
    }),
    { numRuns: 1000 },
  )
})

test('knows which values JavaScript writes as they are written', () => {
  fc.assert(
    fc.property(objectText, (json) => {
      for (const { form, text } of scan(json).members) {
        const value: unknown = JSON.parse(text)
        const isCopied = form <= ValueForm.null
        if (isCopied) expect(JSON.stringify(value)).toBe(text)
        if (form === ValueForm.string || form === ValueForm.escapedString) expect(typeof value).toBe('string')
        if (form === ValueForm.number || form === ValueForm.otherNumber) expect(typeof value).toBe('number')
        if (form === ValueForm.boolean) expect(typeof value).toBe('boolean')
        expect(form === ValueForm.null).toBe(text === 'null')
        expect(form === ValueForm.container).toBe(typeof value === 'object' && value !== null)
      }
    }),
    { numRuns: 1000 },
  )
})

test('copies the usual numbers', () => {
  const { members } = scan('{"a":0,"b":-17,"c":12.5,"d":0.000001,"e":123456789012345,"f":-0.5}')
  expect(members.map(({ form }) => form)).toEqual(members.map(() => ValueForm.number))
})

test.each([
  ['an integer as a name', '{"1":2}'],
  ['a name with an escape', String.raw`{"a\u0062":2}`],
  ['a long name', `{"${'n'.repeat(101)}":1}`],
  ['an array', '[1]'],
  ['an unknown word', '{"a":nul}'],
  ['a control character in a string', '{"a":"\n"}'],
  ['a missing colon', '{"a"1}'],
  ['a missing comma', '{"a":1 "b":2}'],
  ['a comma at the end', '{"a":1,}'],
  ['values that nest 200 levels', `{"a":${'['.repeat(200)}${']'.repeat(200)}}`],
])('leaves %s to the parser', (_, json) => {
  expect(scan(json).end).toBe(-1)
})

test('leaves every object that breaks off to the parser', () => {
  const json = String.raw`{"a":"x\"y","inner":{"b":[1,true]},"c":-1.5e3,"d":null}`
  expect(scan(json).end).toBe(json.length)
  for (let length = 0; length < json.length; length++) expect(scan(json.slice(0, length)).end).toBe(-1)
})
