import { expect, test } from 'vitest'
import { shareService } from '../support/shared-service.ts'
import { queryEvents, queryPerson, startAgent } from './node-agent.ts'

/** Flags through `waymark/node`: requested from the service and evaluated from its definitions. */

const service = shareService()

const addFlag = async (flag: object): Promise<void> => {
  const response = await fetch(`${service.url}/api/projects/1/feature_flags/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.personalApiKey}` },
    body: JSON.stringify(flag),
  })
  if (!response.ok) throw new Error(await response.text())
}
/** Conditions that match persons whose property `plan` is `pro`. */
const PRO_PLAN_FILTERS = {
  groups: [{ properties: [{ key: 'plan', value: 'pro', operator: 'exact', type: 'person' }] }],
}

test('remote evaluation: uses stored person properties and reports each value once', async () => {
  await addFlag({ key: 'remote', filters: { ...PRO_PLAN_FILTERS, payloads: { true: '{"hex":"#00f"}' } } })
  const { waymark } = startAgent(service)
  waymark.identify({ distinctId: 'ada', properties: { plan: 'pro' } })
  await waymark.flush()
  // The query waits until the service has indexed the event.
  await queryPerson(service, 'ada')
  expect(await waymark.getFeatureFlag('remote', 'ada')).toBe(true)
  expect(await waymark.isFeatureEnabled('remote', 'ada')).toBe(true)
  expect(await waymark.isFeatureEnabled('remote', 'grace')).toBe(false)
  expect(await waymark.isFeatureEnabled('unknown', 'grace', { defaultValue: true })).toBe(true)
  expect(await waymark.getFeatureFlag('remote', 'grace', { personProperties: { plan: 'pro' } })).toBe(true)
  expect(await waymark.getFeatureFlagPayload('remote', 'ada')).toEqual({ hex: '#00f' })
  await waymark.flush()
  const called = (await queryEvents(service, 'ada')).filter(({ event }) => event === '$feature_flag_called')
  expect(called.map(({ properties }) => properties)).toMatchObject([
    { $feature_flag: 'remote', $feature_flag_response: true, '$feature/remote': true, locally_evaluated: false },
  ])
})

test('local evaluation: sends no flag requests, and adds given flag values to events', async () => {
  await addFlag({ key: 'local', filters: PRO_PLAN_FILTERS })
  await addFlag({ key: 'everyone', filters: { groups: [{ rollout_percentage: 100 }] } })
  const paths: string[] = []
  const { waymark } = startAgent(service, {
    personalApiKey: service.personalApiKey,
    fetch: (url, init) => {
      paths.push(new URL(url as string).pathname)
      return fetch(url, init)
    },
  })
  expect(await waymark.waitForLocalEvaluationReady()).toBe(true)
  const flags = await waymark.evaluateFlags('lin', {
    personProperties: { plan: 'pro' },
    flagKeys: ['local', 'everyone'],
  })
  expect([flags.isEnabled('local'), flags.getFlag('everyone')]).toEqual([true, true])
  waymark.capture({ distinctId: 'lin', event: 'bought', flags: flags.only(['everyone']) })
  await waymark.flush()
  const events = await queryEvents(service, 'lin')
  expect(events.map(({ event }) => event)).toEqual(['$feature_flag_called', '$feature_flag_called', 'bought'])
  expect(events[0]!.properties).toMatchObject({ locally_evaluated: true })
  expect(events[2]!.properties).toMatchObject({ '$feature/everyone': true, $active_feature_flags: ['everyone'] })
  expect(paths).not.toContain('/decide/')
})

test('stream: evaluates a new flag soon after the service sends it', async () => {
  const { waymark } = startAgent(service, {
    personalApiKey: service.personalApiKey,
    flagUpdates: 'stream',
    featureFlagsPollingInterval: 600_000,
  })
  await waymark.waitForLocalEvaluationReady()
  await addFlag({ key: 'pushed', filters: { groups: [{}] } })
  const local = { onlyEvaluateLocally: true, sendFeatureFlagEvents: false }
  await expect.poll(() => waymark.getFeatureFlag('pushed', 'ada', local), { timeout: 20_000 }).toBe(true)
})
