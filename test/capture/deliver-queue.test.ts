import { describe, expect, it } from 'vitest'
import { deliverQueue, findObstacle } from '../../src/capture/deliver-queue.ts'
import { createFlushScheduler, DONE } from '../../src/capture/flush-scheduler.ts'
import type { FlushScheduler, RunResult } from '../../src/capture/flush-scheduler.ts'
import { createRetryTime } from '../../src/capture/retry-time.ts'
import { createMemoryKeyValue } from '../../src/platform/memory/memory-key-value.ts'
import type { EventBatch } from '../../src/port/event-log.ts'
import { manualClock } from '../support/manual-clock.ts'

const openScheduler = (canDeliver: () => boolean = () => true): FlushScheduler =>
  createFlushScheduler(
    { flushAt: 100, flushInterval: 3_000, fetchRetryCount: 3 },
    { clock: manualClock(), canDeliver, logger: { warn: () => {}, debug: () => {} } },
    async () => DONE,
  )

/** A queue of batches with one event each. */
const openQueue = (...events: string[]): { readonly events: string[]; read(): Promise<EventBatch | undefined> } => ({
  events,
  read: async () => (events[0] === undefined ? undefined : { events: [events[0]], remove: () => events.shift() }),
})

describe('a delivery run', () => {
  it('sends all batches in order until the queue is empty', async () => {
    const queue = openQueue('a', 'b')
    const sent: string[] = []
    const send = async (batch: EventBatch): Promise<undefined> => {
      sent.push(...batch.events)
      batch.remove()
    }
    expect(await deliverQueue(openScheduler(), queue.read, send)).toEqual(DONE)
    expect(sent).toEqual(['a', 'b'])
  })

  it('ends with the result of a batch', async () => {
    const queue = openQueue('a', 'b')
    const result: RunResult = { waitMs: 500 }
    expect(await deliverQueue(openScheduler(), queue.read, async () => result)).toBe(result)
    expect(queue.events).toEqual(['a', 'b'])
  })

  it('reads again when events were captured while it read', async () => {
    const scheduler = openScheduler()
    const queue = openQueue()
    let reads = 0
    const read = async (): Promise<EventBatch | undefined> => {
      if (++reads === 1) scheduler.countEvent()
      return queue.read()
    }
    await deliverQueue(scheduler, read, async () => undefined)
    expect(reads).toBe(2)
  })

  it('sends nothing that was read when nothing may be sent any more', async () => {
    const scheduler = openScheduler()
    const queue = openQueue('a')
    const read = async (): Promise<EventBatch | undefined> => {
      scheduler.stop()
      return queue.read()
    }
    expect(await deliverQueue(scheduler, read, () => expect.fail('sent'))).toEqual(DONE)
  })
})

describe('the obstacle of a run', () => {
  it('is that nothing may be sent, or a wait; a forced run ignores the back-off', () => {
    const clock = manualClock()
    const retryTime = createRetryTime(createMemoryKeyValue(), 'next')
    expect(findObstacle(openScheduler(), retryTime, clock, false)).toBeUndefined()
    expect(
      findObstacle(
        openScheduler(() => false),
        retryTime,
        clock,
        true,
      ),
    ).toEqual(DONE)
    retryTime.recordFailure(clock.now(), 500, 0)
    expect(findObstacle(openScheduler(), retryTime, clock, false)).toEqual({ waitMs: 500 })
    expect(findObstacle(openScheduler(), retryTime, clock, true)).toBeUndefined()
  })
})
