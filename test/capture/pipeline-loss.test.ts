import { describe, expect, it } from 'vitest'
import { createInitialState } from '../../src/capture/state.ts'
import { readSpill, SPILL_KEYS } from '../../src/capture/spill.ts'
import type { StoreRecord } from '../../src/port/event-store.ts'
import { createWorld } from '../support/pipeline-harness.ts'
import type { World } from '../support/pipeline-harness.ts'

const names = (count: number, prefix = 'event'): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix} ${index}`)

const spilled = (world: World): readonly StoreRecord[] => SPILL_KEYS.flatMap((key) => readSpill(world.storage, key))

const ids = (world: World): string[] => world.service.events().map(({ distinct_id }) => distinct_id)

describe('a killed tab', () => {
  it('keeps its events for the next start, which delivers them at once', async () => {
    const world = createWorld()
    world.service.reply = () => ({ status: 0 })
    const tab = world.open()
    await world.idle()
    tab.capture(...names(50))
    await world.clock.advance(1_000)
    tab.kill()
    world.service.reply = () => ({ status: 200 })
    world.open()
    await world.idle()
    expect(world.service.names()).toEqual(names(50))
    expect(await world.waiting()).toEqual([])
  })

  it('keeps identity, super properties and groups without the synchronous copy', async () => {
    const world = createWorld()
    const tab = world.open()
    await world.idle()
    tab.capture('before')
    tab.pipeline.state.change((state) => ({
      ...state,
      distinctId: 'user-1',
      isIdentified: true,
      superProperties: { plan: 'pro' },
      groups: { company: 'acme' },
    }))
    await world.idle()
    const session = tab.pipeline.sessionId()
    tab.kill()
    world.loseStorage()
    const next = world.open()
    next.capture('early')
    expect(next.pipeline.state.current().distinctId).not.toBe('user-1')
    await next.pipeline.flush()
    expect(next.pipeline.state.current()).toMatchObject({ distinctId: 'user-1', superProperties: { plan: 'pro' } })
    expect(next.pipeline.sessionId()).toBe(session)
    const early = world.service.events().find(({ event }) => event === 'early')
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
    const world = createWorld()
    const tab = world.open()
    tab.pipeline.state.change((state) => ({ ...state, distinctId: 'user-1', isIdentified: true }))
    await world.idle()
    tab.kill()
    world.loseStorage()
    const next = world.open()
    const cart = { items: [1], at: new Date(0) }
    next.pipeline.capture('early', { cart, $lib: undefined })
    cart.items.push(2)
    await next.pipeline.flush()
    const [early] = world.service.events()
    expect(early).toMatchObject({ distinct_id: 'user-1', properties: { cart: { items: [1], at: cart.at.toJSON() } } })
    expect(early!.properties).not.toHaveProperty('$lib')
  })

  it('keeps its identity when two tabs are restored together', async () => {
    const world = createWorld()
    const tab = world.open()
    tab.pipeline.state.change((state) => ({ ...state, distinctId: 'user-1', isIdentified: true }))
    await world.idle()
    tab.kill()
    world.loseStorage()
    const tabs = [world.open(), world.open()]
    for (const [index, restored] of tabs.entries()) restored.capture(`page ${index}`)
    await Promise.all([...tabs.map((restored) => restored.pipeline.flush()), world.clock.advance(1_000)])
    expect(ids(world)).toEqual(['user-1', 'user-1'])
    for (const restored of tabs) expect(restored.pipeline.state.current().distinctId).toBe('user-1')
    tabs.forEach((restored) => restored.kill())
    world.loseStorage()
    const last = world.open()
    await world.idle()
    expect(last.pipeline.state.current().distinctId).toBe('user-1')
  })

  it('keeps its opt-out: early events are dropped and reported', async () => {
    const world = createWorld()
    const tab = world.open()
    await world.idle()
    tab.pipeline.state.change((state) => ({ ...state, isOptedOut: true }), true)
    await world.idle()
    tab.kill()
    world.loseStorage()
    const next = world.open()
    next.capture('early')
    await next.pipeline.flush()
    expect(world.service.requests).toHaveLength(0)
    expect(await world.waiting()).toEqual([])
    expect(next.dropped.map(({ event, reason }) => [event.event, reason])).toEqual([['early', 'opted_out']])
    expect(next.pipeline.capture('later', {})).toBe(false)
  })

  it('keeps its identity when the store opens too late for early events', async () => {
    const world = createWorld()
    const tab = world.open()
    tab.pipeline.state.change((state) => ({ ...state, distinctId: 'user-1' }))
    await world.idle()
    tab.kill()
    world.loseStorage()
    let openStore = (): void => {}
    const next = world.open({ opening: () => new Promise((resolve) => (openStore = resolve)) })
    next.capture('early')
    await world.clock.advance(1_500)
    openStore()
    await world.idle()
    next.capture('late')
    await next.pipeline.flush()
    expect(ids(world)[1]).toBe('user-1')
    next.kill()
    world.loseStorage()
    const last = world.open()
    await world.idle()
    expect(last.pipeline.state.current().distinctId).toBe('user-1')
  })

  it('keeps its identity, and stores again, when the store opens after 5 s', async () => {
    const world = createWorld()
    const tab = world.open()
    tab.pipeline.state.change((state) => ({ ...state, distinctId: 'user-1' }))
    await world.idle()
    tab.kill()
    world.loseStorage()
    world.service.reply = () => ({ status: 503 })
    let openStore = (): void => {}
    const next = world.open({ opening: () => new Promise((resolve) => (openStore = resolve)) })
    next.capture('early')
    await world.clock.advance(5_000)
    expect(world.service.requests.length).toBeGreaterThan(0)
    openStore()
    await world.idle()
    next.capture('late')
    await world.idle()
    expect(next.pipeline.state.current().distinctId).toBe('user-1')
    next.kill()
    expect(await world.waiting()).toEqual(['early', 'late'])
    world.loseStorage()
    const last = world.open()
    await world.idle()
    expect(last.pipeline.state.current().distinctId).toBe('user-1')
  })

  it('does not restore the old user after a reset before the store was read', async () => {
    const world = createWorld()
    const tab = world.open()
    tab.pipeline.state.change((state) => ({ ...state, distinctId: 'user-1', superProperties: { plan: 'pro' } }))
    await world.idle()
    tab.kill()
    world.loseStorage()
    const next = world.open()
    next.pipeline.state.change((state) => ({
      ...createInitialState('anonymous-2', state.isOptedOut),
      deviceId: state.deviceId,
    }))
    next.capture('after')
    await next.pipeline.flush()
    expect(next.pipeline.state.current()).toMatchObject({
      distinctId: 'anonymous-2',
      anonymousId: 'anonymous-2',
      superProperties: {},
    })
    expect(world.service.events()[0]!.distinct_id).toBe('anonymous-2')
    expect(world.service.events()[0]!.properties).not.toHaveProperty('plan')
  })
})

describe('a closed tab', () => {
  it('sends its events by beacon, and after 30 s once more', async () => {
    const world = createWorld()
    const tab = world.open()
    await world.idle()
    tab.capture(...names(20))
    await tab.close()
    expect(world.service.names()).toEqual(names(20))
    expect(world.service.events()).toHaveLength(20)
    const next = world.open()
    await world.clock.advance(29_000)
    await next.pipeline.flush()
    expect(world.service.events()).toHaveLength(20)
    await world.clock.advance(1_001)
    expect(await world.waiting()).toEqual([])
    expect(world.service.names()).toEqual(names(20))
    expect(world.service.events()).toHaveLength(40)
  })

  it('loses nothing when the last writes are aborted and the beacon is lost', async () => {
    const world = createWorld()
    world.service.doBeaconsArrive = false
    const tab = world.open()
    await world.idle()
    tab.capture(...names(20))
    tab.lifecycle.unload()
    tab.kill()
    world.open()
    await world.clock.advance(30_001)
    expect(world.service.names()).toEqual(names(20))
    expect(world.service.events()).toHaveLength(20)
    expect(spilled(world)).toEqual([])
  })

  it('passes its events to a page that started before it was gone', async () => {
    const world = createWorld()
    world.service.doBeaconsArrive = false
    const tab = world.open()
    const next = world.open()
    await world.idle()
    tab.capture('a')
    tab.lifecycle.unload()
    tab.kill()
    for (const key of SPILL_KEYS) next.hearStorage(key)
    await world.clock.advance(30_001)
    expect(world.service.names()).toEqual(['a'])
  })

  it('leaves events in flight out of the beacon', async () => {
    const world = createWorld()
    let respond = (): void => undefined
    world.service.reply = () => new Promise((resolve) => (respond = () => resolve({ status: 200 })))
    const tab = world.open()
    await world.idle()
    tab.capture('a')
    void tab.pipeline.flush()
    await world.idle()
    tab.capture('b')
    tab.lifecycle.unload()
    respond()
    tab.kill()
    await world.idle()
    expect(world.service.events().map(({ event }) => event)).toEqual(['b', 'a'])
    world.service.reply = () => ({ status: 200 })
    world.open()
    await world.clock.advance(29_000)
    expect(world.service.events()).toHaveLength(2)
    await world.clock.advance(1_001)
    expect(world.service.names()).toEqual(['b', 'a'])
    expect(world.service.events()).toHaveLength(4)
  })

  it('counts a request as in flight that the browser failed for the navigation', async () => {
    const world = createWorld()
    world.service.reply = () => ({ status: 200, isDropped: true })
    const tab = world.open()
    await world.idle()
    tab.capture('a')
    tab.lifecycle.hide()
    await world.idle()
    tab.lifecycle.unload()
    await world.idle()
    tab.kill()
    world.service.reply = () => ({ status: 200 })
    world.open()
    await world.clock.advance(29_000)
    expect(world.service.events()).toHaveLength(1)
    await world.clock.advance(1_001)
    expect(world.service.events()).toHaveLength(2)
    expect(await world.waiting()).toEqual([])
  })

  it('starts no request after it is left, because it cannot see the response', async () => {
    const world = createWorld()
    world.service.beaconBudget = 0
    const tab = world.open()
    await world.idle()
    tab.capture('a')
    tab.lifecycle.unload()
    tab.lifecycle.hide()
    await world.idle()
    expect(world.service.requests).toEqual([])
    tab.lifecycle.wake('restored')
    await world.idle()
    expect(world.service.names()).toEqual(['a'])
    expect(spilled(world)).toEqual([])
  })

  it('loses nothing when an accepted beacon never arrives', async () => {
    const world = createWorld()
    world.service.reply = () => ({ status: 0 })
    world.service.doBeaconsArrive = false
    const tab = world.open()
    await world.idle()
    tab.capture('a')
    tab.lifecycle.unload()
    await world.idle()
    tab.kill()
    world.service.reply = () => ({ status: 200 })
    world.open()
    await world.idle()
    expect(world.service.names()).toEqual([])
    await world.clock.advance(30_001)
    expect(world.service.names()).toEqual(['a'])
  })

  it('has no resend delay when the clock was set back an hour', async () => {
    const world = createWorld()
    world.service.doBeaconsArrive = false
    const tab = world.open()
    await world.idle()
    tab.capture('a')
    tab.lifecycle.unload()
    await world.idle()
    tab.kill()
    world.clock.set(world.clock.now() - 3_600_000)
    world.open()
    await world.idle()
    expect(world.service.names()).toEqual(['a'])
  })

  it('sends its events at most twice for a visitor who changes pages quickly', async () => {
    const world = createWorld()
    const tab = world.open()
    await world.idle()
    tab.capture('a')
    await tab.close()
    for (let page = 0; page < 5; page++) {
      const next = world.open()
      await world.clock.advance(1_000)
      await next.close()
    }
    expect(world.service.events()).toHaveLength(1)
    world.open()
    await world.clock.advance(30_001)
    expect(world.service.events()).toHaveLength(2)
    expect(await world.waiting()).toEqual([])
  })

  it('starts no request when compression ends after the page is left', async () => {
    const world = createWorld()
    const tab = world.open({ disableCompression: false })
    await world.idle()
    tab.pipeline.capture('a', { text: 'x'.repeat(500) })
    await world.idle()
    const flushed = tab.pipeline.flush()
    tab.lifecycle.unload()
    await flushed
    expect(world.service.requests).toEqual([])
    expect(world.service.names()).toEqual(['a'])
    tab.lifecycle.wake('restored')
    await world.clock.advance(30_001)
    expect(world.service.requests).toHaveLength(1)
    expect(await world.waiting()).toEqual([])
  })

  it('keeps what the beacon refuses, and respects the limit of all beacons', async () => {
    const world = createWorld()
    const tab = world.open({ flushInterval: 60_000 })
    await world.idle()
    for (const name of names(60)) tab.pipeline.capture(name, { text: 'x'.repeat(2_000) })
    tab.lifecycle.unload()
    await world.idle()
    tab.kill()
    const sent = world.service.names().length
    expect(sent).toBeGreaterThan(10)
    expect(sent).toBeLessThan(30)
    expect(world.service.beaconBudget).toBeGreaterThan(0)
    world.open()
    await world.clock.advance(30_001)
    expect(world.service.names().toSorted()).toEqual(names(60).toSorted())
    expect(await world.waiting()).toEqual([])
  })

  it.each([
    ['by the beacon, once each', 64 * 1024],
    ['by the store, when the beacon refuses', 0],
  ])('delivers events that are captured during unload, %s', async (_how, beaconBudget) => {
    const world = createWorld()
    world.service.beaconBudget = beaconBudget
    const tab = world.open()
    await world.idle()
    tab.capture('before')
    tab.lifecycle.unload()
    tab.capture('after 1', 'after 2')
    // No event-loop turn follows: only work that has started completes.
    await Promise.resolve()
    tab.kill()
    const byBeacon = world.service.events().map(({ event }) => event)
    expect(byBeacon).toEqual(beaconBudget ? ['before', 'after 1', 'after 2'] : [])
    const next = world.open()
    await next.pipeline.flush()
    expect(world.service.names()).toEqual(['before', 'after 1', 'after 2'])
    expect(world.service.events()).toHaveLength(3)
    await world.clock.advance(30_001)
    expect(world.service.names()).toEqual(['before', 'after 1', 'after 2'])
    expect(await world.waiting()).toEqual([])
  })

  it('spills events of its unload when its store was not open', async () => {
    const world = createWorld()
    world.service.beaconBudget = 0
    const tab = world.open({ opening: () => new Promise(() => {}) })
    tab.capture('before')
    tab.lifecycle.unload()
    tab.capture('after 1', 'after 2')
    tab.kill()
    world.open()
    await world.idle()
    expect(world.service.events().map(({ event }) => event)).toEqual(['before', 'after 1', 'after 2'])
  })

  it.each(['restored', 'visible'] as const)('captures as before when it is %s', async (cause) => {
    const world = createWorld()
    const tab = world.open()
    await world.idle()
    tab.lifecycle.unload()
    tab.lifecycle.wake(cause)
    tab.capture('a')
    expect(world.service.events()).toEqual([])
    await tab.pipeline.flush()
    expect(world.service.names()).toEqual(['a'])
  })

  it('does not overwrite the spill of another page that closes at the same time', async () => {
    const world = createWorld()
    world.service.beaconBudget = 0
    const stale = { ...world.storage, get: () => null }
    const tabs = ['a', 'b'].map((name) => {
      const tab = world.open({ opening: () => new Promise(() => {}), storage: stale })
      tab.capture(name)
      return tab
    })
    for (const tab of tabs) await tab.close()
    world.open()
    await world.idle()
    expect(world.service.names().toSorted()).toEqual(['a', 'b'])
  })

  it('keeps its spill while another page restores an earlier one', async () => {
    const world = createWorld()
    world.service.beaconBudget = 0
    const spill = (name: string): void => {
      const tab = world.open({ opening: () => new Promise(() => {}) })
      tab.capture(name)
      tab.lifecycle.unload()
      tab.kill()
    }
    spill('a')
    world.store.refuses = (entries) => {
      if (entries.some(({ key }) => key.startsWith('e/'))) {
        world.store.refuses = () => false
        spill('b')
      }
      return false
    }
    world.open()
    await world.idle()
    world.open()
    await world.idle()
    expect(world.service.names()).toEqual(['a', 'b'])
    expect(spilled(world)).toEqual([])
  })

  it('spills to synchronous storage when its store was not open', async () => {
    const world = createWorld()
    world.service.beaconBudget = 0
    const tab = world.open({ opening: () => new Promise(() => {}) })
    tab.capture(...names(20))
    await tab.close()
    expect(await world.waiting()).toEqual([])
    world.service.reply = () => ({ status: 0 })
    const next = world.open()
    await world.idle()
    expect(await world.waiting()).toEqual(names(20))
    next.kill()
    world.loseStorage()
    world.service.reply = () => ({ status: 200 })
    world.open()
    await world.idle()
    expect(world.service.names()).toEqual(names(20))
  })

  it('spills events first that were not sent, and reports what does not fit', async () => {
    const world = createWorld()
    const tab = world.open({ opening: () => new Promise(() => {}) })
    for (const name of names(40)) tab.pipeline.capture(name, { text: 'x'.repeat(10_000) })
    await tab.close()
    const byBeacon = world.service.names()
    expect(byBeacon.length).toBeGreaterThan(0)
    world.open()
    await world.clock.advance(30_001)
    const lost = tab.dropped.map(({ event }) => event.event)
    expect(tab.dropped.every(({ reason }) => reason === 'storage_unavailable')).toBe(true)
    expect(lost.length).toBeGreaterThan(0)
    expect([...world.service.names(), ...lost].toSorted()).toEqual(names(40).toSorted())
  })

  it('sends only unstored events by beacon during a Retry-After', async () => {
    const world = createWorld()
    world.service.reply = () => ({ status: 429, retryAfter: '60' })
    const tab = world.open({ flushAt: 1 })
    await world.idle()
    tab.capture('stored')
    await world.idle()
    tab.capture('unstored')
    await tab.close()
    expect(world.service.names()).toEqual(['unstored'])
    expect(await world.waiting()).toEqual(['stored', 'unstored'])
  })

  it('reports no event as lost that it can deliver after it is restored', async () => {
    const world = createWorld()
    world.service.beaconBudget = 0
    const tab = world.open({ opening: () => Promise.reject(new Error('private mode')) })
    await world.idle()
    for (const name of names(40)) tab.pipeline.capture(name, { text: 'x'.repeat(10_000) })
    tab.lifecycle.unload(true)
    tab.lifecycle.wake('restored')
    await tab.pipeline.flush()
    expect(world.service.names().toSorted()).toEqual(names(40).toSorted())
    expect(tab.dropped).toEqual([])
  })

  it('loses nothing during its first write', async () => {
    const world = createWorld()
    world.service.beaconBudget = 0
    const tab = world.open()
    await world.idle()
    tab.capture('a')
    await tab.close()
    world.open()
    await world.idle()
    expect(world.service.names()).toEqual(['a'])
  })

  it('sends nothing when the user has opted out', async () => {
    const world = createWorld()
    const tab = world.open()
    await world.idle()
    tab.capture('a')
    tab.pipeline.state.change((state) => ({ ...state, isOptedOut: true }), true)
    await tab.close()
    expect(world.service.names()).toEqual([])
  })
})

describe('a page that is left after an opt-out with a closed store', () => {
  it('keeps earlier events and delivers them after the next opt-in', async () => {
    const world = createWorld()
    const tab = world.open({ opening: () => new Promise(() => {}) })
    tab.capture('a')
    tab.pipeline.state.change((state) => ({ ...state, isOptedOut: true }), true)
    await tab.close()
    expect(world.service.names()).toEqual([])
    const next = world.open()
    await world.idle()
    expect(world.service.names()).toEqual([])
    next.pipeline.state.change((state) => ({ ...state, isOptedOut: false }), true)
    await next.pipeline.flush()
    expect(world.service.names()).toEqual(['a'])
    expect([...tab.dropped, ...next.dropped]).toEqual([])
  })
})

describe('a store that fails', () => {
  it('to write is used again once it accepts writes', async () => {
    const world = createWorld()
    world.service.reply = () => ({ status: 0 })
    const tab = world.open()
    await world.idle()
    world.store.refuses = () => true
    tab.capture('a', 'b')
    await world.idle()
    expect(await world.waiting()).toEqual([])
    world.store.refuses = () => false
    tab.capture('c')
    await world.idle()
    expect(await world.waiting()).toEqual(['a', 'b', 'c'])
    expect(tab.warnings.map(String)).toEqual([expect.stringContaining('QuotaExceededError')])
  })

  it('and is deleted while open gets the events of the page again', async () => {
    const world = createWorld()
    world.service.reply = () => ({ status: 0 })
    const tab = world.open()
    await world.idle()
    tab.capture('a', 'b')
    await world.idle()
    await world.store.lose()
    expect(await world.waiting()).toEqual([])
    await world.idle()
    expect(await world.waiting()).toEqual(['a', 'b'])
    world.service.reply = () => ({ status: 200 })
    tab.lifecycle.wake('online')
    await world.idle()
    expect(world.service.names()).toEqual(['a', 'b'])
  })

  it('to open does not let captures bypass the back-off', async () => {
    const world = createWorld()
    world.service.reply = () => ({ status: 503 })
    const tab = world.open({ flushAt: 1, opening: () => Promise.reject(new Error('private mode')) })
    await world.idle()
    for (let n = 0; n < 20; n++) {
      tab.capture(`event ${n}`)
      await world.clock.advance(100)
    }
    expect(world.service.requests).toHaveLength(1)
  })

  it('to open is replaced by memory, with one warning', async () => {
    const world = createWorld()
    const tab = world.open({ opening: () => Promise.reject(new Error('private mode')) })
    tab.capture('a', 'b')
    await tab.pipeline.flush()
    tab.capture('c')
    await tab.pipeline.flush()
    expect(world.service.names()).toEqual(['a', 'b', 'c'])
    expect(tab.warnings.map(String)).toEqual([expect.stringContaining('storage_unavailable')])
  })

  it('to write later is replaced by memory for the rest, in order', async () => {
    const world = createWorld()
    world.service.reply = () => ({ status: 0 })
    const tab = world.open()
    await world.idle()
    tab.capture('a')
    await world.idle()
    world.store.refuses = (entries) => entries.some(({ value }) => value !== undefined)
    tab.capture('b', 'c')
    await world.clock.advance(10_000)
    world.service.reply = () => ({ status: 200 })
    await world.clock.advance(300_000)
    expect(world.service.names()).toEqual(['a', 'b', 'c'])
    expect(await world.waiting()).toEqual([])
  })

  it('to delete does not make the agent send the same events forever', async () => {
    const world = createWorld()
    const tab = world.open()
    await world.idle()
    tab.capture('a')
    await world.idle()
    world.store.refuses = () => true
    await tab.pipeline.flush()
    tab.capture('b')
    await tab.pipeline.flush()
    await world.clock.advance(60_000)
    expect(world.service.requests).toHaveLength(2)
    expect(world.service.names()).toEqual(['a', 'b'])
    world.store.refuses = () => false
    tab.capture('c')
    await tab.pipeline.flush()
    expect(await world.waiting()).toEqual([])
  })

  it('to open makes the page spill its events when it is left', async () => {
    const world = createWorld()
    world.service.beaconBudget = 0
    const tab = world.open({ opening: () => Promise.reject(new Error('private mode')) })
    await world.idle()
    tab.capture('a')
    tab.lifecycle.unload()
    tab.kill()
    world.open()
    await world.idle()
    expect(world.service.names()).toEqual(['a'])
  })
})

describe('a full queue', () => {
  it('drops the oldest events and reports each once', async () => {
    const world = createWorld()
    const tab = world.open({ maxEvents: 10 })
    await world.idle()
    tab.lifecycle.online = false
    for (const name of names(35)) {
      tab.capture(name)
      if (name.endsWith('5')) await world.idle()
    }
    await world.clock.advance(1_000)
    expect(await world.waiting()).toEqual(names(35).slice(25))
    expect(tab.dropped.map(({ event }) => event.event)).toEqual(names(25))
    expect(new Set(tab.dropped.map(({ reason }) => reason))).toEqual(new Set(['queue_overflow']))
    expect(tab.warnings).toHaveLength(1)
  })

  it('is within the byte limit again after a second, every time', async () => {
    const world = createWorld()
    const tab = world.open({ maxBytes: 10_000 })
    await world.idle()
    tab.lifecycle.online = false
    for (const name of names(60)) {
      tab.pipeline.capture(name, { text: 'x'.repeat(500) })
      await world.clock.advance(1_000)
      const records = await world.store.disk.read('e/', 'e0', 1_000)
      expect(records.reduce((sum, { value }) => sum + value.length, 0)).toBeLessThanOrEqual(10_000)
    }
    const rest = await world.waiting()
    expect(rest.length).toBeGreaterThan(8)
    expect([...tab.dropped.map(({ event }) => event.event), ...rest]).toEqual(names(60))
  })

  it('drops the oldest events in memory before the store is open', async () => {
    const world = createWorld()
    let openStore = (): void => {}
    const tab = world.open({ maxEvents: 3, opening: () => new Promise((resolve) => (openStore = resolve)) })
    tab.capture(...names(5))
    openStore()
    await tab.pipeline.flush()
    expect(world.service.names()).toEqual(names(5).slice(2))
    expect(tab.dropped.map(({ event }) => event.event)).toEqual(names(2))
  })
})
