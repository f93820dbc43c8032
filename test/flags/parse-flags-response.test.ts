import { expect, it } from 'vitest'
import { parseFlagsResponse } from '../../src/flags/parse-flags-response.ts'

const PARTIAL = 'errors_while_computing_flags'

it('parses values and payloads of either endpoint', () => {
  expect(
    parseFlagsResponse('{"featureFlags":{"a":false,"b":"x"},"featureFlagPayloads":{"b":"1"},"requestId":"r"}', {}),
  ).toMatchObject({
    errors: [],
    changes: {
      flags: { a: { enabled: false }, b: { enabled: true, variant: 'x', metadata: { payload: '1' } } },
      requestId: 'r',
    },
  })
})

it('keeps flag details unchanged', () => {
  const flags = { a: { enabled: true, variant: 'x', reason: { code: 'match' }, metadata: { id: 1, version: 2 } } }
  expect(parseFlagsResponse(JSON.stringify({ flags }), {})).toMatchObject({ changes: { flags }, errors: [] })
})

it('replaces the flags by a complete response and merges a partial one', () => {
  const snapshot = { flags: { a: { enabled: true }, b: { enabled: true } } }
  const flags = { a: { enabled: false } }
  expect(parseFlagsResponse(JSON.stringify({ flags }), snapshot)?.changes.flags).toEqual(flags)
  const partial = parseFlagsResponse(JSON.stringify({ flags, errorsWhileComputingFlags: true }), snapshot)
  expect(partial).toMatchObject({ errors: [PARTIAL], changes: { flags: { ...snapshot.flags, ...flags } } })
  expect(snapshot.flags.a).toEqual({ enabled: true })
})

it('leaves out a failed flag and treats the response as partial', () => {
  expect(parseFlagsResponse('{"flags":{"a":{"enabled":true},"b":{"enabled":false,"failed":true}}}', {})).toEqual({
    errors: [PARTIAL],
    changes: { flags: { a: { enabled: true } }, isMinimal: false, config: {} },
  })
})

it('changes no flags when the quota is used up and reports it', () => {
  const response = parseFlagsResponse('{"featureFlags":{},"quotaLimited":["feature_flags"],"requestId":"r"}', {})
  expect(response).toEqual({ errors: ['quota_limited'], changes: { config: {} } })
})

it('merges other fields into the remote config', () => {
  const body = '{"featureFlags":{},"supportedCompression":["gzip"],"autocapture_opt_out":true}'
  expect(
    parseFlagsResponse(body, { config: { autocapture_opt_out: false, hasFeatureFlags: true } })?.changes.config,
  ).toEqual({ supportedCompression: ['gzip'], autocapture_opt_out: true, hasFeatureFlags: true })
})

it.each(['', '{', 'null', '{"flags":{"a":null}}', '{"quotaLimited":3}'])('rejects %s', (body) => {
  expect(parseFlagsResponse(body, {})).toBeUndefined()
})
