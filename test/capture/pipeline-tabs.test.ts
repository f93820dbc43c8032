import { describe, expect, it } from 'vitest'
import { createInitialState } from '../../src/capture/state.ts'
import { createMemoryKeyValue } from '../../src/platform/memory/memory-key-value.ts'
import { createWorld } from '../support/pipeline-harness.ts'
import type { Tab } from '../support/pipeline-harness.ts'

describe('two tabs', () => {
  it('deliver each event once, one tab at a time', async () => {
    const world = createWorld()
    const tabs = [world.open(), world.open()]
    await world.idle()
    let running = 0
    let maxRunning = 0
    world.service.reply = async () => {
      maxRunning = Math.max(maxRunning, ++running)
      await Promise.resolve()
      running--
      return { status: 200 }
    }
    tabs[0]!.capture('a', 'b')
    tabs[1]!.capture('c', 'd')
    await Promise.all([...tabs.map((tab) => tab.pipeline.flush()), world.clock.advance(10_000)])
    const delivered = world.service.events().map(({ event }) => event)
    expect(delivered.toSorted()).toEqual(['a', 'b', 'c', 'd'])
    expect(delivered.filter((name) => name < 'c')).toEqual(['a', 'b'])
    expect(maxRunning).toBe(1)
  })

  it('share a back-off', async () => {
    const world = createWorld()
    world.service.reply = () => ({ status: 503 })
    const tabs = [world.open({ flushAt: 1 }), world.open({ flushAt: 1 })]
    await world.idle()
    tabs[0]!.capture('a')
    await world.idle()
    tabs[1]!.capture('b')
    await world.clock.advance(2_000)
    expect(world.service.requests).toHaveLength(1)
  })

  it('forget events that the other has delivered, so that no beacon repeats them', async () => {
    const world = createWorld()
    const [one, other] = [world.open(), world.open()]
    await world.idle()
    one.capture('a')
    await world.idle()
    await other.pipeline.flush()
    one.lifecycle.unload()
    expect(world.service.events().map(({ event }) => event)).toEqual(['a'])
  })

  it('release the lock when its holder dies', async () => {
    const world = createWorld()
    const [one, other] = [world.open(), world.open()]
    await world.idle()
    world.service.reply = (_request, index) => (index ? { status: 200 } : new Promise(() => {}))
    one.capture('a')
    void one.pipeline.flush()
    await world.idle()
    expect(world.lock.isHeld()).toBe(true)
    one.kill()
    await other.pipeline.flush()
    expect(world.service.names()).toEqual(['a'])
  })

  it('see the identity that the other has set', async () => {
    const world = createWorld()
    const [one, other] = [world.open(), world.open()]
    await world.idle()
    other.capture('before')
    one.pipeline.state.change((state) => ({ ...state, distinctId: 'user-1' }))
    await world.clock.advance(6_000)
    other.capture('activity')
    other.kill()
    one.kill()
    await world.idle()
    const next = world.open()
    await world.idle()
    expect(next.pipeline.state.current().distinctId).toBe('user-1')
  })

  it.each([
    ['that is open', () => {}, () => {}],
    [
      'that is restored from the back/forward cache',
      ({ lifecycle }: Tab) => lifecycle.unload(),
      ({ lifecycle }: Tab) => lifecycle.wake('restored'),
    ],
  ])('with separate session storages share an opt-out with a tab %s', async (_where, leave, restore) => {
    const world = createWorld()
    const [one, other] = [
      world.open({ storage: createMemoryKeyValue() }),
      world.open({ storage: createMemoryKeyValue() }),
    ]
    await world.idle()
    leave(other)
    one.pipeline.state.change((state) => ({ ...state, isOptedOut: true }), true)
    await world.clock.advance(6_000)
    restore(other)
    await world.idle()
    other.capture('activity')
    await world.idle()
    expect(other.dropped.map(({ reason }) => reason)).toEqual(['opted_out'])
    const next = world.open({ storage: createMemoryKeyValue() })
    await world.idle()
    expect(next.pipeline.state.current().isOptedOut).toBe(true)
  })

  it('share one session, and the next one', async () => {
    const world = createWorld()
    const [one, other] = [world.open(), world.open()]
    await world.idle()
    const first = one.pipeline.sessionId()
    expect(other.pipeline.sessionId()).toBe(first)
    for (let minutes = 0; minutes < 60; minutes += 20) {
      await world.clock.advance(20 * 60_000)
      one.capture('active')
    }
    expect(other.pipeline.sessionId()).toBe(first)
    await world.clock.advance(30 * 60_000)
    const second = one.pipeline.sessionId()
    expect(second).not.toBe(first)
    expect(other.pipeline.sessionId()).toBe(second)
  })
})

describe('a page that is restored from the back/forward cache', () => {
  it('leaves events that another page has delivered out of its next beacon', async () => {
    const world = createWorld()
    world.service.doBeaconsArrive = false
    const tab = world.open()
    await world.idle()
    tab.capture('a')
    await world.idle()
    tab.lifecycle.unload()
    await world.clock.advance(31_000)
    const other = world.open()
    await other.pipeline.flush()
    expect(world.service.events()).toHaveLength(1)
    tab.lifecycle.wake('restored')
    tab.capture('b')
    await world.idle()
    world.service.doBeaconsArrive = true
    tab.lifecycle.unload()
    expect(world.service.events().map(({ event }) => event)).toEqual(['a', 'b'])
  })
})

describe('a frozen holder of the lock', () => {
  it('loses the lock after two request timeouts without progress', async () => {
    const world = createWorld()
    const tab = world.open()
    await world.idle()
    world.lock.holdForever()
    tab.capture('a')
    await world.clock.advance(20_000)
    expect(world.service.requests).toHaveLength(0)
    await world.clock.advance(6_000)
    expect(world.service.names()).toEqual(['a'])
  })

  it('keeps the lock while it delivers events', async () => {
    const world = createWorld()
    const tab = world.open()
    await world.idle()
    world.lock.holdForever()
    tab.capture('a', 'b', 'c', 'd', 'e')
    for (let n = 0; n < 4; n++) {
      await world.clock.advance(15_000)
      const [oldest] = await world.store.disk.keys('e/', 'e0')
      await world.store.disk.write([{ key: oldest!, value: undefined }])
    }
    expect(world.service.requests).toHaveLength(0)
    await world.clock.advance(26_000)
    expect(world.service.names()).toEqual(['e'])
  })

  it('is not confused with a holder from before a time offline', async () => {
    const world = createWorld()
    world.service.reply = () => ({ status: 0 })
    const tabs = [world.open(), world.open()]
    await world.idle()
    tabs[0]!.capture('a')
    await world.idle()
    const wake = (): void => {
      for (const { lifecycle } of tabs) {
        lifecycle.online = true
        lifecycle.wake('online')
      }
    }
    wake()
    await world.idle()
    for (const { lifecycle } of tabs) lifecycle.online = false
    await world.clock.advance(60_000)
    world.service.reply = () => ({ status: 200 })
    const before = world.service.requests.length
    wake()
    await world.idle()
    expect(world.service.requests).toHaveLength(before + 1)
  })

  it('keeps the lock while the service fails slowly', async () => {
    const world = createWorld()
    let running = 0
    let maxRunning = 0
    world.service.reply = async () => {
      maxRunning = Math.max(maxRunning, ++running)
      await new Promise<void>((resolve) => world.clock.after(10_000, resolve))
      running--
      return { status: 0 }
    }
    const one = world.open({ flushAt: 1 })
    await world.idle()
    one.capture('a')
    await world.clock.advance(500)
    // Tries every 3 s: right before the first request fails, and then during the second request.
    world.open()
    await world.clock.advance(60_000)
    expect([world.service.requests.length > 2, maxRunning]).toEqual([true, 1])
  })

  it('does not block for long after the clock was set back an hour', async () => {
    const world = createWorld()
    const tab = world.open()
    await world.idle()
    world.lock.holdForever()
    tab.capture('a')
    await world.clock.advance(10_000)
    world.clock.set(world.clock.now() - 3_600_000)
    await world.clock.advance(26_000)
    expect(world.service.names()).toEqual(['a'])
  })
})

describe('a back-off', () => {
  it('ends early after the clock was set back', async () => {
    const world = createWorld()
    world.service.reply = () => ({ status: 404 })
    const tab = world.open({ flushAt: 1 })
    await world.idle()
    tab.capture('a')
    await world.idle()
    world.clock.set(world.clock.now() - 3_600_000)
    world.service.reply = () => ({ status: 200 })
    tab.capture('b')
    await world.idle()
    expect(world.service.names()).toEqual(['a', 'b'])
  })
})

describe('shutdown()', () => {
  it('delivers the queue, refuses later events and leaves no timer', async () => {
    const world = createWorld()
    const tab = world.open()
    tab.capture('a')
    await tab.pipeline.shutdown(30_000)
    expect(world.service.names()).toEqual(['a'])
    expect(tab.pipeline.capture('late', {})).toBe(false)
    expect(tab.dropped.map(({ reason }) => reason)).toEqual(['shut_down'])
    expect(tab.warnings).toHaveLength(1)
    expect(world.clock.pending()).toBe(0)
    await tab.pipeline.shutdown(30_000)
    await world.clock.advance(600_000)
    expect(world.service.requests).toHaveLength(1)
  })

  it('delivers at once during a back-off', async () => {
    const world = createWorld()
    world.service.reply = (_request, index) => ({ status: index ? 200 : 503 })
    const tab = world.open({ flushAt: 1 })
    await world.idle()
    tab.capture('a')
    await world.idle()
    await tab.pipeline.shutdown(30_000)
    expect(world.service.names()).toEqual(['a'])
    expect(world.clock.pending()).toBe(0)
  })

  it('ends in time with a warning, and keeps the events stored', async () => {
    const world = createWorld()
    world.service.reply = () => ({ status: 503 })
    const tab = world.open()
    tab.capture('a')
    const ended = tab.pipeline.shutdown(2_000)
    await world.clock.advance(2_000)
    await ended
    expect(await world.waiting()).toEqual(['a'])
    expect(tab.warnings.map(String)).toContainEqual(expect.stringContaining('shutdown: 1 event'))
    expect(world.clock.pending()).toBe(0)
  })

  it('warns that delivery failed before the timeout', async () => {
    const world = createWorld()
    world.service.reply = () => ({ status: 429, retryAfter: '3600' })
    const tab = world.open()
    tab.capture('a')
    await tab.pipeline.shutdown(30_000)
    expect(tab.warnings.map(String)).toContainEqual(expect.stringContaining('shutdown: 1 event'))
    expect(world.clock.pending()).toBe(0)
  })

  it('resolves when the store never opens, and keeps the events', async () => {
    const world = createWorld()
    const tab = world.open({ opening: () => new Promise(() => {}) })
    tab.capture('a')
    const ended = tab.pipeline.shutdown(1_500)
    await world.clock.advance(1_500)
    await ended
    expect(tab.warnings).toHaveLength(1)
    tab.kill()
    world.open()
    await world.idle()
    expect(world.service.names()).toEqual(['a'])
  })
})

describe('an opted-out user', () => {
  it('causes no request and no write', async () => {
    const world = createWorld()
    const tab = world.open({ createState: () => createInitialState('new', true) })
    await world.idle()
    const before = world.storage.get('state')
    expect(tab.pipeline.capture('a', {})).toBe(false)
    tab.pipeline.sessionId()
    await world.clock.advance(60_000)
    tab.pipeline.capture('b', {})
    tab.pipeline.sessionId()
    expect(world.storage.get('state')).toBe(before)
    expect(await world.waiting()).toEqual([])
    expect(tab.dropped.map(({ reason }) => reason)).toEqual(['opted_out', 'opted_out'])
    expect(tab.warnings).toHaveLength(1)
    expect(world.service.requests).toHaveLength(0)
  })
})

describe('a hidden page', () => {
  it('delivers at once during a back-off, by a request that outlives it', async () => {
    const world = createWorld()
    world.service.reply = (_request, index) => ({ status: index ? 200 : 503 })
    const tab = world.open({ flushAt: 1 })
    await world.idle()
    tab.capture('a')
    await world.idle()
    tab.lifecycle.hide()
    await world.idle()
    expect(world.service.requests[1]).toMatchObject({ keepalive: true })
    expect(world.service.names()).toEqual(['a'])
  })

  it('uses no keepalive for a body with too many bytes', async () => {
    const world = createWorld()
    const tab = world.open()
    await world.idle()
    tab.lifecycle.hide()
    tab.pipeline.capture('a', { text: '漢'.repeat(30_000) })
    await tab.pipeline.flush()
    expect(world.service.requests).toMatchObject([{ keepalive: false }])
    expect(tab.reports[0]!.bytesAfter).toBe(Buffer.byteLength(world.service.requests[0]!.body))
  })
})
