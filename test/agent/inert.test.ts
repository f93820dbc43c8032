import { expect, it } from 'vitest'
import { inertAgent } from '../../src/agent/inert.ts'
import { createAgentWorld } from '../support/agent-harness.ts'

it('has every verb of a real agent', () => {
  const { agent } = createAgentWorld().open()
  expect(Object.keys(inertAgent()).toSorted()).toEqual(Object.keys(agent).toSorted())
})

it('answers each call without an error, with nothing', async () => {
  const agent = inertAgent()
  agent.capture('event')
  agent.identify('user')
  agent.onFeatureFlags(() => {
    throw new Error('no flags are ever loaded')
  })()
  expect(agent.getFeatureFlag('flag')).toBeUndefined()
  expect(agent.isFeatureEnabled('flag')).toBeUndefined()
  expect(agent.isFeatureEnabled('flag', { defaultValue: true })).toBe(true)
  expect(agent.getDistinctId()).toBe('')
  expect(agent.isOptedOut()).toBe(true)
  await Promise.all([agent.flush(), agent.reloadFeatureFlags(), agent.shutdown()])
})
