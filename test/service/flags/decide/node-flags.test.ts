import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createDefinitionsLoader } from '../../../../src/flags/node/definitions/create-definitions-loader.ts'
import type { FlagOptions } from '../../../../src/flags/node/flag-reader.ts'
import type { NodeFlagsOptions } from '../../../../src/flags/node/node-flags-options.ts'
import type { FlagEvent } from '../../../../src/flags/node/node-flags-ports.ts'
import { createNodeFlags } from '../../../../src/flags/node/node-flags.ts'
import type { NodeFlags } from '../../../../src/flags/node/node-flags.ts'
import { createClock } from '../../../../src/platform/web/clock.ts'
import { createFetchSend } from '../../../../src/platform/web/fetch-send.ts'
import { readBody } from '../../../../src/platform/web/read-body.ts'
import { shareService } from '../../support/shared-service.ts'

const service = shareService()

const person = (key: string, value: unknown, operator = 'exact'): object => ({ key, type: 'person', value, operator })

const DEFINITIONS = {
  flags: [
    { key: 'on', has_experiment: false, filters: { groups: [{}], payloads: { true: '{"max":3}' } } },
    { key: 'off', active: false, filters: { groups: [{}] } },
    { key: 'pro', filters: { groups: [{ properties: [person('plan', ['pro'])] }] } },
    {
      key: 'colour',
      has_experiment: true,
      filters: {
        groups: [
          { properties: [person('mail', '@shop.example', 'icontains')], variant: 'green' },
          { rollout_percentage: 62.5 },
        ],
        multivariate: {
          variants: [
            { key: 'red', rollout_percentage: 33.4 },
            { key: 'green', rollout_percentage: 66.6 },
          ],
        },
        payloads: { red: '["#f00"]', green: 'plain text' },
      },
    },
    { key: 'team', filters: { aggregation_group_type_index: 0, groups: [{ rollout_percentage: 50 }] } },
    { key: 'device', bucketing_identifier: 'device_id', filters: { groups: [{ rollout_percentage: 50 }] } },
    { key: 'elders', filters: { groups: [{ properties: [{ key: 'id', type: 'cohort', value: 1 }] }] } },
    {
      key: 'behind',
      filters: { groups: [{ properties: [{ key: 'pro', type: 'flag', value: true, operator: 'flag_evaluates_to' }] }] },
    },
    { key: 'held', filters: { groups: [{}], holdout: { id: 4, exclusion_percentage: 40 } } },
    { key: 'kept', ensure_experience_continuity: true, filters: { groups: [{ rollout_percentage: 50 }] } },
    { key: 'page', evaluation_runtime: 'client', filters: { groups: [{}] } },
    { key: 'shop', evaluation_contexts: ['shop'], filters: { groups: [{}] } },
    { key: 'docs', evaluation_contexts: ['docs'], filters: { groups: [{}] } },
  ],
  group_type_mapping: { 0: 'company' },
  cohorts: { 1: { type: 'AND', values: [person('age', 65, 'gte')] } },
  minimal_flag_called_events: true,
}
/** A flag that only the service can evaluate, for any person. */
const CONTINUOUS_FLAG = 'kept'

beforeAll(async () => {
  const file = join(service.folder, 'flags.json')
  writeFileSync(file, JSON.stringify(DEFINITIONS))
  await service.runCommand('flag', 'set', file)
})

interface Agent extends Pick<NodeFlags, 'verbs'> {
  /** Bodies of the requests for flags and paths of all other requests. */
  readonly requests: (Record<string, unknown> | string)[]
  readonly events: FlagEvent[]
}

/** Flags of a Node agent. With a personal API key it evaluates locally and requests only what remains. */
const openFlags = (personalApiKey?: string, options: Partial<NodeFlagsOptions> = {}): Agent => {
  const requests: Agent['requests'] = []
  const events: FlagEvent[] = []
  const clock = createClock()
  const target = { host: service.url, apiKey: service.apiKey }
  const logger = { debug: () => {}, warn: (...message: unknown[]) => void events.push(message as never) }
  const send = createFetchSend({
    clock,
    readBody,
    fetch(url, init) {
      const path = (url as string).slice(service.url.length)
      requests.push(typeof init?.body === 'string' ? { path, ...JSON.parse(init.body) } : path)
      return fetch(url, init)
    },
  })
  const definitions =
    personalApiKey === undefined
      ? undefined
      : createDefinitionsLoader({ ...target, personalApiKey, requestTimeout: 10_000 }, { clock, send, logger })
  const flags = createNodeFlags(
    {
      ...target,
      featureFlagsRequestTimeoutMs: 10_000,
      featureFlagsRequestMaxRetries: 1,
      disableGeoip: false,
      strictLocalEvaluation: false,
      maxFlagCalledEntries: 50_000,
      ...options,
    },
    {
      clock,
      send,
      logger,
      keepAlive: () => () => {},
      contexts: { current: () => undefined },
      isOptedOut: () => false,
      definitions,
      capture: (event) => events.push(event) > 0,
    },
  )
  onTestFinished(() => flags.shutdown())
  return { verbs: flags.verbs, requests, events }
}

/** All properties and groups that the flags use, so that local evaluation is conclusive. */
const optionsFor = (user: number): FlagOptions => ({
  groups: { company: user % 7 },
  personProperties: {
    $device_id: user,
    plan: user % 2 ? 'pro' : 'free',
    mail: user % 3 ? 'a@else.example' : 'a@Shop.example',
    age: 60 + (user % 11),
  },
})

describe.each(['decide', 'flags'] as const)('flags of the service through /%s', (flagsApi) => {
  test('equal those of local evaluation for each user', async () => {
    const local = openFlags(service.personalApiKey, { flagsApi, evaluationContexts: ['shop'] })
    const remote = openFlags(undefined, { flagsApi, evaluationContexts: ['shop'] })
    const flagKeys = DEFINITIONS.flags.map(({ key }) => key).filter((key) => key !== CONTINUOUS_FLAG)
    const seen = new Set<unknown>()
    for (let user = 0; user < 60; user++) {
      const options = { ...optionsFor(user), flagKeys }
      const here = await local.verbs.getFeatureFlagsAndPayloads(`user-${user}`, options)
      expect(await remote.verbs.getFeatureFlagsAndPayloads(`user-${user}`, options)).toEqual(here)
      expect(Object.keys(here.flags)).not.toContain('page')
      expect(Object.keys(here.flags)).not.toContain('docs')
      for (const [key, value] of Object.entries(here.flags)) seen.add(`${key} ${value}`)
    }
    expect(seen).toContain('shop true')
    expect(seen).toContain('held holdout-4')
    // All values of each flag that has two or three.
    for (const key of ['pro', 'team', 'device', 'elders', 'behind'])
      expect([...seen]).toEqual(expect.arrayContaining([`${key} true`, `${key} false`]))
    expect([...seen]).toEqual(expect.arrayContaining(['colour red', 'colour green', 'colour false']))
    expect(local.requests).toEqual([expect.stringMatching(/^\/flags\/definitions\?token=.+&send_cohorts$/)])
    expect(remote.requests).toHaveLength(60)
  })

  test('equal those of local evaluation for ids that are not stored as they are', async () => {
    const local = openFlags(service.personalApiKey, { flagsApi })
    const remote = openFlags(undefined, { flagsApi })
    for (let user = 0; user < 20; user++)
      for (const company of [`\0${user}`, user, '', ' ', '\0']) {
        const options = {
          groups: { company },
          personProperties: { $device_id: `${user}\0` },
          flagKeys: ['colour', 'device', 'held', 'team'],
        }
        const here = await local.verbs.getFeatureFlagsAndPayloads(`user\0-${user}`, options)
        expect(Object.keys(here.flags)).toHaveLength(4)
        expect(await remote.verbs.getFeatureFlagsAndPayloads(`user\0-${user}`, options)).toEqual(here)
      }
  })

  test('are requested only if inconclusive locally, with their own metadata', async () => {
    const local = openFlags(service.personalApiKey, { flagsApi })
    const flags = await local.verbs.evaluateFlags('user-1', optionsFor(1))
    expect(flags.keys).toContain(CONTINUOUS_FLAG)
    expect(local.requests.slice(1)).toMatchObject([
      { path: flagsApi === 'decide' ? '/decide/?v=3' : '/flags/?v=2', flag_keys_to_evaluate: [CONTINUOUS_FLAG] },
    ])
    flags.getFlag('on')
    flags.getFlag(CONTINUOUS_FLAG)
    const [here, there] = local.events.map(({ properties }) => properties)
    expect(here).toMatchObject({ locally_evaluated: true, $feature_flag_payload: { max: 3 } })
    expect(here?.['$feature_flag_request_id']).toBeUndefined()
    expect(there).toMatchObject({ locally_evaluated: false, $feature_flag_request_id: expect.any(String) })
  })

  test('are requested for a group flag without its group', async () => {
    const local = openFlags(service.personalApiKey, { flagsApi })
    expect(await local.verbs.getFeatureFlag('team', 'user-1', { onlyEvaluateLocally: true })).toBeUndefined()
    expect(await local.verbs.getFeatureFlag('team', 'user-1')).toBe(false)
    expect(local.requests.slice(1)).toMatchObject([{ flag_keys_to_evaluate: ['team'], groups: {} }])
  })
})

test('flags are undefined with a wrong key, and a warning is logged', async () => {
  const server = openFlags(undefined, { apiKey: 'wrong' })
  expect(await server.verbs.getFeatureFlag('on', 'user-1', { sendFeatureFlagEvents: false })).toBeUndefined()
  expect(server.events).toEqual([['the request for feature flags failed: api_error_401']])
})
