import { describe, expect, it } from 'vitest'
import { createPipelineHarness } from '../support/pipeline-harness.ts'
import type { Tab } from '../support/pipeline-harness.ts'

/** Names of the events of each request. */
const requestsOf = ({ service }: ReturnType<typeof createPipelineHarness>): string[] =>
  service.batches.map(({ batch }) => batch.map(({ event }) => event).join())

describe('a hook of delivery that captures', () => {
  it('onSend: is not called for its own event, which is delivered', async () => {
    const harness = createPipelineHarness()
    const reports: number[] = []
    const tab: Tab = harness.open({
      onSend({ events }) {
        reports.push(events)
        tab.capture('sent')
      },
    })
    tab.capture('a', 'b')
    await tab.pipeline.flush()
    await harness.clock.advance(60_000)
    expect([requestsOf(harness), reports]).toEqual([['a,b', 'sent'], [2]])
    tab.capture('c')
    await harness.clock.advance(60_000)
    expect([requestsOf(harness), reports]).toEqual([
      ['a,b', 'sent', 'c', 'sent'],
      [2, 1],
    ])
  })

  it('onSend: ends while the page goes away', async () => {
    const harness = createPipelineHarness()
    let calls = 0
    const tab: Tab = harness.open({
      onSend() {
        calls++
        tab.capture('sent')
      },
    })
    tab.capture('a')
    await tab.close()
    expect([calls, harness.service.eventNames()]).toEqual([1, ['a', 'sent']])
  })

  it('onDrop: is not called for its own event, although the service refuses that too', async () => {
    const harness = createPipelineHarness()
    harness.service.reply = () => ({ status: 400 })
    const reasons: string[] = []
    const tab: Tab = harness.open({
      onDrop(_event, reason) {
        reasons.push(reason)
        tab.capture('lost')
      },
    })
    tab.capture('a')
    await harness.clock.advance(600_000)
    expect(reasons).toEqual(['rejected_by_service'])
    expect(harness.service.requests).toHaveLength(2)
    expect(tab.pipeline.getStatus().waitingEvents).toBe(0)
  })
})

describe('a fetch of the page that captures', () => {
  const LOOPS: Readonly<Record<string, (tab: () => Tab) => void | Promise<void>>> = {
    'before each request': (tab) => tab().capture('asked'),
    async 'after each response'(tab) {
      await Promise.resolve()
      tab().capture('answered')
    },
  }

  it.each(Object.entries(LOOPS))('%s: needs ever fewer requests', async (_name, capture) => {
    const harness = createPipelineHarness()
    harness.service.reply = async () => {
      await capture(() => tab)
      return { status: 200 }
    }
    const tab = harness.open()
    tab.capture('a')
    await harness.clock.advance(3_000)
    // The event itself, and at once what its request has captured.
    expect(requestsOf(harness)).toHaveLength(2)
    await harness.clock.advance(60_000)
    const inFirstMinute = requestsOf(harness).length
    expect(inFirstMinute).toBeLessThan(8)
    await harness.clock.advance(3_600_000)
    expect(requestsOf(harness).length - inFirstMinute).toBeLessThan(20)
  })

  it('does not hold up flush(), nor events of the page', async () => {
    const harness = createPipelineHarness()
    harness.service.reply = () => {
      tab.capture('asked')
      return { status: 200 }
    }
    const tab = harness.open({ flushAt: 1 })
    tab.capture('a')
    await tab.pipeline.flush()
    await harness.clock.advance(3_600_000)
    tab.capture('b')
    await harness.clock.advance(0)
    expect(requestsOf(harness).at(-2)).toMatch(/b$/)
  })

  it('is told apart from many events that come during each request', async () => {
    const harness = createPipelineHarness()
    let requests = 0
    harness.service.reply = () => {
      if (++requests <= 20) for (let count = 0; count < 10; count++) tab.capture('busy')
      return { status: 200 }
    }
    const tab = harness.open({ flushAt: 1 })
    tab.capture('a')
    await tab.pipeline.flush()
    expect(harness.service.events()).toHaveLength(201)
  })
})

describe('flush()', () => {
  it('delivers what was captured during an earlier flush and its requests', async () => {
    const harness = createPipelineHarness()
    harness.service.reply = async () => {
      await new Promise<void>((resolve) => void harness.clock.after(100, resolve))
      return { status: 200 }
    }
    const tab = harness.open()
    const flushes: Promise<void>[] = []
    const captureAndFlush = (name: string): void => {
      tab.capture(name)
      flushes.push(tab.pipeline.flush().then(() => void ended.push(name)))
    }
    const ended: string[] = []
    captureAndFlush('a')
    await harness.clock.advance(50)
    captureAndFlush('b')
    await harness.clock.advance(100)
    captureAndFlush('c')
    // Before the timer of the events.
    await harness.clock.advance(1_000)
    await Promise.all(flushes)
    expect(requestsOf(harness)).toEqual(['a', 'b', 'c'])
    expect(ended).toEqual(['a', 'b', 'c'])
  })
})

it('an event during the last of many requests does not wait for the back-off of loops', async () => {
  const harness = createPipelineHarness()
  const tab = harness.open({ maxBatchSize: 10 })
  harness.service.reply = (_request, index) => {
    // All events are captured while a request is in flight.
    if (index === 0) tab.capture(...Array.from({ length: 75 }, (_, number) => `event ${number}`))
    if (harness.service.eventNames().length === 71) tab.capture('click')
    return { status: 200 }
  }
  tab.capture('view')
  await harness.clock.advance(20_000)
  expect(harness.service.eventNames()).toHaveLength(77)
})
