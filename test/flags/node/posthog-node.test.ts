import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { FlagDefinition, FlagDefinitions, PropertyFilter } from '../../../src/wire/definition.ts'
import type { JsonObject } from '../../../src/wire/json.ts'
import { startPosthogNode } from '../../evaluate/posthog-node.ts'
import type { PosthogNode } from '../../evaluate/posthog-node.ts'
import { memoryDefinitions, nodeFlagsFixture } from './flags-fixture.ts'

const flag = (
  id: number,
  key: string,
  properties: readonly PropertyFilter[],
  changes: object = {},
): FlagDefinition => ({
  id,
  key,
  active: true,
  filters: {
    groups: [{ properties, rollout_percentage: 70 }],
    multivariate: {
      variants: [
        { key: 'control', rollout_percentage: 30.5 },
        { key: 'test', rollout_percentage: 69.5 },
      ],
    },
    payloads: { control: '{"n":[1]}', test: 'plain text' },
    ...changes,
  },
})

const definitions: FlagDefinitions = {
  flags: [
    flag(1, 'everybody', []),
    flag(2, 'pro', [{ key: 'plan', value: ['pro', 'team'], operator: 'exact' }]),
    flag(3, 'mail', [{ key: 'mail', value: '@shop.example', operator: 'icontains' }]),
    flag(4, 'recent', [{ key: 'joined', value: '-30d', operator: 'is_date_after' }]),
    flag(5, 'version', [{ key: 'app', value: '1.2.3', operator: 'semver_gte' }]),
    flag(6, 'cohort', [{ key: 'id', type: 'cohort', value: 1 }]),
    flag(7, 'team', [{ key: 'seats', type: 'group', value: 5, operator: 'gt' }], { aggregation_group_type_index: 0 }),
    { ...flag(8, 'device', []), bucketing_identifier: 'device_id' },
    { ...flag(9, 'kept', []), ensure_experience_continuity: true },
    { ...flag(10, 'off', []), active: false },
    flag(11, 'behind', [
      { key: 'pro', type: 'flag', value: true, operator: 'flag_evaluates_to', dependency_chain: ['pro'] },
    ]),
    flag(12, 'held', [], { holdout: { id: 3, exclusion_percentage: 20 } }),
  ],
  group_type_mapping: { 0: 'company' },
  cohorts: { 1: { type: 'AND', values: [{ key: 'age', type: 'person', value: 18, operator: 'gte' }] } },
}

/** Person properties, some of them missing. */
const personOf = (user: number): JsonObject => ({
  ...(user % 5 !== 0 && { plan: user % 2 ? 'pro' : 'free' }),
  ...(user % 7 !== 0 && { mail: user % 3 ? 'a@else.example' : 'A@SHOP.example' }),
  ...(user % 11 !== 0 && { joined: new Date(Date.now() - (user + 0.5) * 86_400_000).toISOString() }),
  ...(user % 13 !== 0 && { app: `1.${user % 4}.3` }),
  ...(user % 3 !== 0 && { age: 10 + (user % 20) }),
  ...(user % 4 !== 0 && { $device_id: `device-${user}` }),
})

let posthogNode: PosthogNode

beforeAll(async () => {
  // posthog-node warns about each definition that it cannot evaluate.
  vi.spyOn(console, 'warn').mockReturnValue()
  posthogNode = await startPosthogNode()
  await posthogNode.load(definitions)
})
afterAll(async () => {
  await posthogNode.stop()
  vi.restoreAllMocks()
})

it('evaluates like posthog-node, except group flags without their group', async () => {
  const fixture = nodeFlagsFixture({ strictLocalEvaluation: true }, memoryDefinitions(definitions))
  fixture.clock.set(Date.now())
  const valuesByFlag = new Map<string, Set<unknown>>()
  for (let user = 0; user < 200; user++) {
    const personProperties = personOf(user)
    const isInCompany = user % 6 !== 0
    const groups: Record<string, string> = isInCompany ? { company: `company-${user % 9}` } : {}
    const groupProperties: Record<string, JsonObject> = isInCompany ? { company: { seats: user % 12 } } : {}
    const subject = {
      distinctId: `user-${user}`,
      complete: false,
      now: Date.now(),
      personProperties,
      groups,
      groupProperties,
    }
    const options = { personProperties, groups, groupProperties }
    const snapshot = await fixture.verbs.evaluateFlags(subject.distinctId, options)
    for (const { key } of definitions.flags) {
      const theirResult = await posthogNode.evaluate(key, subject)
      const ourResult = await fixture.verbs.getFeatureFlagResult(key, subject.distinctId, options)
      const value = ourResult && (ourResult.variant ?? ourResult.enabled)
      expect({ user, key, value: snapshot.getFlag(key), payload: snapshot.getFlagPayload(key) }).toEqual({
        user,
        key,
        value,
        payload: ourResult?.payload,
      })
      if (key === 'team' && !isInCompany) expect([value, theirResult.value]).toEqual([undefined, false])
      else
        expect({ user, key, value, payload: ourResult?.payload ?? undefined }).toEqual({
          user,
          key,
          value: theirResult.value,
          payload: theirResult.payload ?? undefined,
        })
      valuesByFlag.set(key, (valuesByFlag.get(key) ?? new Set()).add(value))
    }
  }
  expect(fixture.requests).toHaveLength(0)
  // Each flag had all of its possible values: both variants, off, and undefined where a property may be missing.
  const counts = Object.fromEntries([...valuesByFlag].map(([key, values]) => [key, values.size]))
  expect(counts).toEqual({
    everybody: 3,
    pro: 4,
    mail: 4,
    recent: 4,
    version: 4,
    cohort: 4,
    team: 4,
    device: 4,
    kept: 1,
    off: 1,
    behind: 4,
    held: 4,
  })
})
