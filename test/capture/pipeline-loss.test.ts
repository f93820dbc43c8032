import { describe, expect, it } from 'vitest'
import { createInitialState } from '../../src/capture/state.ts'
import { readSpill, SPILL_KEYS } from '../../src/capture/spill.ts'
import type { StoreRecord } from '../../src/port/event-store.ts'
import { createPipelineHarness } from '../support/pipeline-harness.ts'
import type { PipelineHarness } from '../support/pipeline-harness.ts'

const eventNames = (count: number, prefix = 'event'): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix} ${index}`)

const spilledRecords = (harness: PipelineHarness): readonly StoreRecord[] =>
  SPILL_KEYS.flatMap((key) => readSpill(harness.storage, key))

const deliveredIds = (harness: PipelineHarness): string[] =>
  harness.service.events().map(({ distinct_id }) => distinct_id)

describe('a killed tab', () => {
  it('keeps its events for the next start, which delivers them at once', async () => {
    const harness = createPipelineHarness()
    harness.service.reply = () => ({ status: 0 })
    const tab = harness.open()
    await harness.waitUntilIdle()
    tab.capture(...eventNames(50))
    await harness.clock.advance(1_000)
    tab.kill()
    harness.service.reply = () => ({ status: 200 })
    harness.open()
    await harness.waitUntilIdle()
    expect(harness.service.eventNames()).toEqual(eventNames(50))
    expect(await harness.storedEventNames()).toEqual([])
  })

  it('is no reason to hurry for the events of the next page alone', async () => {
    const harness = createPipelineHarness()
    const tab = harness.open({ flushInterval: 3_000 })
    tab.capture('$pageview')
    await harness.clock.advance(2_900)
    expect(harness.service.requests).toEqual([])
    await harness.clock.advance(100)
    expect(harness.service.eventNames()).toEqual(['$pageview'])
    await harness.waitUntilIdle()
    tab.capture('clicked')
    await harness.clock.advance(1_000)
    tab.kill()
    harness.open({ flushInterval: 3_000 }).capture('$pageview 2')
    await harness.clock.advance(100)
    expect(harness.service.eventNames()).toEqual(['$pageview', 'clicked', '$pageview 2'])
  })

  it('keeps identity, super properties and groups without the synchronous copy', async () => {
    const harness = createPipelineHarness()
    const tab = harness.open()
    await harness.waitUntilIdle()
    tab.capture('before')
    tab.pipeline.state.change((state) => ({
      ...state,
      distinctId: 'user-1',
      isIdentified: true,
      superProperties: { plan: 'pro' },
      groups: { company: 'acme' },
    }))
    await harness.waitUntilIdle()
    const session = tab.pipeline.sessionId()
    tab.kill()
    harness.loseStorage()
    const nextTab = harness.open()
    nextTab.capture('early')
    expect(nextTab.pipeline.state.current().distinctId).not.toBe('user-1')
    await nextTab.pipeline.flush()
    expect(nextTab.pipeline.state.current()).toMatchObject({ distinctId: 'user-1', superProperties: { plan: 'pro' } })
    expect(nextTab.pipeline.sessionId()).toBe(session)
    const early = harness.service.events().find(({ event }) => event === 'early')
    expect(early).toMatchObject({
      distinct_id: 'user-1',
      properties: {
        distinct_id: 'user-1',
        plan: 'pro',
        $groups: { company: 'acme' },
        $session_id: session,
        $is_identified: true,
        $process_person_profile: true,
      },
    })
  })

  it('rebuilds an early event with its properties at the time of the call', async () => {
    const harness = createPipelineHarness()
    const tab = harness.open()
    tab.pipeline.state.change((state) => ({ ...state, distinctId: 'user-1', isIdentified: true }))
    await harness.waitUntilIdle()
    tab.kill()
    harness.loseStorage()
    const nextTab = harness.open()
    const cart = { items: [1], at: new Date(0) }
    nextTab.pipeline.capture('early', { cart, $lib: undefined })
    cart.items.push(2)
    await nextTab.pipeline.flush()
    const [early] = harness.service.events()
    expect(early).toMatchObject({ distinct_id: 'user-1', properties: { cart: { items: [1], at: cart.at.toJSON() } } })
    expect(early!.properties).not.toHaveProperty('$lib')
  })

  it('keeps its identity when two tabs are restored together', async () => {
    const harness = createPipelineHarness()
    const tab = harness.open()
    tab.pipeline.state.change((state) => ({ ...state, distinctId: 'user-1', isIdentified: true }))
    await harness.waitUntilIdle()
    tab.kill()
    harness.loseStorage()
    const tabs = [harness.open(), harness.open()]
    for (const [index, restored] of tabs.entries()) restored.capture(`page ${index}`)
    await Promise.all([...tabs.map((restored) => restored.pipeline.flush()), harness.clock.advance(1_000)])
    expect(deliveredIds(harness)).toEqual(['user-1', 'user-1'])
    for (const restored of tabs) expect(restored.pipeline.state.current().distinctId).toBe('user-1')
    tabs.forEach((restored) => restored.kill())
    harness.loseStorage()
    const last = harness.open()
    await harness.waitUntilIdle()
    expect(last.pipeline.state.current().distinctId).toBe('user-1')
  })

  it('keeps its opt-out: early events are dropped and reported', async () => {
    const harness = createPipelineHarness()
    const tab = harness.open()
    await harness.waitUntilIdle()
    tab.pipeline.state.change((state) => ({ ...state, isOptedOut: true }), true)
    await harness.waitUntilIdle()
    tab.kill()
    harness.loseStorage()
    const nextTab = harness.open()
    nextTab.capture('early')
    await nextTab.pipeline.flush()
    expect(harness.service.requests).toHaveLength(0)
    expect(await harness.storedEventNames()).toEqual([])
    expect(nextTab.dropped.map(({ event, reason }) => [event.event, reason])).toEqual([['early', 'opted_out']])
    expect(nextTab.pipeline.capture('later', {})).toBe(false)
  })

  it('keeps its identity when the store opens too late for early events', async () => {
    const harness = createPipelineHarness()
    const tab = harness.open()
    tab.pipeline.state.change((state) => ({ ...state, distinctId: 'user-1' }))
    await harness.waitUntilIdle()
    tab.kill()
    harness.loseStorage()
    let openStore = (): void => {}
    const nextTab = harness.open({ whenStoreOpens: () => new Promise((resolve) => (openStore = resolve)) })
    nextTab.capture('early')
    await harness.clock.advance(1_500)
    openStore()
    await harness.waitUntilIdle()
    nextTab.capture('late')
    await nextTab.pipeline.flush()
    expect(deliveredIds(harness)[1]).toBe('user-1')
    nextTab.kill()
    harness.loseStorage()
    const last = harness.open()
    await harness.waitUntilIdle()
    expect(last.pipeline.state.current().distinctId).toBe('user-1')
  })

  it('keeps its identity and its events when the store opens after 5 s', async () => {
    const harness = createPipelineHarness()
    const tab = harness.open()
    tab.pipeline.state.change((state) => ({ ...state, distinctId: 'user-1' }))
    await harness.waitUntilIdle()
    tab.kill()
    harness.loseStorage()
    harness.service.reply = () => ({ status: 503 })
    let openStore = (): void => {}
    const nextTab = harness.open({ whenStoreOpens: () => new Promise((resolve) => (openStore = resolve)) })
    nextTab.capture('early')
    await harness.clock.advance(5_000)
    expect(harness.service.requests.length).toBeGreaterThan(0)
    openStore()
    await harness.waitUntilIdle()
    nextTab.capture('late')
    await harness.waitUntilIdle()
    expect(nextTab.pipeline.state.current().distinctId).toBe('user-1')
    nextTab.kill()
    expect(await harness.storedEventNames()).toEqual(['early', 'late'])
    harness.loseStorage()
    const last = harness.open()
    await harness.waitUntilIdle()
    expect(last.pipeline.state.current().distinctId).toBe('user-1')
  })

  it('does not restore the old user after a reset before the store was read', async () => {
    const harness = createPipelineHarness()
    const tab = harness.open()
    tab.pipeline.state.change((state) => ({ ...state, distinctId: 'user-1', superProperties: { plan: 'pro' } }))
    await harness.waitUntilIdle()
    tab.kill()
    harness.loseStorage()
    const nextTab = harness.open()
    nextTab.pipeline.state.change((state) => ({
      ...createInitialState('anonymous-2', state.isOptedOut),
      deviceId: state.deviceId,
    }))
    nextTab.capture('after')
    await nextTab.pipeline.flush()
    expect(nextTab.pipeline.state.current()).toMatchObject({
      distinctId: 'anonymous-2',
      anonymousId: 'anonymous-2',
      superProperties: {},
    })
    expect(harness.service.events()[0]!.distinct_id).toBe('anonymous-2')
    expect(harness.service.events()[0]!.properties).not.toHaveProperty('plan')
  })
})

describe('a closed tab', () => {
  it('sends its events by beacon, and the next page sends them again after 30 s', async () => {
    const harness = createPipelineHarness()
    const tab = harness.open()
    await harness.waitUntilIdle()
    tab.capture(...eventNames(20))
    await tab.close()
    expect(harness.service.eventNames()).toEqual(eventNames(20))
    expect(harness.service.events()).toHaveLength(20)
    const nextTab = harness.open()
    await harness.clock.advance(29_000)
    await nextTab.pipeline.flush()
    expect(harness.service.events()).toHaveLength(20)
    await harness.clock.advance(1_001)
    expect(await harness.storedEventNames()).toEqual([])
    expect(harness.service.eventNames()).toEqual(eventNames(20))
    expect(harness.service.events()).toHaveLength(40)
  })

  it('loses nothing when the last writes are aborted and the beacon is lost', async () => {
    const harness = createPipelineHarness()
    harness.service.beaconsArrive = false
    const tab = harness.open()
    await harness.waitUntilIdle()
    tab.capture(...eventNames(20))
    tab.lifecycle.unload()
    tab.kill()
    harness.open()
    await harness.clock.advance(30_001)
    expect(harness.service.eventNames()).toEqual(eventNames(20))
    expect(harness.service.events()).toHaveLength(20)
    expect(spilledRecords(harness)).toEqual([])
  })

  it('passes its events to a page that started before it was closed', async () => {
    const harness = createPipelineHarness()
    harness.service.beaconsArrive = false
    const tab = harness.open()
    const nextTab = harness.open()
    await harness.waitUntilIdle()
    tab.capture('a')
    tab.lifecycle.unload()
    tab.kill()
    for (const key of SPILL_KEYS) nextTab.dispatchStorageEvent(key)
    await harness.clock.advance(30_001)
    expect(harness.service.eventNames()).toEqual(['a'])
  })

  it('sends no beacon for events that are in flight', async () => {
    const harness = createPipelineHarness()
    let respond = (): void => undefined
    harness.service.reply = () => new Promise((resolve) => (respond = () => resolve({ status: 200 })))
    const tab = harness.open()
    await harness.waitUntilIdle()
    tab.capture('a')
    void tab.pipeline.flush()
    await harness.waitUntilIdle()
    tab.capture('b')
    tab.lifecycle.unload()
    respond()
    tab.kill()
    await harness.waitUntilIdle()
    expect(harness.service.events().map(({ event }) => event)).toEqual(['b', 'a'])
    harness.service.reply = () => ({ status: 200 })
    harness.open()
    await harness.clock.advance(29_000)
    expect(harness.service.events()).toHaveLength(2)
    await harness.clock.advance(1_001)
    expect(harness.service.eventNames()).toEqual(['b', 'a'])
    expect(harness.service.events()).toHaveLength(4)
  })

  it('treats a request that the browser failed at unload as in flight', async () => {
    const harness = createPipelineHarness()
    harness.service.reply = () => ({ status: 200, isDropped: true })
    const tab = harness.open()
    await harness.waitUntilIdle()
    tab.capture('a')
    tab.lifecycle.hide()
    await harness.waitUntilIdle()
    tab.lifecycle.unload()
    await harness.waitUntilIdle()
    tab.kill()
    harness.service.reply = () => ({ status: 200 })
    harness.open()
    await harness.clock.advance(29_000)
    expect(harness.service.events()).toHaveLength(1)
    await harness.clock.advance(1_001)
    expect(harness.service.events()).toHaveLength(2)
    expect(await harness.storedEventNames()).toEqual([])
  })

  it('starts no request after it is left, until it is restored', async () => {
    const harness = createPipelineHarness()
    harness.service.beaconBudget = 0
    const tab = harness.open()
    await harness.waitUntilIdle()
    tab.capture('a')
    tab.lifecycle.unload()
    tab.lifecycle.hide()
    await harness.waitUntilIdle()
    expect(harness.service.requests).toEqual([])
    tab.lifecycle.wake('restored')
    await harness.waitUntilIdle()
    expect(harness.service.eventNames()).toEqual(['a'])
    expect(spilledRecords(harness)).toEqual([])
  })

  it('loses nothing when an accepted beacon never arrives', async () => {
    const harness = createPipelineHarness()
    harness.service.reply = () => ({ status: 0 })
    harness.service.beaconsArrive = false
    const tab = harness.open()
    await harness.waitUntilIdle()
    tab.capture('a')
    tab.lifecycle.unload()
    await harness.waitUntilIdle()
    tab.kill()
    harness.service.reply = () => ({ status: 200 })
    harness.open()
    await harness.waitUntilIdle()
    expect(harness.service.eventNames()).toEqual([])
    await harness.clock.advance(30_001)
    expect(harness.service.eventNames()).toEqual(['a'])
  })

  it('holds back nothing that a beacon took while the browser was offline', async () => {
    const harness = createPipelineHarness()
    harness.service.beaconsArrive = false
    const tab = harness.open()
    await harness.waitUntilIdle()
    tab.lifecycle.online = false
    tab.capture('a', 'b')
    tab.lifecycle.unload()
    tab.kill()
    harness.open()
    await harness.waitUntilIdle()
    expect(harness.service.eventNames()).toEqual(['a', 'b'])
    expect(spilledRecords(harness)).toEqual([])
  })

  it('holds back what a beacon takes when the browser is online again, and nothing of before', async () => {
    const harness = createPipelineHarness()
    harness.service.beaconsArrive = false
    const tab = harness.open()
    await harness.waitUntilIdle()
    tab.lifecycle.online = false
    tab.capture('offline')
    tab.lifecycle.unload()
    tab.lifecycle.online = true
    tab.capture('online')
    tab.kill()
    harness.open()
    await harness.waitUntilIdle()
    expect(harness.service.eventNames()).toEqual(['offline'])
    await harness.clock.advance(30_001)
    expect(harness.service.eventNames()).toEqual(['offline', 'online'])
  })

  it('ends its resend delay when the clock is set back an hour', async () => {
    const harness = createPipelineHarness()
    harness.service.beaconsArrive = false
    const tab = harness.open()
    await harness.waitUntilIdle()
    tab.capture('a')
    tab.lifecycle.unload()
    await harness.waitUntilIdle()
    tab.kill()
    harness.clock.set(harness.clock.now() - 3_600_000)
    harness.open()
    await harness.waitUntilIdle()
    expect(harness.service.eventNames()).toEqual(['a'])
  })

  it('sends its events at most twice for a visitor who changes pages quickly', async () => {
    const harness = createPipelineHarness()
    const tab = harness.open()
    await harness.waitUntilIdle()
    tab.capture('a')
    await tab.close()
    for (let page = 0; page < 5; page++) {
      const nextTab = harness.open()
      await harness.clock.advance(1_000)
      await nextTab.close()
    }
    expect(harness.service.events()).toHaveLength(1)
    harness.open()
    await harness.clock.advance(30_001)
    expect(harness.service.events()).toHaveLength(2)
    expect(await harness.storedEventNames()).toEqual([])
  })

  it('starts no request when compression ends after the page is left', async () => {
    const harness = createPipelineHarness()
    const tab = harness.open({ supportedCompression: ['gzip', 'lz64'] })
    await harness.waitUntilIdle()
    tab.pipeline.capture('a', { text: 'x'.repeat(500) })
    await harness.waitUntilIdle()
    const flushed = tab.pipeline.flush()
    tab.lifecycle.unload()
    await flushed
    expect(harness.service.requests).toEqual([])
    expect(harness.service.eventNames()).toEqual(['a'])
    tab.lifecycle.wake('restored')
    await harness.clock.advance(30_001)
    expect(harness.service.requests).toHaveLength(1)
    expect(await harness.storedEventNames()).toEqual([])
  })

  it('keeps the events beyond the limit of all beacons', async () => {
    const harness = createPipelineHarness()
    const tab = harness.open({ flushInterval: 60_000 })
    await harness.waitUntilIdle()
    for (const name of eventNames(60)) tab.pipeline.capture(name, { text: 'x'.repeat(2_000) })
    tab.lifecycle.unload()
    await harness.waitUntilIdle()
    tab.kill()
    const sent = harness.service.eventNames().length
    expect(sent).toBeGreaterThan(10)
    expect(sent).toBeLessThan(30)
    expect(harness.service.beaconBudget).toBeGreaterThan(0)
    harness.open()
    await harness.clock.advance(30_001)
    expect(harness.service.eventNames().toSorted()).toEqual(eventNames(60).toSorted())
    expect(await harness.storedEventNames()).toEqual([])
  })

  it.each([
    ['by the beacon, once each', 64 * 1024],
    ['by the store, when the beacon refuses', 0],
  ])('delivers events that are captured during unload %s', async (_how, beaconBudget) => {
    const harness = createPipelineHarness()
    harness.service.beaconBudget = beaconBudget
    const tab = harness.open()
    await harness.waitUntilIdle()
    tab.capture('before')
    tab.lifecycle.unload()
    tab.capture('after 1', 'after 2')
    // No event-loop turn follows: only work that has started completes.
    await Promise.resolve()
    tab.kill()
    const byBeacon = harness.service.events().map(({ event }) => event)
    expect(byBeacon).toEqual(beaconBudget ? ['before', 'after 1', 'after 2'] : [])
    const nextTab = harness.open()
    await nextTab.pipeline.flush()
    expect(harness.service.eventNames()).toEqual(['before', 'after 1', 'after 2'])
    expect(harness.service.events()).toHaveLength(3)
    await harness.clock.advance(30_001)
    expect(harness.service.eventNames()).toEqual(['before', 'after 1', 'after 2'])
    expect(await harness.storedEventNames()).toEqual([])
  })

  it('spills events of its unload when its store was not open', async () => {
    const harness = createPipelineHarness()
    harness.service.beaconBudget = 0
    const tab = harness.open({ whenStoreOpens: () => new Promise(() => {}) })
    tab.capture('before')
    tab.lifecycle.unload()
    tab.capture('after 1', 'after 2')
    tab.kill()
    harness.open()
    await harness.waitUntilIdle()
    expect(harness.service.events().map(({ event }) => event)).toEqual(['before', 'after 1', 'after 2'])
  })

  it.each(['restored', 'visible'] as const)('stores captured events again after it is %s', async (cause) => {
    const harness = createPipelineHarness()
    const tab = harness.open()
    await harness.waitUntilIdle()
    tab.lifecycle.unload()
    tab.lifecycle.wake(cause)
    tab.capture('a')
    expect(harness.service.events()).toEqual([])
    await tab.pipeline.flush()
    expect(harness.service.eventNames()).toEqual(['a'])
  })

  it('does not overwrite the spill of another page that closes at the same time', async () => {
    const harness = createPipelineHarness()
    harness.service.beaconBudget = 0
    const stale = { ...harness.storage, get: () => null }
    const tabs = ['a', 'b'].map((name) => {
      const tab = harness.open({ whenStoreOpens: () => new Promise(() => {}), storage: stale })
      tab.capture(name)
      return tab
    })
    for (const tab of tabs) await tab.close()
    harness.open()
    await harness.waitUntilIdle()
    expect(harness.service.eventNames().toSorted()).toEqual(['a', 'b'])
  })

  it('keeps its spill while another page restores an earlier spill', async () => {
    const harness = createPipelineHarness()
    harness.service.beaconBudget = 0
    const spill = (name: string): void => {
      const tab = harness.open({ whenStoreOpens: () => new Promise(() => {}) })
      tab.capture(name)
      tab.lifecycle.unload()
      tab.kill()
    }
    spill('a')
    harness.store.refuses = (entries) => {
      if (entries.some(([key]) => key.startsWith('e/'))) {
        harness.store.refuses = () => false
        spill('b')
      }
      return false
    }
    harness.open()
    await harness.waitUntilIdle()
    harness.open()
    await harness.waitUntilIdle()
    expect(harness.service.eventNames()).toEqual(['a', 'b'])
    expect(spilledRecords(harness)).toEqual([])
  })

  it('spills to synchronous storage when its store was not open', async () => {
    const harness = createPipelineHarness()
    harness.service.beaconBudget = 0
    const tab = harness.open({ whenStoreOpens: () => new Promise(() => {}) })
    tab.capture(...eventNames(20))
    await tab.close()
    expect(await harness.storedEventNames()).toEqual([])
    harness.service.reply = () => ({ status: 0 })
    const nextTab = harness.open()
    await harness.waitUntilIdle()
    expect(await harness.storedEventNames()).toEqual(eventNames(20))
    nextTab.kill()
    harness.loseStorage()
    harness.service.reply = () => ({ status: 200 })
    harness.open()
    await harness.waitUntilIdle()
    expect(harness.service.eventNames()).toEqual(eventNames(20))
  })

  it('spills unsent events first, and reports events that do not fit', async () => {
    const harness = createPipelineHarness()
    const tab = harness.open({ whenStoreOpens: () => new Promise(() => {}) })
    for (const name of eventNames(40)) tab.pipeline.capture(name, { text: 'x'.repeat(10_000) })
    await tab.close()
    const byBeacon = harness.service.eventNames()
    expect(byBeacon.length).toBeGreaterThan(0)
    harness.open()
    await harness.clock.advance(30_001)
    const lost = tab.dropped.map(({ event }) => event.event)
    expect(tab.dropped.every(({ reason }) => reason === 'storage_unavailable')).toBe(true)
    expect(lost.length).toBeGreaterThan(0)
    expect([...harness.service.eventNames(), ...lost].toSorted()).toEqual(eventNames(40).toSorted())
  })

  it('sends only unstored events by beacon during a Retry-After', async () => {
    const harness = createPipelineHarness()
    harness.service.reply = () => ({ status: 429, retryAfter: '60' })
    const tab = harness.open({ flushAt: 1 })
    await harness.waitUntilIdle()
    tab.capture('stored')
    await harness.waitUntilIdle()
    tab.capture('unstored')
    await tab.close()
    expect(harness.service.eventNames()).toEqual(['unstored'])
    expect(await harness.storedEventNames()).toEqual(['stored', 'unstored'])
  })

  it('reports no event as lost when it may be restored', async () => {
    const harness = createPipelineHarness()
    harness.service.beaconBudget = 0
    const tab = harness.open({ whenStoreOpens: () => Promise.reject(new Error('private mode')) })
    await harness.waitUntilIdle()
    for (const name of eventNames(40)) tab.pipeline.capture(name, { text: 'x'.repeat(10_000) })
    tab.lifecycle.unload(true)
    tab.lifecycle.wake('restored')
    await tab.pipeline.flush()
    expect(harness.service.eventNames().toSorted()).toEqual(eventNames(40).toSorted())
    expect(tab.dropped).toEqual([])
  })

  it('loses nothing during its first write', async () => {
    const harness = createPipelineHarness()
    harness.service.beaconBudget = 0
    const tab = harness.open()
    await harness.waitUntilIdle()
    tab.capture('a')
    await tab.close()
    harness.open()
    await harness.waitUntilIdle()
    expect(harness.service.eventNames()).toEqual(['a'])
  })

  it('sends nothing when the user has opted out', async () => {
    const harness = createPipelineHarness()
    const tab = harness.open()
    await harness.waitUntilIdle()
    tab.capture('a')
    tab.pipeline.state.change((state) => ({ ...state, isOptedOut: true }), true)
    await tab.close()
    expect(harness.service.eventNames()).toEqual([])
  })
})

describe('a page that is left after an opt-out with a closed store', () => {
  it('keeps earlier events and delivers them after the next opt-in', async () => {
    const harness = createPipelineHarness()
    const tab = harness.open({ whenStoreOpens: () => new Promise(() => {}) })
    tab.capture('a')
    tab.pipeline.state.change((state) => ({ ...state, isOptedOut: true }), true)
    await tab.close()
    expect(harness.service.eventNames()).toEqual([])
    const nextTab = harness.open()
    await harness.waitUntilIdle()
    expect(harness.service.eventNames()).toEqual([])
    nextTab.pipeline.state.change((state) => ({ ...state, isOptedOut: false }), true)
    await nextTab.pipeline.flush()
    expect(harness.service.eventNames()).toEqual(['a'])
    expect([...tab.dropped, ...nextTab.dropped]).toEqual([])
  })
})

describe('a store that fails', () => {
  it('to write gets all events once it accepts writes again', async () => {
    const harness = createPipelineHarness()
    harness.service.reply = () => ({ status: 0 })
    const tab = harness.open()
    await harness.waitUntilIdle()
    harness.store.refuses = () => true
    tab.capture('a', 'b')
    await harness.waitUntilIdle()
    expect(await harness.storedEventNames()).toEqual([])
    harness.store.refuses = () => false
    tab.capture('c')
    await harness.waitUntilIdle()
    expect(await harness.storedEventNames()).toEqual(['a', 'b', 'c'])
    expect(tab.warnings.map(String)).toEqual([expect.stringContaining('QuotaExceededError')])
  })

  it('because it was deleted gets the events of the page again', async () => {
    const harness = createPipelineHarness()
    harness.service.reply = () => ({ status: 0 })
    const tab = harness.open()
    await harness.waitUntilIdle()
    tab.capture('a', 'b')
    await harness.waitUntilIdle()
    await harness.store.lose()
    expect(await harness.storedEventNames()).toEqual([])
    await harness.waitUntilIdle()
    expect(await harness.storedEventNames()).toEqual(['a', 'b'])
    harness.service.reply = () => ({ status: 200 })
    tab.lifecycle.wake('online')
    await harness.waitUntilIdle()
    expect(harness.service.eventNames()).toEqual(['a', 'b'])
  })

  it('to open does not let captures bypass the back-off', async () => {
    const harness = createPipelineHarness()
    harness.service.reply = () => ({ status: 503 })
    const tab = harness.open({ flushAt: 1, whenStoreOpens: () => Promise.reject(new Error('private mode')) })
    await harness.waitUntilIdle()
    for (let n = 0; n < 20; n++) {
      tab.capture(`event ${n}`)
      await harness.clock.advance(100)
    }
    expect(harness.service.requests).toHaveLength(1)
  })

  it('to open makes the page keep events in memory, with one warning', async () => {
    const harness = createPipelineHarness()
    const tab = harness.open({ whenStoreOpens: () => Promise.reject(new Error('private mode')) })
    tab.capture('a', 'b')
    await tab.pipeline.flush()
    tab.capture('c')
    await tab.pipeline.flush()
    expect(harness.service.eventNames()).toEqual(['a', 'b', 'c'])
    expect(tab.warnings.map(String)).toEqual([expect.stringContaining('storage_unavailable')])
  })

  it('to write later makes the page deliver from memory, in order', async () => {
    const harness = createPipelineHarness()
    harness.service.reply = () => ({ status: 0 })
    const tab = harness.open()
    await harness.waitUntilIdle()
    tab.capture('a')
    await harness.waitUntilIdle()
    harness.store.refuses = (entries) => entries.some(([, value]) => value !== undefined)
    tab.capture('b', 'c')
    await harness.clock.advance(10_000)
    harness.service.reply = () => ({ status: 200 })
    await harness.clock.advance(300_000)
    expect(harness.service.eventNames()).toEqual(['a', 'b', 'c'])
    expect(await harness.storedEventNames()).toEqual([])
  })

  it('to delete does not make the agent send the same events again', async () => {
    const harness = createPipelineHarness()
    const tab = harness.open()
    await harness.waitUntilIdle()
    tab.capture('a')
    await harness.waitUntilIdle()
    harness.store.refuses = () => true
    await tab.pipeline.flush()
    tab.capture('b')
    await tab.pipeline.flush()
    await harness.clock.advance(60_000)
    expect(harness.service.requests).toHaveLength(2)
    expect(harness.service.eventNames()).toEqual(['a', 'b'])
    harness.store.refuses = () => false
    tab.capture('c')
    await tab.pipeline.flush()
    expect(await harness.storedEventNames()).toEqual([])
  })

  it('to open makes the page spill its events when it is left', async () => {
    const harness = createPipelineHarness()
    harness.service.beaconBudget = 0
    const tab = harness.open({ whenStoreOpens: () => Promise.reject(new Error('private mode')) })
    await harness.waitUntilIdle()
    tab.capture('a')
    tab.lifecycle.unload()
    tab.kill()
    harness.open()
    await harness.waitUntilIdle()
    expect(harness.service.eventNames()).toEqual(['a'])
  })
})

describe('a full queue', () => {
  it('drops the oldest events and reports each once', async () => {
    const harness = createPipelineHarness()
    const tab = harness.open({ maxQueueSize: 10 })
    await harness.waitUntilIdle()
    tab.lifecycle.online = false
    for (const name of eventNames(35)) {
      tab.capture(name)
      if (name.endsWith('5')) await harness.waitUntilIdle()
    }
    await harness.clock.advance(1_000)
    expect(await harness.storedEventNames()).toEqual(eventNames(35).slice(25))
    expect(tab.dropped.map(({ event }) => event.event)).toEqual(eventNames(25))
    expect(new Set(tab.dropped.map(({ reason }) => reason))).toEqual(new Set(['queue_overflow']))
    expect(tab.warnings).toHaveLength(1)
  })

  it('returns to its size limit within a second of each event', async () => {
    const harness = createPipelineHarness()
    harness.service.reply = () => ({ status: 0 })
    const tab = harness.open({ maxBytes: 10_000 })
    await harness.waitUntilIdle()
    for (const name of eventNames(60)) {
      tab.pipeline.capture(name, { text: 'x'.repeat(500) })
      await harness.clock.advance(1_000)
      const records = await harness.store.disk.read('e/', 'e0', 1_000)
      expect(records.reduce((sum, [, value]) => sum + value.length, 0)).toBeLessThanOrEqual(10_000)
    }
    const storedNames = await harness.storedEventNames()
    expect(storedNames.length).toBeGreaterThan(8)
    expect([...tab.dropped.map(({ event }) => event.event), ...storedNames]).toEqual(eventNames(60))
  })

  it('drops the oldest events in memory before the store is open', async () => {
    const harness = createPipelineHarness()
    let openStore = (): void => {}
    const tab = harness.open({ maxQueueSize: 3, whenStoreOpens: () => new Promise((resolve) => (openStore = resolve)) })
    tab.capture(...eventNames(5))
    openStore()
    const flushed = tab.pipeline.flush()
    // The queue is trimmed under the lock, for which a delivery waits.
    await harness.clock.advance(200)
    await flushed
    expect(harness.service.eventNames()).toEqual(eventNames(5).slice(2))
    expect(tab.dropped.map(({ event }) => event.event)).toEqual(eventNames(2))
  })
})
