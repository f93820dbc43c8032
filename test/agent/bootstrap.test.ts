import { describe, expect, it } from 'vitest'
import { createAgentHarness } from '../support/agent-harness.ts'
import type { AgentPage, AgentHarness } from '../support/agent-harness.ts'

const NOW_MS = Date.UTC(2026, 0, 1)
/** A version 7 uuid of the time at which the test clock starts. */
const SESSION = '019b76da-a800-7000-8000-000000000000'

const summariseEvents = async (harness: AgentHarness, page: AgentPage) =>
  (await harness.deliver(page)).map(({ event, distinct_id, properties }) => [
    event,
    distinct_id,
    properties.$anon_distinct_id,
  ])

describe('a bootstrapped anonymous id', () => {
  const bootstrap = { distinctId: 'chosen' }

  it('becomes the id of a new user; the device has its own id', async () => {
    const harness = createAgentHarness()
    const { agent } = harness.open({ bootstrap })
    expect([agent.getDistinctId(), agent.getAnonymousId()]).toEqual(['chosen', 'chosen'])
    expect(agent.getDeviceId()).toMatch(/^[\da-f]{8}-[\da-f]{4}-7/)
    await harness.waitUntilIdle()
    expect(harness.flagRequests).toMatchObject([{ distinct_id: 'chosen' }])
    agent.capture('event')
    expect(harness.open().agent.getDistinctId()).toBe('chosen')
  })

  it('does not replace a stored user', () => {
    const harness = createAgentHarness()
    const first = harness.open().agent
    first.capture('event')
    expect(harness.open({ bootstrap }).agent.getDistinctId()).toBe(first.getDistinctId())
  })
})

describe('a bootstrapped identified id', () => {
  const bootstrap = { distinctId: 'user', isIdentifiedId: true }

  it('identifies neither new nor stored users with personProfiles: never', async () => {
    const harness = createAgentHarness()
    const page = harness.open({ bootstrap, personProfiles: 'never' })
    const id = page.agent.getDistinctId()
    expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7/)
    expect(page.warnings).toHaveLength(1)
    page.agent.capture('event')
    expect((await harness.deliver(page))[0]!.properties.$is_identified).toBe(false)
    expect(harness.open({ bootstrap, personProfiles: 'never' }).agent.getDistinctId()).toBe(id)
    page.agent.reset({ bootstrap })
    expect(page.agent.getDistinctId()).toMatch(/^[\da-f]{8}-[\da-f]{4}-7/)
  })

  it('identifies a new user without an event; the device has its own id', async () => {
    const harness = createAgentHarness()
    const page = harness.open({ bootstrap })
    expect(page.agent.getDistinctId()).toBe('user')
    expect(page.agent.getAnonymousId()).not.toBe('user')
    expect(page.agent.getDeviceId()).not.toBe('user')
    page.agent.capture('event')
    const [event] = await harness.deliver(page)
    expect(event).toMatchObject({
      event: 'event',
      properties: { $is_identified: true, $process_person_profile: true, $device_id: page.agent.getDeviceId() },
    })
  })

  it('is merged with a stored anonymous user by $identify', async () => {
    const harness = createAgentHarness()
    const first = harness.open()
    first.agent.capture('before')
    await harness.deliver(first)
    const anonymousId = first.agent.getDistinctId()
    const page = harness.open({ bootstrap })
    expect([page.agent.getDistinctId(), page.agent.getAnonymousId()]).toEqual(['user', anonymousId])
    expect(await summariseEvents(harness, page)).toEqual([['$identify', 'user', anonymousId]])
    expect(await summariseEvents(harness, harness.open({ bootstrap }))).toEqual([])
  })

  it('is merged with an anonymous user that only the event store has', async () => {
    const harness = createAgentHarness()
    const first = harness.open()
    first.agent.capture('before')
    await harness.deliver(first)
    const anonymousId = first.agent.getDistinctId()
    harness.loseStorage()
    const page = harness.open({ bootstrap })
    page.agent.capture('early')
    expect(await summariseEvents(harness, page)).toEqual([
      ['early', anonymousId, undefined],
      ['$identify', 'user', anonymousId],
    ])
  })

  it('is not applied again after a reset before the store was open', async () => {
    const harness = createAgentHarness()
    const first = harness.open()
    first.agent.capture('before')
    await harness.deliver(first)
    harness.loseStorage()
    const page = harness.open({ bootstrap })
    page.agent.reset()
    const id = page.agent.getDistinctId()
    expect(id).not.toBe('user')
    expect(await summariseEvents(harness, page)).toEqual([])
    expect(page.agent.getDistinctId()).toBe(id)
  })

  it('is applied and stored while opted out, without an event', async () => {
    const harness = createAgentHarness()
    const first = harness.open()
    first.agent.optOut()
    const page = harness.open({ bootstrap })
    expect(page.agent.getDistinctId()).toBe('user')
    expect(await summariseEvents(harness, page)).toEqual([])
    expect(harness.open().agent.getDistinctId()).toBe('user')
    expect(harness.open().agent.isOptedOut()).toBe(true)
  })

  it('does not replace another identified user, and warns', async () => {
    const harness = createAgentHarness()
    harness.open().agent.identify('other')
    const page = harness.open({ bootstrap })
    expect(page.agent.getDistinctId()).toBe('other')
    expect(page.warnings).toHaveLength(1)
    await harness.waitUntilIdle()
    expect(harness.flagRequests.at(-1)).toMatchObject({ distinct_id: 'other' })
  })

  it('that equals the stored anonymous id identifies the user without $identify', async () => {
    const harness = createAgentHarness()
    harness.open({ bootstrap: { distinctId: 'user' } }).agent.capture('before')
    const page = harness.open({ bootstrap })
    const names = (await harness.deliver(page)).map(({ event }) => event)
    expect(names).not.toContain('$identify')
    page.agent.capture('after')
    expect((await harness.deliver(page)).at(-1)!.properties.$is_identified).toBe(true)
  })

  it.each([undefined, '', ' ', Number.NaN])('of %j changes nothing', async (distinctId) => {
    const harness = createAgentHarness()
    const page = harness.open({ bootstrap: { distinctId: distinctId as string, isIdentifiedId: true } })
    page.agent.capture('event')
    expect((await harness.deliver(page))[0]!.properties.$is_identified).toBe(false)
  })
})

describe('a bootstrapped session', () => {
  it('continues, with the start time from its id', async () => {
    const harness = createAgentHarness()
    harness.clock.set(NOW_MS + 60_000)
    const page = harness.open({ bootstrap: { sessionID: SESSION } })
    page.agent.capture('event')
    expect((await harness.deliver(page))[0]!.properties.$session_id).toBe(SESSION)
    expect(harness.open().agent.getSessionId()).toBe(SESSION)
    for (let minutes = 1; minutes < 24 * 60; minutes += 25) {
      harness.clock.set(NOW_MS + minutes * 60_000)
      page.agent.capture('active')
      expect(page.agent.getSessionId()).toBe(SESSION)
    }
    harness.clock.set(NOW_MS + 24 * 3_600_000)
    expect(page.agent.getSessionId()).not.toBe(SESSION)
  })

  it('has its first page as entry, also on later pages', async () => {
    const harness = createAgentHarness()
    const options = { bootstrap: { sessionID: SESSION } }
    const page = harness.open(options)
    page.agent.capture('one')
    const firstEvents = await harness.deliver(page)
    const nextPage = harness.open(options, { isStarted: false })
    nextPage.pathname = '/paid'
    nextPage.agent.capture('two')
    const allEvents = [...firstEvents, ...(await harness.deliver(nextPage))]
    expect(allEvents.map(({ properties }) => [properties.$session_id, properties.$session_entry_pathname])).toEqual([
      [SESSION, '/home'],
      [SESSION, '/home'],
    ])
  })

  it.each([
    ['in the future', SESSION, NOW_MS - 1],
    ['not version 7', SESSION.replace('-7', '-4'), NOW_MS],
    ['not a uuid', 'session', NOW_MS],
    ['not a string', 7 as never, NOW_MS],
  ])('is refused with a warning if its id is %s', (_description, sessionID, nowMs) => {
    const harness = createAgentHarness()
    harness.clock.set(nowMs)
    const page = harness.open({ bootstrap: { sessionID } })
    expect(page.agent.getSessionId()).not.toBe(sessionID)
    expect(page.warnings).toHaveLength(1)
  })
})

describe('bootstrap data', () => {
  it.each([
    null,
    { distinctId: null, isIdentifiedId: true, sessionID: null },
    { featureFlags: null, featureFlagPayloads: null },
    { featureFlags: { beta: true }, featureFlagPayloads: null },
  ])('may be null: %j', async (bootstrap) => {
    const harness = createAgentHarness()
    const page = harness.open({ bootstrap: bootstrap as never })
    page.agent.capture('before')
    page.agent.reset({ bootstrap: bootstrap as never })
    page.agent.capture('after')
    const [firstEvent, secondEvent] = await harness.deliver(page)
    expect([firstEvent!.event, secondEvent!.event]).toEqual(['before', 'after'])
    expect(secondEvent!.distinct_id).not.toBe(firstEvent!.distinct_id)
    expect(page.warnings).toEqual([])
  })
})

describe('reset({ bootstrap })', () => {
  it('applies user, session and flags after the reset, without earlier data', async () => {
    const harness = createAgentHarness()
    harness.clock.set(NOW_MS + 60_000)
    const firstBootstrap = { distinctId: 'one', isIdentifiedId: true, featureFlags: { old: true } }
    const page = harness.open({ bootstrap: firstBootstrap, preloadFeatureFlags: false })
    const deviceId = page.agent.getDeviceId()
    page.agent.register({ plan: 'pro' })
    const secondBootstrap = {
      distinctId: 'two',
      isIdentifiedId: true,
      sessionID: SESSION,
      featureFlags: { fresh: true },
    }
    page.agent.reset({ bootstrap: secondBootstrap })
    expect([page.agent.getDistinctId(), page.agent.getSessionId()]).toEqual(['two', SESSION])
    expect(page.agent.getFeatureFlags()).toEqual({ fresh: true })
    page.agent.capture('event')
    const [event] = await harness.deliver(page)
    expect(event).toMatchObject({ event: 'event', distinct_id: 'two', properties: { $is_identified: true } })
    expect(event!.properties).toMatchObject({ $device_id: deviceId })
    expect(event!.properties).not.toHaveProperty('plan')
    page.agent.reset()
    expect(page.agent.getDistinctId()).toMatch(/^[\da-f]{8}-[\da-f]{4}-7/)
    expect(page.agent.getFeatureFlags()).toEqual({})
  })
})
