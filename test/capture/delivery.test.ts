import { describe, expect, it } from 'vitest'
import { createResendDelay } from '../../src/capture/resend-delay.ts'
import { createDelivery } from '../../src/capture/delivery.ts'
import type { Delivery, DeliveryOptions, DeliveryPorts } from '../../src/capture/delivery.ts'
import { createEventQueue } from '../../src/capture/event-queue.ts'
import type { EventQueue } from '../../src/capture/event-queue.ts'
import { createRetryTime } from '../../src/capture/retry-time.ts'
import type { RetryTime } from '../../src/capture/retry-time.ts'
import { createWriteBehind } from '../../src/capture/write-behind.ts'
import { gzipSync } from '../../src/codec/gzip.ts'
import { createMemoryKeyValue } from '../../src/platform/memory/memory-key-value.ts'
import { fakeService } from '../support/fake-service.ts'
import type { FakeService } from '../support/fake-service.ts'
import { manualClock } from '../support/manual-clock.ts'
import type { ManualClock } from '../support/manual-clock.ts'
import { createSharedLock } from '../support/shared-lock.ts'
import { sharedStore } from '../support/shared-store.ts'

interface Fixture {
  readonly delivery: Delivery
  readonly queue: EventQueue
  readonly clock: ManualClock
  readonly service: FakeService
  readonly retryTime: RetryTime
  readonly warnings: string[]
  readonly acknowledged: (readonly string[])[]
  capture(...names: string[]): void
}

const fixture = async (
  options: Partial<DeliveryOptions> = {},
  ports: Partial<DeliveryPorts> = {},
): Promise<Fixture> => {
  const clock = manualClock()
  const service = fakeService()
  const disk = sharedStore()
  const warnings: string[] = []
  const acknowledged: (readonly string[])[] = []
  const retryTime = createRetryTime(createMemoryKeyValue(), 'next')
  const store = createWriteBehind(
    async () => disk.connect(() => true),
    clock,
    () => {},
  )
  const queue = createEventQueue(
    store,
    clock,
    'tab',
    { maxEvents: 1_000, maxBytes: 1e6 },
    createSharedLock().of({}),
    () => {},
  )
  const delivery = createDelivery(
    {
      url: 'u',
      apiKey: 'key',
      flushAt: 100,
      flushInterval: 3_000,
      maxBatchSize: 100,
      fetchRetryCount: 3,
      fetchRetryDelay: 3_000,
      requestTimeout: 10_000,
      disableCompression: false,
      historicalMigration: false,
      ...options,
    },
    {
      clock,
      queue,
      whenWritten: store.whenWritten,
      retryTime,
      resendDelay: createResendDelay(createMemoryKeyValue(), 'left'),
      send: service.send,
      compressor: async (text) => gzipSync(text),
      lock: createSharedLock().of({}),
      random: () => 0.5,
      supportedCompression: () => undefined,
      canDeliver: () => true,
      onAcknowledged: (keys) => acknowledged.push(keys),
      onDrop: () => {},
      onSend: () => {},
      warn: (message) => warnings.push(message),
      ...ports,
    },
  )
  queue.startWriting()
  await clock.advance(0)
  return {
    delivery,
    queue,
    clock,
    service,
    retryTime,
    warnings,
    acknowledged,
    capture(...names) {
      for (const event of names) {
        queue.add(JSON.stringify({ uuid: event, event, properties: { text: 'x'.repeat(200) } }))
        delivery.countEvent()
      }
    },
  }
}

/** Compresses to more bytes than a request may have that outlives its page. */
const LARGE = Array.from({ length: 12_000 }, (_, n) => Math.sin(n)).join()

describe('delivery', () => {
  it('reports the acknowledged keys', async () => {
    const { delivery, queue, acknowledged, capture } = await fixture()
    capture('a', 'b')
    const keys = (await queue.oldest(9)).map(({ key }) => key)
    await delivery.flush()
    expect(acknowledged).toEqual([keys])
  })

  it.each([
    [undefined, 'text/plain', 'object'],
    [['lz64'], 'application/x-www-form-urlencoded', 'string'],
    [[], 'text/plain', 'string'],
  ])('encodes bodies for a service that announces %j', async (supported, contentType, type) => {
    const { delivery, service, capture } = await fixture({}, { supportedCompression: () => supported })
    capture('a')
    await delivery.flush()
    expect(service.requests[0]).toMatchObject({ contentType, timeoutMs: 10_000 })
    expect(typeof service.requests[0]!.body).toBe(type)
    expect(service.names()).toEqual(['a'])
  })

  it('releases the lock when the page is left, and finishes the request in flight', async () => {
    const lock = createSharedLock()
    let respond = (): void => undefined
    const blocked = new Promise<void>((resolve) => (respond = resolve))
    const service = fakeService()
    const { delivery, clock, acknowledged, capture } = await fixture(
      {},
      { lock: lock.of({}), send: async (request) => blocked.then(() => service.send(request)) },
    )
    capture('a')
    const flushed = delivery.flush()
    await clock.advance(0)
    expect(lock.isHeld()).toBe(true)
    delivery.releaseLock()
    await clock.advance(0)
    expect([lock.isHeld(), acknowledged]).toEqual([false, []])
    respond()
    await flushed
    expect([acknowledged.length, service.names()]).toEqual([1, ['a']])
  })

  it('marks an import of history', async () => {
    const { delivery, service, capture } = await fixture({ historicalMigration: true })
    capture('a')
    await delivery.flush()
    expect(service.batches).toMatchObject([{ api_key: 'key', historical_migration: true }])
  })

  it('resets its back-off after the first success', async () => {
    const { delivery, clock, service, retryTime, capture } = await fixture({ flushAt: 1 })
    service.reply = (_request, index) => ({ status: index < 2 ? 503 : 200 })
    capture('a')
    await clock.advance(1)
    expect(retryTime.failures()).toBe(1)
    await clock.advance(60_000)
    expect(retryTime.failures()).toBe(0)
    await delivery.flush()
    expect(service.names()).toEqual(['a'])
  })

  it('lists the keys in flight only for bodies that can outlive the page', async () => {
    let respond = (): void => undefined
    const { delivery, queue, clock, service, capture } = await fixture()
    service.reply = () => new Promise((resolve) => (respond = () => resolve({ status: 200 })))
    capture('a')
    void delivery.flush()
    await clock.advance(0)
    const [a] = await queue.oldest(1)
    expect(delivery.keysInFlight()).toEqual([a!.key])
    respond()
    await clock.advance(0)
    expect(delivery.keysInFlight()).toEqual([])
    queue.add(JSON.stringify({ uuid: 'b', event: 'b', properties: { text: LARGE } }))
    void delivery.flush()
    await clock.advance(0)
    expect(service.requests[1]).toMatchObject({ keepalive: false })
    expect(delivery.keysInFlight()).toEqual([])
  })

  it('flush() waits for the back-off, but not for attempts over 30 s away', async () => {
    const { delivery, clock, service, capture } = await fixture({ flushAt: 1 })
    service.reply = (_request, index) => ({ status: index ? 404 : 503 })
    capture('a')
    await clock.advance(0)
    const flushed = delivery.flush().then(() => service.requests.length)
    await clock.advance(2_249)
    expect(service.requests).toHaveLength(1)
    await clock.advance(1)
    expect(await flushed).toBe(2)
    await delivery.flush()
    expect(service.requests).toHaveLength(2)
    await delivery.flush(true)
    expect(service.requests).toHaveLength(3)
  })

  it('flush() is shared by concurrent callers and delivers events captured meanwhile', async () => {
    const { delivery, service, capture } = await fixture()
    let joined: Promise<void> | undefined
    service.reply = (_request, index) => {
      if (!index) {
        capture('b')
        joined = delivery.flush()
      }
      return { status: 200 }
    }
    capture('a')
    const first = delivery.flush()
    expect(delivery.flush()).toBe(first)
    await first
    expect(joined).toBe(first)
    expect(service.batches.map(({ batch }) => batch.map(({ event }) => event))).toEqual([['a'], ['b']])
  })

  it('waits longer after each failure, never longer than five minutes', async () => {
    const times: number[] = []
    const { clock, service, capture } = await fixture({ flushAt: 1 })
    service.reply = () => {
      times.push(clock.now())
      return { status: 503 }
    }
    capture('a')
    await clock.advance(3_600_000)
    const waits = times.slice(1).map((time, index) => time - times[index]!)
    expect(waits.slice(0, 4)).toEqual([2_250, 4_500, 9_000, 18_000])
    expect(waits.toSorted((a, b) => a - b)).toEqual(waits)
    expect(Math.max(...waits)).toBeLessThanOrEqual(300_000)
  })

  it('survives a lock that fails, and recovers', async () => {
    let isBroken = true
    const realLock = createSharedLock().of({})
    const { delivery, clock, service, warnings, capture } = await fixture(
      {},
      {
        lock: async (task, steal) => (isBroken ? Promise.reject(new Error('no locks')) : realLock(task, steal)),
      },
    )
    capture('a')
    void delivery.flush()
    await clock.advance(1_000)
    expect(warnings).toEqual(['delivery failed: Error: no locks'])
    isBroken = false
    await clock.advance(300_000)
    expect(service.names()).toEqual(['a'])
  })

  it('stops in the middle of the queue when nothing may be sent any more', async () => {
    let canDeliver = true
    const { delivery, service, capture } = await fixture({ maxBatchSize: 1 }, { canDeliver: () => canDeliver })
    service.reply = () => {
      canDeliver = false
      return { status: 200 }
    }
    capture('a', 'b')
    await delivery.flush()
    expect(service.names()).toEqual(['a'])
    canDeliver = true
    await delivery.flush()
    expect(service.names()).toEqual(['a', 'b'])
  })

  it('cancels all timers and resolves flush() when it is stopped', async () => {
    const { delivery, clock, service, capture } = await fixture()
    service.reply = () => ({ status: 503 })
    capture('a')
    const flushed = delivery.flush()
    await clock.advance(1_000)
    delivery.stop()
    await flushed
    expect(clock.pending()).toBe(0)
    capture('b')
    await delivery.flush()
    await clock.advance(600_000)
    expect(service.requests).toHaveLength(1)
  })
})
