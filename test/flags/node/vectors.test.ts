import { describe, expect, it } from 'vitest'
import type { FlagReader } from '../../../src/flags/node/flag-reader.ts'
import { readFlagCases, reviveUndefined } from '../../support/flag-cases.ts'
import type { FlagCase } from '../../support/flag-cases.ts'
import { hasVectors } from '../../support/vectors.ts'
import { flagResponses, memoryDefinitions, nodeFlagsFixture } from './flags-fixture.ts'

/** Calls our method for a method of the other implementation. */
const call = (verbs: FlagReader, { method, args }: FlagCase['call']): Promise<unknown> => {
  const [first, second, third, fourth] = reviveUndefined(args) as [never, never, never, never]
  if (method === 'getAllFlags') return verbs.getFeatureFlags(first, second)
  if (method === 'getFeatureFlagPayload') return verbs.getFeatureFlagPayload(first, second, fourth)
  if (method === 'getFeatureFlagResult') return verbs.getFeatureFlagResult(first, second, third)
  if (method === 'isFeatureEnabled') return verbs.isFeatureEnabled(first, second, third)
  if (method === 'getFeatureFlag') return verbs.getFeatureFlag(first, second, third)
  throw new Error(`${method} has no counterpart here.`)
}

const run = async (row: FlagCase): Promise<{ readonly value: unknown; readonly remoteCalls: number }> => {
  const fixture = nodeFlagsFixture(row.client_options, memoryDefinitions(row.definitions))
  const payloads = Object.entries(row.remote?.payloads ?? {}).map(([key, payload]) => [key, JSON.stringify(payload)])
  const values = row.remote?.featureFlags as Readonly<Record<string, boolean | string>> | undefined
  fixture.respond = () => [200, flagResponses(values ?? {}, { payloads: Object.fromEntries(payloads) }).decide]
  const value = await call(fixture.verbs, row.call)
  return { value, remoteCalls: fixture.requests.length }
}

/** Cases where our result differs, with the reason. */
const EXCEPTIONS: Readonly<Record<string, readonly [value: unknown, remoteCalls: number, reason: string]>> = {
  'case-022': [undefined, 1, 'a group flag without its group is inconclusive: "off" would hide the missing group'],
  'case-023': [undefined, 1, 'the same'],
  'case-088': ['server-fallback', 1, 'the same, for a flag with only a group condition'],
  'case-045': [
    { 'beta-feature': true, 'beta-feature2': 'variant-2', 'disabled-feature': false },
    1,
    'a response never replaces a local value',
  ],
}

describe.skipIf(!hasVectors)('recorded calls of other SDKs', () => {
  const validated = readFlagCases().filter((row) => row.validated)

  it('give the same value and number of requests, except for the listed cases', async () => {
    expect(validated.length).toBeGreaterThan(100)
    const ours = await Promise.all(validated.map(async (row) => ({ id: row.id, ...(await run(row)) })))
    expect(ours).toEqual(
      validated.map(({ id, expected, remote_calls }) => {
        const [value, remoteCalls] = EXCEPTIONS[id] ?? [reviveUndefined(expected), remote_calls]
        return { id, value, remoteCalls }
      }),
    )
  })
})
