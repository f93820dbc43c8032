import { describe, expect, it } from 'vitest'
import type { FlagReader } from '../../../src/flags/node/flag-verbs.ts'
import { flagCases, revived } from '../../support/flag-cases.ts'
import type { FlagCase } from '../../support/flag-cases.ts'
import { hasVectors } from '../../support/vectors.ts'
import { answered, memoryDefinitions, serverFixture } from './flags-fixture.ts'

/** The verbs of the other implementation, said with ours. */
const call = (verbs: FlagReader, { method, args }: FlagCase['call']): Promise<unknown> => {
  const [first, second, third, fourth] = revived(args) as [never, never, never, never]
  if (method === 'getAllFlags') return verbs.getFeatureFlags(first, second)
  if (method === 'getFeatureFlagPayload') return verbs.getFeatureFlagPayload(first, second, fourth)
  if (method === 'getFeatureFlagResult') return verbs.getFeatureFlagResult(first, second, third)
  if (method === 'isFeatureEnabled') return verbs.isFeatureEnabled(first, second, third)
  if (method === 'getFeatureFlag') return verbs.getFeatureFlag(first, second, third)
  throw new Error(`${method} is a verb of theirs that is not known here.`)
}

const play = async (row: FlagCase): Promise<{ readonly value: unknown; readonly remoteCalls: number }> => {
  const server = serverFixture(row.client_options, memoryDefinitions(row.definitions))
  const payloads = Object.entries(row.remote?.payloads ?? {}).map(([key, payload]) => [key, JSON.stringify(payload)])
  const values = row.remote?.featureFlags as Readonly<Record<string, boolean | string>> | undefined
  server.answer = () => [200, answered(values ?? {}, { payloads: Object.fromEntries(payloads) }).decide]
  const value = await call(server.verbs, row.call)
  return { value, remoteCalls: server.requests.length }
}

/** Where ours is another answer, and why. */
const OTHERWISE: Readonly<Record<string, readonly [value: unknown, remoteCalls: number, why: string]>> = {
  'case-022': [
    undefined,
    1,
    'a group flag without its group is open: nobody can see that an "off" was never asked for',
  ],
  'case-023': [undefined, 1, 'the same'],
  'case-088': ['server-fallback', 1, 'the same, where the conditions alone are for groups'],
  'case-045': [
    { 'beta-feature': true, 'beta-feature2': 'variant-2', 'disabled-feature': false },
    1,
    'what was evaluated here is never replaced by an answer of the service',
  ],
}

describe.skipIf(!hasVectors)('calls of other implementations', () => {
  const validated = flagCases().filter((row) => row.validated)

  it('are answered with the same value, and with as many requests, but where ours are better', async () => {
    expect(validated.length).toBeGreaterThan(100)
    const ours = await Promise.all(validated.map(async (row) => ({ id: row.id, ...(await play(row)) })))
    expect(ours).toEqual(
      validated.map(({ id, expected, remote_calls }) => {
        const [value, remoteCalls] = OTHERWISE[id] ?? [revived(expected), remote_calls]
        return { id, value, remoteCalls }
      }),
    )
  })
})
