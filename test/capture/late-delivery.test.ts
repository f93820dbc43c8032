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
  readonly server: { isBlocked: boolean; loads: number }
  readonly consent: { isOptedOut: boolean }
  /** Lets the page rest. */
  rest(): void
  capture(count: number): void
  hasCome(): boolean
}

const createFixture = (): Fixture => {
  const clock = manualClock()
  const lifecycle = fakeLifecycle()
  const server = { isBlocked: false, loads: 0 }
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
    { flushAt: 3, flushInterval: 5_000 },
    {
      clock,
      lifecycle,
      logger: { warn: () => {}, debug: () => {} },
      isOptedOut: () => consent.isOptedOut,
      async loadDelivery(): Promise<CreateDelivery> {
        server.loads++
        if (server.isBlocked) throw new TypeError('blocked')
        return () => delivery
      },
      whenAtRest(task) {
        rest = task
        return () => (rest = () => {})
      },
    },
    { size: () => size },
  )
  late.start((create) => {
    hasCome = true
    return create({} as never, {} as never)
  })
  return {
    clock,
    lifecycle,
    late,
    delivery,
    server,
    consent,
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
  expect(delivery.wake).toHaveBeenCalledTimes(1)
  expect(server.loads).toBe(1)
})

it('comes when a page with events is hidden, and sends at once', async () => {
  const { clock, lifecycle, delivery, capture } = createFixture()
  capture(1)
  lifecycle.hide()
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
  late.post(['lost'])
  rest()
  await clock.advance(0)
  capture(1)
  late.post(['told'])
  expect([late.count(), late.keysInFlight(), late.status().lastError]).toEqual([7, ['k'], 'e'])
  expect(delivery.countEvent).toHaveBeenCalledTimes(1)
  expect(delivery.post.mock.calls).toEqual([[['told']]])
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
