import { describe, expect, it } from 'vitest'
import { createAgentHarness } from '../support/agent-harness.ts'

/** A flag response that asks for minimal `$feature_flag_called` events; one flag has an experiment. */
const MINIMAL_RESPONSE = {
  flags: {
    plain: { enabled: true, metadata: { id: 1, has_experiment: false } },
    tried: { enabled: true, metadata: { id: 2, has_experiment: true } },
  },
  minimalFlagCalledEvents: true,
}

describe('the flag verbs', () => {
  it('return bootstrapped values and call listeners before any request', () => {
    const harness = createAgentHarness()
    const { agent } = harness.open({
      bootstrap: { featureFlags: { beta: 'blue', off: false }, featureFlagPayloads: { beta: '[1]', off: '2' } },
    })
    const calls: unknown[] = []
    agent.onFeatureFlags((flags) => calls.push(flags))
    expect(calls).toEqual([{ beta: 'blue' }])
    expect(agent.getFeatureFlagResult('beta')).toEqual({ key: 'beta', enabled: true, variant: 'blue', payload: [1] })
    expect(agent.getFeatureFlagsAndPayloads()).toEqual({ flags: { beta: 'blue' }, payloads: { beta: [1] } })
    expect(harness.flagRequests).toEqual([])
  })

  it('call back after a reload when its response is applied', async () => {
    const harness = createAgentHarness()
    const { agent } = harness.open({ preloadFeatureFlags: false })
    harness.flags = { beta: true }
    const calls: unknown[] = []
    const reload = agent.reloadFeatureFlags((flags) => calls.push(flags))
    await harness.waitUntilIdle()
    await reload
    expect(calls).toEqual([{ beta: true }])
    expect(agent.getFeatureFlags()).toEqual({ beta: true })
  })

  it('send properties for flags with the next request, unless personProfiles is never', async () => {
    const harness = createAgentHarness()
    const page = harness.open({ preloadFeatureFlags: false })
    page.agent.setPersonPropertiesForFlags({ plan: 'pro' })
    page.agent.setGroupPropertiesForFlags({ company: { seats: 5 } })
    await harness.waitUntilIdle()
    expect(harness.flagRequests).toMatchObject([
      { person_properties: { plan: 'pro' }, group_properties: { company: { seats: 5 } } },
    ])
    const neverHarness = createAgentHarness()
    const neverPage = neverHarness.open({ preloadFeatureFlags: false, personProfiles: 'never' })
    neverPage.agent.setPersonPropertiesForFlags({ plan: 'pro' })
    neverPage.agent.resetPersonPropertiesForFlags()
    neverPage.agent.setGroupPropertiesForFlags({})
    neverPage.agent.resetGroupPropertiesForFlags()
    await neverHarness.waitUntilIdle()
    expect(neverHarness.flagRequests).toEqual([])
    expect(neverPage.warnings).toHaveLength(4)
  })

  it('warn about properties that cannot be serialised, and change nothing', async () => {
    const harness = createAgentHarness()
    const page = harness.open()
    const cyclic: Record<string, unknown> = {}
    cyclic['self'] = cyclic
    page.agent.setPersonPropertiesForFlags(cyclic)
    await harness.waitUntilIdle()
    expect(page.warnings).toHaveLength(1)
    expect(harness.flagRequests[0]).toHaveProperty('person_properties', {})
  })
})

describe('$feature_flag_called', () => {
  it('has few properties if the service requests that and the flag has no experiment', async () => {
    const harness = createAgentHarness()
    harness.extraFlagResponse = MINIMAL_RESPONSE
    const page = harness.open()
    page.agent.register({ plan: 'pro' })
    await harness.waitUntilIdle()
    page.agent.getFeatureFlag('plain')
    page.agent.getFeatureFlag('tried')
    const [plain, tried] = await harness.deliver(page)
    expect(plain).toMatchObject({ event: '$feature_flag_called', distinct_id: page.agent.getDistinctId() })
    expect(Object.keys(plain!.properties).sort()).toEqual([
      '$device_id',
      '$feature_flag',
      '$feature_flag_id',
      '$feature_flag_response',
      '$is_identified',
      '$lib',
      '$process_person_profile',
      '$session_id',
      '$window_id',
      'distinct_id',
    ])
    expect(tried!.properties).toMatchObject({
      plan: 'pro',
      '$feature/plain': true,
      '$feature/tried': true,
      $feature_flag: 'tried',
    })
  })

  it('is neither sent nor marked as sent when a hook drops it', async () => {
    const harness = createAgentHarness()
    harness.flags = { beta: true }
    let isDropping = true
    const page = harness.open({ before_send: (event) => (isDropping ? null : event) })
    await harness.waitUntilIdle()
    page.agent.getFeatureFlag('beta')
    isDropping = false
    page.agent.getFeatureFlag('beta')
    page.agent.getFeatureFlag('beta')
    expect((await harness.deliver(page)).map(({ event }) => event)).toEqual(['$feature_flag_called'])
  })
})

it('lets disableCompression take precedence over the service’s supportedCompression', async () => {
  const harness = createAgentHarness()
  harness.extraFlagResponse = { supportedCompression: ['gzip'] }
  const page = harness.open({ disableCompression: true })
  await harness.waitUntilIdle()
  page.agent.capture('event')
  await harness.deliver(page)
  expect(harness.service.requests[0]).toMatchObject({ body: expect.any(String), contentType: 'text/plain' })
})

it('captures no survey event while opted out', async () => {
  const harness = createAgentHarness()
  const reasons: string[] = []
  const page = harness.open({ onDrop: ({ event }, reason) => reasons.push(`${event}: ${reason}`) })
  page.agent.optOut()
  page.agent.surveyShown('s')
  page.agent.surveySent('s', 'Great')
  page.agent.surveyDismissed('s')
  expect(await harness.deliver(page)).toEqual([])
  expect(reasons).toEqual(['survey shown: opted_out', 'survey sent: opted_out', 'survey dismissed: opted_out'])
})
