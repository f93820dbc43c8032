import { expect, it } from 'vitest'
import { concluding } from '../../src/evaluate/conclude.ts'

it('gives answers that nobody can write to, payloads included', () => {
  const conclude = concluding({ true: '{"a":[{"b":1}]}', v: { c: { d: [] } } })
  const { payload } = conclude(true, 'condition_match')
  const written = [conclude(true, 'condition_match'), payload, (payload as { a: object[] }).a]
  for (const each of [...written, (payload as { a: object[] }).a[0]]) expect(Object.isFrozen(each)).toBe(true)
  expect(Object.isFrozen((conclude('v', 'condition_match').payload as { c: { d: object } }).c.d)).toBe(true)
})

it('leaves payloads of the definitions to their owner', () => {
  const payloads = { true: { a: [1] } }
  const { payload, payloadText } = concluding(payloads)(true, 'condition_match')
  payloads.true.a.push(2)
  expect([payload, payloadText]).toEqual([{ a: [1] }, '{"a":[1]}'])
})

it('takes payloads of any depth', () => {
  const depth = 100_000
  const text = '['.repeat(depth) + ']'.repeat(depth)
  expect(concluding({ true: text })(true, 'condition_match').payloadText).toBe(text)
})

it('finds no payload under a name that every object inherits', () => {
  for (const variant of ['constructor', '__proto__'])
    expect(concluding({})(variant, 'condition_match').payload).toBe(undefined)
})
