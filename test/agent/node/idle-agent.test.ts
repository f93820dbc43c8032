import { expect, it } from 'vitest'
import { createIdleAgent } from '../../../src/agent/node/idle-agent.ts'
import { createRequestContexts } from '../../../src/platform/web/request-contexts.ts'

it('returns the results for an unknown user who has opted out', async () => {
  const agent = createIdleAgent(createRequestContexts())
  expect(agent.isOptedOut()).toBe(true)
  expect(agent.isLocalEvaluationReady()).toBe(false)
  expect(
    await Promise.all([
      agent.getFeatureFlag('a', 'u'),
      agent.isFeatureEnabled('a', 'u'),
      agent.isFeatureEnabled('a', 'u', { defaultValue: false }),
      agent.getFeatureFlagPayload('a', 'u'),
      agent.getFeatureFlagResult('a', 'u'),
      agent.getFeatureFlags('u'),
      agent.getFeatureFlagsAndPayloads('u'),
      agent.waitForLocalEvaluationReady(),
    ]),
  ).toEqual([undefined, undefined, false, undefined, undefined, {}, { flags: {}, payloads: {} }, false])
  const flags = await agent.evaluateFlags('u')
  expect([flags.keys, flags.getFlag('a'), flags.eventProperties()]).toEqual([[], undefined, {}])
})

it('runs the task of withContext() in its context', () => {
  const agent = createIdleAgent(createRequestContexts())
  expect(agent.withContext({ distinctId: 'ada' }, () => agent.getContext())).toEqual({ distinctId: 'ada' })
})

it('runs the task of withContext() without a context', () => {
  expect(createIdleAgent(createRequestContexts()).withContext(null as never, () => 'done')).toBe('done')
})

it('tells in getStatus() why it is idle', () => {
  expect(createIdleAgent(createRequestContexts(), 'disabled').getStatus()).toMatchObject({ stopReason: 'disabled' })
})
