import { expect, it, vi } from 'vitest'
import type { CreateDelivery, Delivery } from '../../src/capture/delivery.ts'
import { createLateDelivery } from '../../src/capture/late-delivery.ts'
import type { LateDelivery } from '../../src/capture/late-delivery.ts'
import type { StoreRecord } from '../../src/port/event-store.ts'
import { fakeLifecycle } from '../support/fake-lifecycle.ts'
import type { FakeLifecycle } from '../support/fake-lifecycle.ts'
import { manualClock } from '../support/manual-clock.ts'
import type { ManualClock } from '../support/manual-clock.ts'

interface Fixture {
  readonly clock: ManualClock
  readonly lifecycle: FakeLifecycle
  readonly late: LateDelivery
  /** The delivery that comes. */
  readonly delivery: { readonly [Name in keyof Delivery]: ReturnType<typeof vi.fn> }
  /** What the page's server does; each load takes a step of the event loop. */
  readonly server: { isBlocked: boolean; isBroken: boolean; isSilent: boolean; loads: number }
  /** `hand over` and `failure`, as the outbox is told. */
  readonly calls: readonly string[]
  readonly consent: { isOptedOut: boolean }
  /** Lets the page rest. */
  rest(): void
  capture(count: number): void
  hasCome(): boolean
}

const createFixture = (): Fixture => {
  const clock = manualClock()
  const lifecycle = fakeLifecycle()
  const server = { isBlocked: false, isBroken: false, isSilent: false, loads: 0 }
  const calls: string[] = []
  const consent = { isOptedOut: false }
  let size = 0
  let rest = (): void => {}
  let hasCome = false
  const delivery = {
    countEvent: vi.fn(),
    count: vi.fn(() => 7),
    post: vi.fn(),
    flush: vi.fn(async () => {}),
    wake: vi.fn(),
    schedule: vi.fn(),
    status: vi.fn(() => ({ lastDelivery: undefined, lastError: 'e', nextAttempt: undefined })),
    keysInFlight: vi.fn(() => ['k']),
    stop: vi.fn(),
  }
  const late = createLateDelivery(
    { flushAt: 3, flushInterval: 5_000, requestTimeout: 10_000 },
    {
      clock,
      lifecycle,
      logger: { warn: () => {}, debug: () => {} },
      isOptedOut: () => consent.isOptedOut,
      async loadDelivery(): Promise<CreateDelivery> {
        server.loads++
        if (server.isBlocked) throw new TypeError('blocked')
        if (server.isSilent) await new Promise(() => {})
        return () => delivery
      },
      whenAtRest(task) {
        rest = task
        return () => (rest = () => {})
      },
    },
    { size: () => size },
  )
  late.start(
    (create) => {
      if (server.isBroken) throw new TypeError('another version')
      hasCome = true
      return create({} as never, {} as never)
    },
    () => calls.push('hand over'),
    () => calls.push('failure'),
  )
  return {
    clock,
    lifecycle,
    late,
    delivery,
    server,
    consent,
    calls,
    rest: () => rest(),
    capture(count) {
      for (let i = 0; i < count; i++) {
        size++
        late.countEvent([`e/${size}`, '{}'] satisfies StoreRecord)
      }
    },
    hasCome: () => hasCome,
  }
}

it('comes when the page rests, and sends when the first event is due', async () => {
  const { clock, delivery, rest, capture, hasCome } = createFixture()
  capture(1)
  await clock.advance(2_000)
  expect(hasCome()).toBe(false)
  rest()
  await clock.advance(0)
  expect(delivery.schedule.mock.calls).toEqual([[3_000]])
  expect(delivery.wake).not.toHaveBeenCalled()
})

it('comes when the first event is due, although the page does not rest', async () => {
  const { clock, delivery, capture, hasCome } = createFixture()
  capture(1)
  await clock.advance(4_999)
  expect(hasCome()).toBe(false)
  await clock.advance(1)
  expect(delivery.schedule.mock.calls).toEqual([[0]])
})

it('comes with the event that makes a batch full, and sends at once', async () => {
  const { clock, delivery, capture, hasCome, server } = createFixture()
  capture(2)
  await clock.advance(0)
  expect(hasCome()).toBe(false)
  capture(10)
  await clock.advance(0)
  expect(delivery.schedule.mock.calls).toEqual([[0]])
  expect(server.loads).toBe(1)
})

it('hands the events over when the page is hidden before, comes, and sends at once', async () => {
  const { clock, lifecycle, delivery, capture, calls } = createFixture()
  capture(1)
  lifecycle.hide()
  expect(calls).toEqual(['hand over'])
  await clock.advance(0)
  expect(delivery.wake).toHaveBeenCalledTimes(1)
})

it('stays away while a page without events is hidden', async () => {
  const { clock, lifecycle, server } = createFixture()
  lifecycle.hide()
  await clock.advance(60_000)
  expect(server.loads).toBe(0)
})

it('comes for a flush, and a flush by a user who has opted out needs none', async () => {
  const { late, delivery, consent, hasCome } = createFixture()
  consent.isOptedOut = true
  await late.flush()
  expect(hasCome()).toBe(false)
  consent.isOptedOut = false
  await Promise.all([late.flush(), late.flush(true)])
  expect(delivery.flush.mock.calls).toEqual([[undefined], [true]])
})

it('tries again later when it could not be loaded: nothing but the load is repeated', async () => {
  const { clock, late, delivery, server, capture, hasCome } = createFixture()
  server.isBlocked = true
  capture(1)
  await clock.advance(5_000)
  await late.flush()
  expect(server.loads).toBe(2)
  await clock.advance(29_999)
  expect(server.loads).toBe(2)
  server.isBlocked = false
  await clock.advance(1)
  expect(server.loads).toBe(3)
  expect(hasCome()).toBe(true)
  expect(delivery.schedule.mock.calls).toEqual([[0]])
  await clock.advance(120_000)
  expect(server.loads).toBe(3)
})

it('counts, answers and posts through the delivery as soon as it is there', async () => {
  const { clock, late, delivery, rest, capture } = createFixture()
  capture(2)
  expect([late.count(), late.keysInFlight(), late.status()]).toEqual([
    2,
    [],
    { lastDelivery: undefined, lastError: undefined, nextAttempt: undefined },
  ])
  late.post(['old'])
  late.post(['new'])
  rest()
  await clock.advance(0)
  capture(1)
  late.post(['told'])
  expect([late.count(), late.keysInFlight(), late.status().lastError]).toEqual([7, ['k'], 'e'])
  expect(delivery.countEvent).toHaveBeenCalledTimes(1)
  expect(delivery.post.mock.calls).toEqual([[['new']], [['told']]])
})

it('never comes after its end, and leaves no listener and no timer', async () => {
  const { clock, late, lifecycle, server, rest, capture, hasCome } = createFixture()
  capture(1)
  late.stop()
  rest()
  lifecycle.hide()
  await clock.advance(60_000)
  expect([server.loads, hasCome(), lifecycle.listenerCount(), clock.pending()]).toEqual([0, false, 0, 0])
})

it('survives code that throws, and a server that does not answer: it is tried again, and a flush ends', async () => {
  const { clock, late, server, calls, capture, hasCome } = createFixture()
  server.isBroken = true
  capture(1)
  await late.flush()
  expect([hasCome(), calls]).toEqual([false, ['failure']])
  server.isBroken = false
  server.isSilent = true
  const flushed = late.flush()
  await clock.advance(10_000)
  await flushed
  expect([hasCome(), calls]).toEqual([false, ['failure', 'failure']])
  server.isSilent = false
  await late.flush()
  expect(hasCome()).toBe(true)
})

it('comes for a page that wakes, when it could not come before', async () => {
  const { clock, lifecycle, server, rest, hasCome } = createFixture()
  server.isBlocked = true
  rest()
  await clock.advance(0)
  server.isBlocked = false
  lifecycle.wake('online')
  await clock.advance(0)
  expect(hasCome()).toBe(true)
})

it('stays away while the user is opted out, and comes for an event after that', async () => {
  const { clock, server, consent, rest, capture, hasCome } = createFixture()
  consent.isOptedOut = true
  capture(1)
  rest()
  await clock.advance(60_000)
  expect(server.loads).toBe(0)
  consent.isOptedOut = false
  capture(1)
  await clock.advance(5_000)
  expect(hasCome()).toBe(true)
})

it('sends later while the browser is offline, and in time after the clock was set back', async () => {
  const offline = createFixture()
  offline.lifecycle.online = false
  offline.capture(1)
  offline.rest()
  await offline.clock.advance(0)
  expect(offline.delivery.schedule.mock.calls).toEqual([[30_000]])

  const back = createFixture()
  back.capture(1)
  back.clock.set(back.clock.now() - 3_600_000)
  back.rest()
  await back.clock.advance(0)
  expect(back.delivery.schedule.mock.calls).toEqual([[5_000]])
})

it('leaves no timer when it ends while its code is loaded', async () => {
  const { clock, late, server, calls, rest } = createFixture()
  server.isBlocked = true
  rest()
  late.stop()
  await clock.advance(0)
  expect([calls, clock.pending()]).toEqual([[], 0])
})
