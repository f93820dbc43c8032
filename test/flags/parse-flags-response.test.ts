import { expect, it } from 'vitest'
import { parseFlagsResponse } from '../../src/flags/parse-flags-response.ts'

const PARTIAL_ERROR = 'errors_while_computing_flags'

it('parses a /decide response: values and payloads', () => {
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

it('returns the flags of a /flags response unchanged', () => {
  const flags = { a: { enabled: true, variant: 'x', reason: { code: 'match' }, metadata: { id: 1, version: 2 } } }
  expect(parseFlagsResponse(JSON.stringify({ flags }), {})).toMatchObject({ changes: { flags }, errors: [] })
})

it('replaces the flags by a complete response and merges a partial one', () => {
  const snapshot = { flags: { a: { enabled: true }, b: { enabled: true } } }
  const flags = { a: { enabled: false } }
  expect(parseFlagsResponse(JSON.stringify({ flags }), snapshot)?.changes.flags).toEqual(flags)
  const partialResponse = parseFlagsResponse(JSON.stringify({ flags, errorsWhileComputingFlags: true }), snapshot)
  expect(partialResponse).toMatchObject({
    errors: [PARTIAL_ERROR],
    changes: { flags: { ...snapshot.flags, ...flags } },
  })
  expect(snapshot.flags.a).toEqual({ enabled: true })
})

it('leaves out a failed flag and treats the response as partial', () => {
  expect(parseFlagsResponse('{"flags":{"a":{"enabled":true},"b":{"enabled":false,"failed":true}}}', {})).toEqual({
    errors: [PARTIAL_ERROR],
    changes: { flags: { a: { enabled: true } }, isMinimal: false, config: {} },
  })
})

it('reports a used-up quota as an error and changes no flags', () => {
  const response = parseFlagsResponse('{"featureFlags":{},"quotaLimited":["feature_flags"],"requestId":"r"}', {})
  expect(response).toEqual({ errors: ['quota_limited'], changes: { config: {} } })
})

it('merges all other fields of the response into the remote config', () => {
  const body = '{"featureFlags":{},"supportedCompression":["gzip"],"autocapture_opt_out":true}'
  expect(
    parseFlagsResponse(body, { config: { autocapture_opt_out: false, hasFeatureFlags: true } })?.changes.config,
  ).toEqual({ supportedCompression: ['gzip'], autocapture_opt_out: true, hasFeatureFlags: true })
})

it.each(['', '{', 'null', '{"flags":{"a":null}}', '{"quotaLimited":3}'])(
  'returns undefined for the body %s',
  (body) => {
    expect(parseFlagsResponse(body, {})).toBeUndefined()
  },
)
