import { PostHog } from 'posthog-node'
import { expect, onTestFinished, test } from 'vitest'
import { setFlags } from '../../../../src/service/flags/definitions/change-flags.ts'
import type { JsonObject } from '../../../../src/wire/json.ts'
import { until } from '../../../support/until.ts'
import { openApp } from '../../support/app.ts'

/** Shortest polling interval of posthog-node, in milliseconds. */
const POLL_MS = 100

const definitions: JsonObject = {
  flags: [
    { key: 'on', name: 'Everyone', filters: { groups: [{}], payloads: { true: '{"x":1}' } } },
    { key: 'pro', filters: { groups: [{ properties: [{ key: 'plan', value: ['pro'], operator: 'exact' }] }] } },
    {
      key: 'colour',
      has_experiment: true,
      filters: {
        groups: [{ rollout_percentage: 80 }],
        multivariate: {
          variants: [
            { key: 'red', rollout_percentage: 30 },
            { key: 'green', rollout_percentage: 70 },
          ],
        },
      },
    },
    { key: 'company', filters: { groups: [{ rollout_percentage: 50 }], aggregation_group_type_index: 0 } },
    { key: 'kept', ensure_experience_continuity: true, filters: { groups: [{ rollout_percentage: 50 }] } },
    { key: 'off', active: false, filters: { groups: [{}] } },
  ],
  group_type_mapping: { 0: 'company' },
}

/** The real client on the real routes, with a record of its requests. */
const openClient = async (personalApiKey?: string) => {
  const bed = await openApp({ now: Date.now })
  await setFlags(bed.metadata, bed.project.id, definitions, 1)
  const url = await bed.app.listen({ host: '127.0.0.1', port: 0 })
  const captured: object[] = []
  const requests: { readonly path: string; readonly status: number }[] = []
  const client = new PostHog(bed.project.apiKey, {
    host: url,
    personalApiKey: personalApiKey ?? bed.personalApiKey,
    enableLocalEvaluation: personalApiKey === undefined,
    featureFlagsPollingInterval: POLL_MS,
    before_send: (event) => {
      captured.push(event?.properties ?? {})
      return event
    },
    fetch: async (address, options) => {
      const response = await fetch(address, options)
      requests.push({ path: address.slice(url.length).replace(bed.project.apiKey, 'KEY'), status: response.status })
      return response
    },
  })
  onTestFinished(() => client.shutdown())
  const statuses = (path: string): number[] =>
    requests.filter((each) => each.path.startsWith(path)).map(({ status }) => status)
  return { ...bed, client, captured, requests, statuses }
}

const LOCAL = { onlyEvaluateLocally: true, sendFeatureFlagEvents: false }

test('posthog-node evaluates flags from the feed, accepts 304 and receives changes', async () => {
  const { client, requests, statuses, metadata, project } = await openClient()
  expect(await client.waitForLocalEvaluationReady(5000)).toBe(true)
  const flagsOf = (id: string) =>
    client.getAllFlags(id, { ...LOCAL, personProperties: { plan: 'pro' }, groups: { company: 'acme' } })
  expect(await flagsOf('user-1')).toMatchObject({ on: true, pro: true, off: false })
  expect(await client.getFeatureFlagPayload('on', 'user-1', undefined, LOCAL)).toEqual({ x: 1 })

  const feed = '/flags/definitions?token=KEY&send_cohorts'
  await until(
    () => statuses(feed),
    (seen) => seen.length >= 3,
  )
  expect(statuses(feed).slice(0, 3)).toEqual([200, 304, 304])

  await setFlags(metadata, project.id, { key: 'new', filters: { groups: [{}] } }, 2)
  await until(
    () => flagsOf('user-1'),
    (flags) => flags['new'] === true,
  )
  expect(new Set(requests.map(({ path }) => path))).toEqual(new Set([feed]))
})

test('posthog-node computes the same flag values as the service', async () => {
  const local = await openClient()
  const remote = await openClient('none')
  await local.client.waitForLocalEvaluationReady(5000)
  const flagKeys = ['on', 'pro', 'colour', 'company', 'off']
  for (let user = 0; user < 40; user++) {
    const options = {
      flagKeys,
      personProperties: { plan: user % 2 === 0 ? 'pro' : 'free' },
      groups: { company: `acme-${user}` },
    }
    const here = await local.client.getAllFlags(`user-${user}`, { ...LOCAL, ...options })
    expect(Object.keys(here).sort()).toEqual([...flagKeys].sort())
    expect(await remote.client.getAllFlags(`user-${user}`, options)).toEqual(here)
  }
  expect(local.statuses('/flags/?v=2')).toEqual([])
  expect(new Set(remote.statuses('/flags/?v=2'))).toEqual(new Set([200]))
  expect(remote.requests).toHaveLength(40)
})

test('posthog-node requests inconclusive flags and reports their metadata', async () => {
  const { client, statuses, captured } = await openClient()
  await client.waitForLocalEvaluationReady(5000)
  const kept = await client.getFeatureFlag('kept', 'user-1')
  expect(kept).toBeTypeOf('boolean')
  expect(statuses('/flags/?v=2')).toEqual([200])
  await until(
    () => captured,
    (events) => events.length > 0,
  )
  expect(captured).toEqual([
    expect.objectContaining({
      $feature_flag: 'kept',
      $feature_flag_response: kept,
      $feature_flag_id: 5,
      $feature_flag_version: 1,
      $feature_flag_reason: expect.stringMatching(/^(Matched condition set 1|Outside of the rollout percentage)$/),
      $feature_flag_request_id: expect.stringMatching(/^[\da-f-]{36}$/),
      $feature_flag_evaluated_at: expect.any(Number),
      locally_evaluated: false,
    }),
  ])
  const snapshot = await client.evaluateFlags('user-1', { flagKeys: ['kept', 'on'] })
  expect(snapshot.getFlagPayload('on')).toEqual({ x: 1 })
  expect(snapshot.isEnabled('kept')).toBe(kept)
})
