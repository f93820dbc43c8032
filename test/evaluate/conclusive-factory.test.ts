import { expect, it } from 'vitest'
import { createConclusiveFactory } from '../../src/evaluate/conclusive-factory.ts'

it('creates frozen results with frozen payloads', () => {
  const createConclusive = createConclusiveFactory({ true: '{"a":[{"b":1}]}', v: { c: { d: [] } } })
  const { payload } = createConclusive(true, 'condition_match')
  const frozenValues = [createConclusive(true, 'condition_match'), payload, (payload as { a: object[] }).a]
  for (const value of [...frozenValues, (payload as { a: object[] }).a[0]]) expect(Object.isFrozen(value)).toBe(true)
  expect(Object.isFrozen((createConclusive('v', 'condition_match').payload as { c: { d: object } }).c.d)).toBe(true)
})

it('does not freeze the payloads of the definitions', () => {
  const payloads = { true: { a: [1] } }
  const { payload, payloadText } = createConclusiveFactory(payloads)(true, 'condition_match')
  payloads.true.a.push(2)
  expect([payload, payloadText]).toEqual([{ a: [1] }, '{"a":[1]}'])
})

it('accepts payloads of any depth', () => {
  const depth = 100_000
  const json = '['.repeat(depth) + ']'.repeat(depth)
  expect(createConclusiveFactory({ true: json })(true, 'condition_match').payloadText).toBe(json)
})

it('finds no payload under an inherited property name', () => {
  for (const variant of ['constructor', '__proto__'])
    expect(createConclusiveFactory({})(variant, 'condition_match').payload).toBe(undefined)
})
