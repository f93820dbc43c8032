import { describe, expect, it } from 'vitest'
import { EVENTS_FROM, EVENTS_TO } from '../../src/capture/record-key.ts'
import { createInitialState } from '../../src/capture/state.ts'
import { createMemoryKeyValue } from '../../src/platform/memory/memory-key-value.ts'
import { createPipelineHarness } from '../support/pipeline-harness.ts'
import type { Tab } from '../support/pipeline-harness.ts'

describe('two tabs', () => {
  it('deliver each event once, one tab at a time', async () => {
    const harness = createPipelineHarness()
    const tabs = [harness.open(), harness.open()]
    await harness.waitUntilIdle()
    let running = 0
    let maxRunning = 0
    harness.service.reply = async () => {
      maxRunning = Math.max(maxRunning, ++running)
      await Promise.resolve()
      running--
      return { status: 200 }
    }
    tabs[0]!.capture('a', 'b')
    tabs[1]!.capture('c', 'd')
    await Promise.all([...tabs.map((tab) => tab.pipeline.flush()), harness.clock.advance(10_000)])
    const delivered = harness.service.events().map(({ event }) => event)
    expect(delivered.toSorted()).toEqual(['a', 'b', 'c', 'd'])
    // Only the events of one tab have an order.
    expect(delivered.filter((name) => name < 'c')).toEqual(['a', 'b'])
    expect(maxRunning).toBe(1)
  })

  it('share a back-off', async () => {
    const harness = createPipelineHarness()
    harness.service.reply = () => ({ status: 503 })
    const tabs = [harness.open({ flushAt: 1 }), harness.open({ flushAt: 1 })]
    await harness.waitUntilIdle()
    tabs[0]!.capture('a')
    await harness.waitUntilIdle()
    tabs[1]!.capture('b')
    await harness.clock.advance(2_000)
    expect(harness.service.requests).toHaveLength(1)
  })

  it('send no beacon for events that the other tab has delivered', async () => {
    const harness = createPipelineHarness()
    const [tabA, tabB] = [harness.open(), harness.open()]
    await harness.waitUntilIdle()
    tabA.capture('a')
    await harness.waitUntilIdle()
    await tabB.pipeline.flush()
    tabA.lifecycle.unload()
    expect(harness.service.events().map(({ event }) => event)).toEqual(['a'])
  })

  it('release the lock when its holder dies', async () => {
    const harness = createPipelineHarness()
    const [tabA, tabB] = [harness.open(), harness.open()]
    await harness.waitUntilIdle()
    harness.service.reply = (_request, index) => (index ? { status: 200 } : new Promise(() => {}))
    tabA.capture('a')
    void tabA.pipeline.flush()
    await harness.waitUntilIdle()
    expect(harness.lock.isHeld()).toBe(true)
    tabA.kill()
    await tabB.pipeline.flush()
    expect(harness.service.eventNames()).toEqual(['a'])
  })

  it('do not overwrite the identity that the other tab has set', async () => {
    const harness = createPipelineHarness()
    const [tabA, tabB] = [harness.open(), harness.open()]
    await harness.waitUntilIdle()
    tabB.capture('before')
    tabA.pipeline.state.change((state) => ({ ...state, distinctId: 'user-1' }))
    await harness.clock.advance(6_000)
    tabB.capture('activity')
    tabB.kill()
    tabA.kill()
    await harness.waitUntilIdle()
    const nextTab = harness.open()
    await harness.waitUntilIdle()
    expect(nextTab.pipeline.state.current().distinctId).toBe('user-1')
  })

  it.each([
    ['is open', () => {}, () => {}],
    [
      'is restored from the back/forward cache',
      ({ lifecycle }: Tab) => lifecycle.unload(),
      ({ lifecycle }: Tab) => lifecycle.wake('restored'),
    ],
  ])('share an opt-out despite separate session storages, when one %s', async (_where, leave, restore) => {
    const harness = createPipelineHarness()
    const [tabA, tabB] = [
      harness.open({ storage: createMemoryKeyValue() }),
      harness.open({ storage: createMemoryKeyValue() }),
    ]
    await harness.waitUntilIdle()
    leave(tabB)
    tabA.pipeline.state.change((state) => ({ ...state, isOptedOut: true }), true)
    await harness.clock.advance(6_000)
    restore(tabB)
    await harness.waitUntilIdle()
    tabB.capture('activity')
    await harness.waitUntilIdle()
    expect(tabB.dropped.map(({ reason }) => reason)).toEqual(['opted_out'])
    const nextTab = harness.open({ storage: createMemoryKeyValue() })
    await harness.waitUntilIdle()
    expect(nextTab.pipeline.state.current().isOptedOut).toBe(true)
  })

  it('share a session, and the session after it', async () => {
    const harness = createPipelineHarness()
    const [tabA, tabB] = [harness.open(), harness.open()]
    await harness.waitUntilIdle()
    const first = tabA.pipeline.sessionId()
    expect(tabB.pipeline.sessionId()).toBe(first)
    for (let minutes = 0; minutes < 60; minutes += 20) {
      await harness.clock.advance(20 * 60_000)
      tabA.capture('active')
    }
    expect(tabB.pipeline.sessionId()).toBe(first)
    await harness.clock.advance(30 * 60_000)
    const second = tabA.pipeline.sessionId()
    expect(second).not.toBe(first)
    expect(tabB.pipeline.sessionId()).toBe(second)
  })
})

describe('a page that is restored from the back/forward cache', () => {
  it('sends no beacon for events that another page has delivered', async () => {
    const harness = createPipelineHarness()
    harness.service.beaconsArrive = false
    const tab = harness.open()
    await harness.waitUntilIdle()
    tab.capture('a')
    await harness.waitUntilIdle()
    tab.lifecycle.unload()
    await harness.clock.advance(31_000)
    const tabB = harness.open()
    await tabB.pipeline.flush()
    expect(harness.service.events()).toHaveLength(1)
    tab.lifecycle.wake('restored')
    tab.capture('b')
    await harness.waitUntilIdle()
    harness.service.beaconsArrive = true
    tab.lifecycle.unload()
    expect(harness.service.events().map(({ event }) => event)).toEqual(['a', 'b'])
  })
})

describe('detection of a frozen lock holder', () => {
  it('takes the lock after two request timeouts without progress', async () => {
    const harness = createPipelineHarness()
    const tab = harness.open()
    await harness.waitUntilIdle()
    harness.lock.holdForever()
    tab.capture('a')
    await harness.clock.advance(20_000)
    expect(harness.service.requests).toHaveLength(0)
    await harness.clock.advance(6_000)
    expect(harness.service.eventNames()).toEqual(['a'])
  })

  it('does not take the lock while its holder delivers events', async () => {
    const harness = createPipelineHarness()
    const tab = harness.open()
    await harness.waitUntilIdle()
    harness.lock.holdForever()
    tab.capture('a', 'b', 'c', 'd', 'e')
    for (let n = 0; n < 4; n++) {
      await harness.clock.advance(15_000)
      const [oldest] = await harness.store.disk.keys(EVENTS_FROM, EVENTS_TO)
      await harness.store.disk.write([[oldest!, undefined]])
    }
    expect(harness.service.requests).toHaveLength(0)
    await harness.clock.advance(26_000)
    expect(harness.service.eventNames()).toEqual(['e'])
  })

  it('does not take the lock after both tabs were offline', async () => {
    const harness = createPipelineHarness()
    harness.service.reply = () => ({ status: 0 })
    const tabs = [harness.open(), harness.open()]
    await harness.waitUntilIdle()
    tabs[0]!.capture('a')
    await harness.waitUntilIdle()
    const wake = (): void => {
      for (const { lifecycle } of tabs) {
        lifecycle.online = true
        lifecycle.wake('online')
      }
    }
    wake()
    await harness.waitUntilIdle()
    for (const { lifecycle } of tabs) lifecycle.online = false
    await harness.clock.advance(60_000)
    harness.service.reply = () => ({ status: 200 })
    const before = harness.service.requests.length
    wake()
    await harness.waitUntilIdle()
    expect(harness.service.requests).toHaveLength(before + 1)
  })

  it('does not take the lock while the service fails slowly', async () => {
    const harness = createPipelineHarness()
    let running = 0
    let maxRunning = 0
    harness.service.reply = async () => {
      maxRunning = Math.max(maxRunning, ++running)
      await new Promise<void>((resolve) => harness.clock.after(10_000, resolve))
      running--
      return { status: 0 }
    }
    const tabA = harness.open({ flushAt: 1 })
    await harness.waitUntilIdle()
    tabA.capture('a')
    await harness.clock.advance(500)
    // The second tab tries every 3 s: right before the first request fails, and then during the second request.
    harness.open()
    await harness.clock.advance(60_000)
    expect([harness.service.requests.length > 2, maxRunning]).toEqual([true, 1])
  })

  it('takes the lock also when the clock is set back an hour', async () => {
    const harness = createPipelineHarness()
    const tab = harness.open()
    await harness.waitUntilIdle()
    harness.lock.holdForever()
    tab.capture('a')
    await harness.clock.advance(10_000)
    harness.clock.set(harness.clock.now() - 3_600_000)
    await harness.clock.advance(26_000)
    expect(harness.service.eventNames()).toEqual(['a'])
  })
})

describe('a back-off', () => {
  it('ends early after the clock was set back', async () => {
    const harness = createPipelineHarness()
    harness.service.reply = () => ({ status: 404 })
    const tab = harness.open({ flushAt: 1 })
    await harness.waitUntilIdle()
    tab.capture('a')
    await harness.waitUntilIdle()
    harness.clock.set(harness.clock.now() - 3_600_000)
    harness.service.reply = () => ({ status: 200 })
    tab.capture('b')
    await harness.waitUntilIdle()
    expect(harness.service.eventNames()).toEqual(['a', 'b'])
  })
})

describe('shutdown()', () => {
  it('delivers the queue, refuses later events and leaves no timer', async () => {
    const harness = createPipelineHarness()
    const tab = harness.open()
    tab.capture('a')
    await tab.pipeline.shutdown(30_000)
    expect(harness.service.eventNames()).toEqual(['a'])
    expect(tab.pipeline.capture('late', {})).toBe(false)
    expect(tab.dropped.map(({ reason }) => reason)).toEqual(['shut_down'])
    expect(tab.warnings).toHaveLength(1)
    expect(harness.clock.pending()).toBe(0)
    await tab.pipeline.shutdown(30_000)
    await harness.clock.advance(600_000)
    expect(harness.service.requests).toHaveLength(1)
  })

  it('delivers at once during a back-off', async () => {
    const harness = createPipelineHarness()
    harness.service.reply = (_request, index) => ({ status: index ? 200 : 503 })
    const tab = harness.open({ flushAt: 1 })
    await harness.waitUntilIdle()
    tab.capture('a')
    await harness.waitUntilIdle()
    await tab.pipeline.shutdown(30_000)
    expect(harness.service.eventNames()).toEqual(['a'])
    expect(harness.clock.pending()).toBe(0)
  })

  it('ends at its timeout with a warning, and keeps the stored events', async () => {
    const harness = createPipelineHarness()
    harness.service.reply = () => ({ status: 503 })
    const tab = harness.open()
    tab.capture('a')
    const ended = tab.pipeline.shutdown(2_000)
    await harness.clock.advance(2_000)
    await ended
    expect(await harness.storedEventNames()).toEqual(['a'])
    expect(tab.warnings.map(String)).toContainEqual('events not delivered:,1')
    expect(harness.clock.pending()).toBe(0)
  })

  it('warns that delivery failed before the timeout', async () => {
    const harness = createPipelineHarness()
    harness.service.reply = () => ({ status: 429, retryAfter: '3600' })
    const tab = harness.open()
    tab.capture('a')
    await tab.pipeline.shutdown(30_000)
    expect(tab.warnings.map(String)).toContainEqual('events not delivered:,1')
    expect(harness.clock.pending()).toBe(0)
  })

  it('resolves when the store never opens, and keeps the events', async () => {
    const harness = createPipelineHarness()
    const tab = harness.open({ whenStoreOpens: () => new Promise(() => {}) })
    tab.capture('a')
    const ended = tab.pipeline.shutdown(1_500)
    await harness.clock.advance(1_500)
    await ended
    expect(tab.warnings).toHaveLength(1)
    tab.kill()
    harness.open()
    await harness.waitUntilIdle()
    expect(harness.service.eventNames()).toEqual(['a'])
  })
})

describe('an opted-out user', () => {
  it('causes no request and no write', async () => {
    const harness = createPipelineHarness()
    const tab = harness.open({ createState: () => createInitialState('new', true) })
    await harness.waitUntilIdle()
    const before = harness.storage.get('state')
    expect(tab.pipeline.capture('a', {})).toBe(false)
    tab.pipeline.sessionId()
    await harness.clock.advance(60_000)
    tab.pipeline.capture('b', {})
    tab.pipeline.sessionId()
    expect(harness.storage.get('state')).toBe(before)
    expect(await harness.storedEventNames()).toEqual([])
    expect(tab.dropped.map(({ reason }) => reason)).toEqual(['opted_out', 'opted_out'])
    expect(tab.warnings).toHaveLength(1)
    expect(harness.service.requests).toHaveLength(0)
  })
})

describe('a hidden page', () => {
  it('delivers at once during a back-off, by a request that outlives it', async () => {
    const harness = createPipelineHarness()
    harness.service.reply = (_request, index) => ({ status: index ? 200 : 503 })
    const tab = harness.open({ flushAt: 1 })
    await harness.waitUntilIdle()
    tab.capture('a')
    await harness.waitUntilIdle()
    tab.lifecycle.hide()
    await harness.waitUntilIdle()
    expect(harness.service.requests[1]).toMatchObject({ keepalive: true })
    expect(harness.service.eventNames()).toEqual(['a'])
  })

  it('uses no keepalive for a body with too many bytes', async () => {
    const harness = createPipelineHarness()
    const tab = harness.open()
    await harness.waitUntilIdle()
    tab.lifecycle.hide()
    tab.pipeline.capture('a', { text: '漢'.repeat(30_000) })
    await tab.pipeline.flush()
    expect(harness.service.requests).toMatchObject([{ keepalive: false }])
    expect(tab.reports[0]!.bytesAfter).toBe(Buffer.byteLength(harness.service.requests[0]!.body))
  })
})
