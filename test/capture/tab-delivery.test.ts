import { describe, expect, it } from 'vitest'
import { createResendDelay } from '../../src/capture/resend-delay.ts'
import { createTabDelivery } from '../../src/capture/tab-delivery.ts'
import type { TabDelivery, TabDeliveryOptions, TabDeliveryPorts } from '../../src/capture/tab-delivery.ts'
import { createRetryTime } from '../../src/capture/retry-time.ts'
import type { RetryTime } from '../../src/capture/retry-time.ts'
import { createWriteBehind } from '../../src/capture/write-behind.ts'
import { gzipSync } from '../../src/codec/gzip.ts'
import { lz64Form } from '../../src/codec/lz64.ts'
import { createMemoryKeyValue } from '../../src/platform/memory/memory-key-value.ts'
import { createHostMark } from '../../src/lib/host-mark.ts'
import type { SendRequest } from '../../src/port/send.ts'
import { createQueues } from '../support/create-queues.ts'
import type { Queues } from '../support/create-queues.ts'
import { fakeService } from '../support/fake-service.ts'
import type { FakeService } from '../support/fake-service.ts'
import { manualClock } from '../support/manual-clock.ts'
import type { ManualClock } from '../support/manual-clock.ts'
import { createSharedLock } from '../support/shared-lock.ts'
import { sharedStore } from '../support/shared-store.ts'

interface Fixture {
  readonly delivery: TabDelivery
  readonly queue: Queues
  readonly clock: ManualClock
  readonly service: FakeService
  readonly retryTime: RetryTime
  readonly warnings: string[]
  readonly acknowledgedKeys: (readonly string[])[]
  capture(...names: string[]): void
}

const createFixture = async (
  options: Partial<TabDeliveryOptions> = {},
  ports: Partial<TabDeliveryPorts> = {},
): Promise<Fixture> => {
  const clock = manualClock()
  const service = fakeService()
  const disk = sharedStore()
  const warnings: string[] = []
  const acknowledgedKeys: (readonly string[])[] = []
  const retryTime = createRetryTime(createMemoryKeyValue(), 'next')
  const store = createWriteBehind(
    async () => disk.connect(() => true),
    clock,
    () => {},
  )
  const queue = createQueues(
    store,
    clock,
    'tab',
    { maxQueueSize: 1_000, maxBytes: 1e6 },
    createSharedLock().of({}),
    () => {},
  )
  const delivery = createTabDelivery(
    {
      url: 'u',
      apiKey: 'key',
      flushAt: 100,
      flushInterval: 3_000,
      maxBatchSize: 100,
      fetchRetryCount: 3,
      fetchRetryDelay: 3_000,
      requestTimeout: 10_000,
      historicalMigration: false,
      ...options,
    },
    {
      clock,
      queue,
      whenWritten: store.whenWritten,
      retryTime,
      plainHost: createHostMark(createMemoryKeyValue(), 'plain', 'u'),
      resendDelay: createResendDelay(createMemoryKeyValue(), 'left'),
      send: service.send,
      compressor: async (json) => gzipSync(json),
      lz64: lz64Form,
      lock: createSharedLock().of({}),
      random: () => 0.5,
      supportedCompression: () => undefined,
      canDeliver: () => true,
      channel: { post: (keys) => acknowledgedKeys.push(keys) },
      onDrop: () => {},
      onSend: () => {},
      logger: { warn: (...message) => warnings.push(message.join(' ')), debug: () => {} },
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
    acknowledgedKeys,
    capture(...names) {
      for (const event of names) {
        queue.add(JSON.stringify({ uuid: event, event, properties: { text: 'x'.repeat(200) } }))
        delivery.countEvent()
      }
    },
  }
}

/** A string whose compressed form is too large for a request that outlives its page. */
const LARGE_STRING = Array.from({ length: 12_000 }, (_, n) => Math.sin(n)).join()

describe('a compressed body that is refused', () => {
  /** A proxy that reads bodies as strings: it passes on only what is not binary. */
  const refuseBytes =
    (status: number) =>
    ({ body }: SendRequest): { readonly status: number } => ({ status: typeof body === 'string' ? 200 : status })
  const isCompressed = (service: FakeService): boolean[] => service.requests.map(({ body }) => typeof body !== 'string')

  it.each([400, 415])('is sent once more without compression after a %i, and later ones at once', async (status) => {
    const dropped: string[] = []
    const { delivery, clock, service, capture, warnings } = await createFixture(
      {},
      { onDrop: (json) => dropped.push(json) },
    )
    service.reply = refuseBytes(status)
    capture('a', 'b')
    await clock.advance(3_000)
    capture('c')
    await delivery.flush()
    expect([service.eventNames(), isCompressed(service)]).toEqual([
      ['a', 'b', 'c'],
      [true, false, false],
    ])
    expect([dropped, warnings]).toEqual([[], []])
  })

  it('is dropped when the host refuses it without compression too', async () => {
    const dropped: string[] = []
    const { delivery, service, capture } = await createFixture({}, { onDrop: (json) => dropped.push(json) })
    service.reply = () => ({ status: 400 })
    capture('a')
    await delivery.flush()
    service.reply = () => ({ status: 200 })
    capture('b')
    await delivery.flush()
    expect(dropped).toHaveLength(1)
    expect([service.eventNames(), isCompressed(service)]).toEqual([['b'], [true, false, true]])
  })

  it('waits for a retry when the host fails without compression', async () => {
    const { clock, delivery, service, capture } = await createFixture()
    service.reply = (request, index) => (index === 1 ? { status: 503 } : refuseBytes(400)(request))
    capture('a')
    await clock.advance(3_000)
    expect(service.eventNames()).toEqual([])
    await clock.advance(3_000)
    await delivery.flush()
    expect([service.eventNames(), isCompressed(service)]).toEqual([['a'], [true, false, true, false]])
  })

  it('stays queued when the page is left meanwhile', async () => {
    let hasLeft = false
    const dropped: string[] = []
    const { clock, queue, service, capture } = await createFixture(
      {},
      { canDeliver: () => !hasLeft, onDrop: (json) => dropped.push(json) },
    )
    service.reply = () => {
      hasLeft = true
      return { status: 400 }
    }
    capture('a')
    await clock.advance(3_000)
    expect([service.requests.length, queue.count(), dropped]).toEqual([1, 1, []])
  })
})

describe('delivery', () => {
  it('reports the keys of acknowledged events', async () => {
    const { delivery, queue, acknowledgedKeys, capture } = await createFixture()
    capture('a', 'b')
    const keys = (await queue.oldest(9)).map(([key]) => key)
    await delivery.flush()
    expect(acknowledgedKeys).toEqual([keys])
  })

  it.each([
    [undefined, 'text/plain', 'object'],
    [['lz64'], 'application/x-www-form-urlencoded', 'string'],
    [[], 'text/plain', 'string'],
  ])('encodes bodies for a service that supports the compression %j', async (supported, contentType, type) => {
    const { delivery, service, capture } = await createFixture({}, { supportedCompression: () => supported })
    capture('a')
    await delivery.flush()
    expect(service.requests[0]).toMatchObject({ contentType, timeoutMs: 10_000 })
    expect(typeof service.requests[0]!.body).toBe(type)
    expect(service.eventNames()).toEqual(['a'])
  })

  it('releases the lock when the page is left, and finishes the request in flight', async () => {
    const lock = createSharedLock()
    let respond = (): void => undefined
    const whenResponding = new Promise<void>((resolve) => (respond = resolve))
    const service = fakeService()
    const { delivery, clock, acknowledgedKeys, capture } = await createFixture(
      {},
      { lock: lock.of({}), send: async (request) => whenResponding.then(() => service.send(request)) },
    )
    capture('a')
    const flushPromise = delivery.flush()
    await clock.advance(0)
    expect(lock.isHeld()).toBe(true)
    delivery.releaseLock()
    await clock.advance(0)
    expect([lock.isHeld(), acknowledgedKeys]).toEqual([false, []])
    respond()
    await flushPromise
    expect([acknowledgedKeys.length, service.eventNames()]).toEqual([1, ['a']])
  })

  it('sets historical_migration for an import of history', async () => {
    const { delivery, service, capture } = await createFixture({ historicalMigration: true })
    capture('a')
    await delivery.flush()
    expect(service.batches).toMatchObject([{ api_key: 'key', historical_migration: true }])
  })

  it('resets its back-off after the first success', async () => {
    const { delivery, clock, service, retryTime, capture } = await createFixture({ flushAt: 1 })
    service.reply = (_request, index) => ({ status: index < 2 ? 503 : 200 })
    capture('a')
    await clock.advance(1)
    expect(retryTime.failures()).toBe(1)
    await clock.advance(60_000)
    expect(retryTime.failures()).toBe(0)
    await delivery.flush()
    expect(service.eventNames()).toEqual(['a'])
  })

  it('lists the keys in flight only for bodies that can outlive the page', async () => {
    let respond = (): void => undefined
    const { delivery, queue, clock, service, capture } = await createFixture()
    service.reply = () => new Promise((resolve) => (respond = () => resolve({ status: 200 })))
    capture('a')
    void delivery.flush()
    await clock.advance(0)
    const [a] = await queue.oldest(1)
    expect(delivery.keysInFlight()).toEqual([a![0]])
    respond()
    await clock.advance(0)
    expect(delivery.keysInFlight()).toEqual([])
    queue.add(JSON.stringify({ uuid: 'b', event: 'b', properties: { text: LARGE_STRING } }))
    void delivery.flush()
    await clock.advance(0)
    expect(service.requests[1]).toMatchObject({ keepalive: false })
    expect(delivery.keysInFlight()).toEqual([])
  })

  it('makes flush() wait for a back-off, unless it ends in more than 30 s', async () => {
    const { delivery, clock, service, capture } = await createFixture({ flushAt: 1 })
    service.reply = (_request, index) => ({ status: index ? 404 : 503 })
    capture('a')
    await clock.advance(0)
    const flushPromise = delivery.flush().then(() => service.requests.length)
    await clock.advance(2_249)
    expect(service.requests).toHaveLength(1)
    await clock.advance(1)
    expect(await flushPromise).toBe(2)
    await delivery.flush()
    expect(service.requests).toHaveLength(2)
    await delivery.flush(true)
    expect(service.requests).toHaveLength(3)
  })

  it('shares one flush() between callers, or a second one for events captured during the first', async () => {
    const { delivery, service, capture } = await createFixture()
    let joinedFlush: Promise<void> | undefined
    service.reply = (_request, index) => {
      if (!index) {
        capture('b')
        joinedFlush = delivery.flush()
      }
      return { status: 200 }
    }
    capture('a')
    const firstFlush = delivery.flush()
    expect(delivery.flush()).toBe(firstFlush)
    await firstFlush
    await joinedFlush
    expect(service.batches.map(({ batch }) => batch.map(({ event }) => event))).toEqual([['a'], ['b']])
  })

  it('waits longer after each failure, at most five minutes', async () => {
    const times: number[] = []
    const { clock, service, capture } = await createFixture({ flushAt: 1 })
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

  it('warns when the lock fails, and delivers after it works again', async () => {
    let isBroken = true
    const realLock = createSharedLock().of({})
    const { delivery, clock, service, warnings, capture } = await createFixture(
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
    expect(service.eventNames()).toEqual(['a'])
  })

  it('stops after the current batch when nothing may be sent any more', async () => {
    let canDeliver = true
    const { delivery, service, capture } = await createFixture({ maxBatchSize: 1 }, { canDeliver: () => canDeliver })
    service.reply = () => {
      canDeliver = false
      return { status: 200 }
    }
    capture('a', 'b')
    await delivery.flush()
    expect(service.eventNames()).toEqual(['a'])
    canDeliver = true
    await delivery.flush()
    expect(service.eventNames()).toEqual(['a', 'b'])
  })

  it('cancels all timers and resolves flush() when it is stopped', async () => {
    const { delivery, clock, service, capture } = await createFixture()
    service.reply = () => ({ status: 503 })
    capture('a')
    const flushPromise = delivery.flush()
    await clock.advance(1_000)
    delivery.stop()
    await flushPromise
    expect(clock.pending()).toBe(0)
    capture('b')
    await delivery.flush()
    await clock.advance(600_000)
    expect(service.requests).toHaveLength(1)
  })
})
