import { describe, expect, it } from 'vitest'
import type { ExtendedWaymark } from '../../src/agent/extras/extra-options.ts'
import { createAgentHarness } from '../support/agent-harness.ts'
import { openExtended } from '../support/extended-page.ts'

/** Reads all that an agent can tell, by verb. Flags are read by the key `hero`. */
const readAll = (agent: ExtendedWaymark): Record<string, unknown> => {
  const verbs = Object.entries(agent) as [string, (key: string) => unknown][]
  // The answer to a request is a promise.
  const getters = verbs.filter(([name]) => /^(get|is)/.test(name) && name !== 'getRemoteConfigPayload')
  return Object.fromEntries(getters.map(([name, read]) => [name, read('hero')]))
}

/** The verbs that answer with an object. */
const OBJECT_GETTERS = [
  'getStatus',
  'getFeatureFlagPayload',
  'getFeatureFlagResult',
  'getFeatureFlags',
  'getFeatureFlagsAndPayloads',
  'getGroups',
]

describe('getters', () => {
  it('answer with the same object until its content changes', async () => {
    const harness = createAgentHarness()
    harness.flags = { hero: 'calm' }
    harness.extraFlagResponse = { featureFlagPayloads: { hero: '{"size":1}' } }
    const page = openExtended(harness)
    page.agent.group('company', 'acme')
    await harness.waitUntilIdle()
    // The first read of a flag is an event.
    readAll(page.agent)
    await harness.deliver(page)
    const first = readAll(page.agent)
    expect(Object.keys(first).filter((name) => typeof first[name] === 'object')).toEqual(OBJECT_GETTERS)
    await harness.clock.advance(1_000)
    const again = readAll(page.agent)
    for (const name in first) expect(again[name], name).toBe(first[name])

    harness.flags = { hero: 'bold' }
    harness.extraFlagResponse = { featureFlagPayloads: { hero: '{"size":2}' } }
    page.agent.group('company', 'other')
    await harness.deliver(page)
    const changed = readAll(page.agent)
    for (const name of OBJECT_GETTERS) expect(changed[name], name).not.toEqual(first[name])
    expect(changed.getFeatureFlagsAndPayloads).toEqual({ flags: { hero: 'bold' }, payloads: { hero: { size: 2 } } })
  })

  it('tell of each event that waits, and of a failed delivery, by a new status', async () => {
    const harness = createAgentHarness()
    const { agent } = harness.open({ preloadFeatureFlags: false })
    await harness.waitUntilIdle()
    const empty = agent.getStatus()
    expect(agent.getStatus()).toBe(empty)
    agent.capture('opened')
    const waiting = agent.getStatus()
    expect([empty.waitingEvents, waiting.waitingEvents]).toEqual([0, 1])
    expect(agent.getStatus()).toBe(waiting)
    harness.service.reply = () => ({ status: 503 })
    void agent.flush()
    await harness.waitUntilIdle()
    const failed = agent.getStatus()
    expect(failed).toMatchObject({ waitingEvents: 1, lastError: expect.stringContaining('503') })
    await harness.clock.advance(100)
    // The time of the next attempt stays the same while it comes nearer.
    expect(agent.getStatus()).toBe(failed)
  })
})
