import { expect, it } from 'vitest'
import { readFlagAnswer } from '../../src/flags/flag-answer.ts'

const PARTIAL = 'errors_while_computing_flags'

it('reads values beside payloads, whichever endpoint gave them', () => {
  expect(
    readFlagAnswer('{"featureFlags":{"a":false,"b":"x"},"featureFlagPayloads":{"b":"1"},"requestId":"r"}', {}),
  ).toMatchObject({
    errors: [],
    changes: {
      flags: { a: { enabled: false }, b: { enabled: true, variant: 'x', metadata: { payload: '1' } } },
      requestId: 'r',
    },
  })
})

it('reads records as they are', () => {
  const flags = { a: { enabled: true, variant: 'x', reason: { code: 'match' }, metadata: { id: 1, version: 2 } } }
  expect(readFlagAnswer(JSON.stringify({ flags }), {})).toMatchObject({ changes: { flags }, errors: [] })
})

it('replaces the known flags by a complete answer, and merges a partial one', () => {
  const known = { flags: { a: { enabled: true }, b: { enabled: true } } }
  const flags = { a: { enabled: false } }
  expect(readFlagAnswer(JSON.stringify({ flags }), known)?.changes.flags).toEqual(flags)
  const partial = readFlagAnswer(JSON.stringify({ flags, errorsWhileComputingFlags: true }), known)
  expect(partial).toMatchObject({ errors: [PARTIAL], changes: { flags: { ...known.flags, ...flags } } })
  expect(known.flags.a).toEqual({ enabled: true })
})

it('leaves out a record that failed and calls the answer partial', () => {
  expect(readFlagAnswer('{"flags":{"a":{"enabled":true},"b":{"enabled":false,"failed":true}}}', {})).toEqual({
    errors: [PARTIAL],
    changes: { flags: { a: { enabled: true } }, isMinimal: false, config: {} },
  })
})

it('gives no flags when the quota is used up, and says so', () => {
  const answer = readFlagAnswer('{"featureFlags":{},"quotaLimited":["feature_flags"],"requestId":"r"}', {})
  expect(answer).toEqual({ errors: ['quota_limited'], changes: { config: {} } })
})

it('adds what else the answer says to the remote config', () => {
  const text = '{"featureFlags":{},"supportedCompression":["gzip"],"autocapture_opt_out":true}'
  expect(
    readFlagAnswer(text, { config: { autocapture_opt_out: false, hasFeatureFlags: true } })?.changes.config,
  ).toEqual({ supportedCompression: ['gzip'], autocapture_opt_out: true, hasFeatureFlags: true })
})

it.each(['', '{', 'null', '{"flags":{"a":null}}', '{"quotaLimited":3}'])('takes %s for no answer', (text) => {
  expect(readFlagAnswer(text, {})).toBeUndefined()
})
