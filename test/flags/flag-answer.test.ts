import { expect, it } from 'vitest'
import { readFlagAnswer } from '../../src/flags/flag-answer.ts'

it('reads the list of keys of the first generation', () => {
  expect(readFlagAnswer('{"featureFlags":["a","b"]}')).toMatchObject({ _flags: { a: true, b: true }, _partial: false })
})

it('reads values beside payloads, whichever endpoint gave them', () => {
  expect(
    readFlagAnswer('{"featureFlags":{"a":false,"b":"x"},"featureFlagPayloads":{"b":"1"},"requestId":"r"}'),
  ).toMatchObject({ _flags: { a: false, b: 'x' }, _payloads: { b: '1' }, _requestId: 'r' })
})

it('leaves out a record that failed and calls the answer partial', () => {
  expect(readFlagAnswer('{"flags":{"a":{"enabled":true},"b":{"enabled":false,"failed":true}}}')).toMatchObject({
    _flags: { a: true },
    _partial: true,
  })
})

it.each(['', '{', 'null', '{"featureFlags":{"a":null}}', '{"quotaLimited":3}'])('takes %s for no answer', (text) => {
  expect(readFlagAnswer(text)).toBeUndefined()
})
