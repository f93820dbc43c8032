import { describe, expect, it } from 'vitest'
import { createAgentHarness } from '../support/agent-harness.ts'

const MINUTE_MS = 60_000

describe('the session', () => {
  it('is created on first use, and each event has its id', async () => {
    const harness = createAgentHarness()
    const page = harness.open()
    page.agent.capture('event')
    const [event] = await harness.deliver(page)
    expect(event!.properties.$session_id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7/)
    expect(page.agent.getSessionId()).toBe(event!.properties.$session_id)
  })

  it('is shared between tabs', async () => {
    const harness = createAgentHarness()
    const [first, second] = [harness.open().agent, harness.open().agent]
    await harness.waitUntilIdle()
    const id = first.getSessionId()
    expect(second.getSessionId()).toBe(id)
    await harness.clock.advance(29 * MINUTE_MS)
    first.capture('active')
    await harness.clock.advance(29 * MINUTE_MS)
    expect(second.getSessionId()).toBe(id)
  })

  it.each([
    [60, 1],
    [600, 10],
    [36_000, 600],
  ])('sessionIdleTimeoutSeconds: %i ends it after %i minutes', async (sessionIdleTimeoutSeconds, minutes) => {
    const harness = createAgentHarness()
    const { agent } = harness.open({ sessionIdleTimeoutSeconds, preloadFeatureFlags: false })
    const id = agent.getSessionId()
    harness.clock.set(harness.clock.now() + minutes * MINUTE_MS - 1)
    expect(agent.getSessionId()).toBe(id)
    harness.clock.set(harness.clock.now() + minutes * MINUTE_MS)
    expect(agent.getSessionId()).not.toBe(id)
  })

  it('is not prolonged by getSessionId() or by dropped events', async () => {
    const harness = createAgentHarness()
    const ids: string[] = []
    const { agent } = harness.open({
      preloadFeatureFlags: false,
      before_send(event) {
        ids.push(agent.getSessionId())
        return event.event === 'kept' ? event : null
      },
    })
    agent.capture('kept')
    const id = agent.getSessionId()
    for (let minutes = 0; minutes < 29; minutes += 7) {
      await harness.clock.advance(7 * MINUTE_MS)
      agent.capture('dropped')
    }
    await harness.clock.advance(MINUTE_MS)
    expect(new Set(ids.slice(0, 5))).toEqual(new Set([id]))
    expect(agent.getSessionId()).not.toBe(id)
  })

  it('ends after 24 hours of constant activity', () => {
    const harness = createAgentHarness()
    const { agent } = harness.open({ preloadFeatureFlags: false })
    const id = agent.getSessionId()
    const startMs = harness.clock.now()
    const ids = new Set<string>()
    for (let minutes = 0; minutes < 24 * 60; minutes += 20) {
      harness.clock.set(startMs + minutes * MINUTE_MS)
      ids.add(agent.getSessionId())
      agent.capture('active')
    }
    expect([...ids]).toEqual([id])
    harness.clock.set(startMs + 24 * 60 * MINUTE_MS)
    expect(agent.getSessionId()).not.toBe(id)
  })

  it('has a new id when it is read after its end, and the next event has that id', async () => {
    const harness = createAgentHarness()
    const page = harness.open()
    page.agent.capture('before')
    await harness.clock.advance(31 * MINUTE_MS)
    const id = page.agent.getSessionId()
    page.agent.capture('after')
    const [firstEvent, secondEvent] = await harness.deliver(page)
    expect(firstEvent!.properties.$session_id).not.toBe(id)
    expect(secondEvent!.properties.$session_id).toBe(id)
  })
})

describe('the entry of a session', () => {
  it('is on all its events, also on later pages, and new in the next session', async () => {
    const harness = createAgentHarness()
    const page = harness.open()
    page.agent.capture('one')
    page.pathname = '/basket'
    page.agent.capture('two')
    const firstEvents = await harness.deliver(page)
    const nextPage = harness.open()
    nextPage.pathname = '/paid'
    nextPage.agent.capture('three')
    nextPage.agent.resetSession()
    nextPage.agent.capture('four')
    const events = [...firstEvents, ...(await harness.deliver(nextPage))]
    expect(events.map(({ properties }) => [properties.$pathname, properties.$session_entry_pathname])).toEqual([
      ['/home', '/home'],
      ['/basket', '/home'],
      ['/paid', '/home'],
      ['/paid', '/paid'],
    ])
  })
})

describe('the entry of a user’s first session', () => {
  const setOnceOf = (events: readonly { properties: Record<string, unknown> }[]): unknown[] =>
    events.map(({ properties }) => properties.$set_once)

  it('is on the first event with a person profile, also on a later page, and only once', async () => {
    const harness = createAgentHarness()
    const page = harness.open()
    page.agent.capture('anonymous')
    const firstEvents = await harness.deliver(page)
    const nextPage = harness.open()
    nextPage.pathname = '/basket'
    nextPage.agent.resetSession()
    nextPage.agent.capture('anonymous')
    nextPage.agent.identify('user', undefined, { plan: 'free' })
    nextPage.agent.capture('identified')
    const events = [...firstEvents, ...(await harness.deliver(nextPage))]
    expect(setOnceOf(events)).toEqual([undefined, undefined, { $initial_pathname: '/home', plan: 'free' }, undefined])
    const lastPage = harness.open()
    lastPage.agent.setPersonProperties(undefined, { seats: 5 })
    expect(setOnceOf(await harness.deliver(lastPage))).toEqual([{ seats: 5 }])
  })

  it('is new for the next user, and does not replace properties of the page', async () => {
    const harness = createAgentHarness()
    const page = harness.open({ personProfiles: 'always' })
    page.agent.capture('one', { $set_once: { $initial_pathname: '/own' } })
    page.agent.reset()
    page.pathname = '/login'
    page.agent.capture('two')
    expect(setOnceOf(await harness.deliver(page))).toEqual([
      { $initial_pathname: '/own' },
      { $initial_pathname: '/login' },
    ])
  })

  it('is on no event of another user', async () => {
    const harness = createAgentHarness()
    const page = harness.open({ personProfiles: 'always' })
    page.agent.capture('one', {}, { distinct_id: 'other' })
    page.agent.capture('two')
    expect(setOnceOf(await harness.deliver(page))).toEqual([undefined, { $initial_pathname: '/home' }])
  })
})

describe('a new session', () => {
  it('starts after resetSession() in every tab, with a new window id', async () => {
    const harness = createAgentHarness()
    const page = harness.open()
    const otherTab = harness.open()
    await harness.waitUntilIdle()
    const id = page.agent.getSessionId()
    page.agent.capture('before')
    page.agent.resetSession()
    page.agent.capture('after')
    const secondId = page.agent.getSessionId()
    expect(secondId).not.toBe(id)
    await otherTab.storageChanged()
    expect(otherTab.agent.getSessionId()).toBe(secondId)
    const events = await harness.deliver(page)
    expect(events.map(({ properties }) => [properties.$session_id, properties.$window_id])).toEqual([
      [id, `window of ${id}`],
      [secondId, `window of ${secondId}`],
    ])
    expect(page.agent.getDistinctId()).toBe(events[0]!.distinct_id)
  })

  it('starts after reset()', () => {
    const { agent } = createAgentHarness().open()
    const id = agent.getSessionId()
    agent.reset()
    expect(agent.getSessionId()).not.toBe(id)
  })
})

describe('registerForSession', () => {
  it('adds properties to later events above super properties, without storing them', async () => {
    const harness = createAgentHarness()
    const page = harness.open()
    page.agent.register({ plan: 'free' })
    page.agent.registerForSession({ plan: 'trial', step: 1 })
    page.agent.registerForSession({ step: 2, gone: 1 })
    page.agent.registerForSession({ gone: null })
    page.agent.capture('event')
    page.agent.capture('own', { step: 3 })
    const [event, eventWithStep] = await harness.deliver(page)
    expect(event!.properties).toMatchObject({ plan: 'trial', step: 2 })
    expect(event!.properties).not.toHaveProperty('gone')
    expect(eventWithStep!.properties.step).toBe(3)
    expect(harness.storage.get('state')).not.toContain('trial')
    const nextPage = harness.open()
    nextPage.agent.capture('next page')
    const [laterEvent] = await harness.deliver(nextPage)
    expect(laterEvent!.properties.plan).toBe('free')
    expect(laterEvent!.properties).not.toHaveProperty('step')
  })

  it.each([
    ['idle time', (harness: ReturnType<typeof createAgentHarness>) => harness.clock.advance(30 * MINUTE_MS)],
    ['resetSession()', (_harness: object, agent: { resetSession(): void }) => agent.resetSession()],
    ['reset()', (_harness: object, agent: { reset(): void }) => agent.reset()],
  ])('ends with the session: by %s', async (_description, endSession) => {
    const harness = createAgentHarness()
    const page = harness.open()
    page.agent.registerForSession({ step: 1 })
    await endSession(harness, page.agent)
    page.agent.capture('event')
    expect((await harness.deliver(page))[0]!.properties).not.toHaveProperty('step')
  })
})
