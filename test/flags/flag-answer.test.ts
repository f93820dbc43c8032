import { expect, it } from 'vitest'
import { readFlagAnswer } from '../../src/flags/flag-answer.ts'

it('reads values beside payloads, whichever endpoint gave them', () => {
  expect(
    readFlagAnswer('{"featureFlags":{"a":false,"b":"x"},"featureFlagPayloads":{"b":"1"},"requestId":"r"}'),
  ).toMatchObject({
    flags: { a: { enabled: false }, b: { enabled: true, variant: 'x', metadata: { payload: '1' } } },
    isPartial: false,
    requestId: 'r',
  })
})

it('reads records as they are', () => {
  const flags = { a: { enabled: true, variant: 'x', reason: { code: 'match' }, metadata: { id: 1, version: 2 } } }
  expect(readFlagAnswer(JSON.stringify({ flags }))).toMatchObject({ flags, errors: [] })
})

it('leaves out a record that failed and calls the answer partial', () => {
  expect(readFlagAnswer('{"flags":{"a":{"enabled":true},"b":{"enabled":false,"failed":true}}}')).toEqual({
    flags: { a: { enabled: true } },
    isPartial: true,
    errors: ['errors_while_computing_flags'],
    isMinimal: false,
    config: {},
  })
})

it('gives no flags when the quota is used up, and says so', () => {
  expect(readFlagAnswer('{"featureFlags":{},"quotaLimited":["feature_flags"]}')).toMatchObject({
    flags: undefined,
    errors: ['quota_limited'],
  })
})

it('keeps what else the answer says as the remote config', () => {
  expect(
    readFlagAnswer('{"featureFlags":{},"supportedCompression":["gzip"],"autocapture_opt_out":true}')?.config,
  ).toEqual({ supportedCompression: ['gzip'], autocapture_opt_out: true })
})

it.each(['', '{', 'null', '{"flags":{"a":null}}', '{"quotaLimited":3}'])('takes %s for no answer', (text) => {
  expect(readFlagAnswer(text)).toBeUndefined()
})
