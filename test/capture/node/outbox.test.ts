import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { eventJson, nodeOutboxFixture } from '../../support/node-outbox-fixture.ts'

const eventNames = (count: number, start = 0): string[] =>
  Array.from({ length: count }, (_, index) => `e${start + index}`)

describe('the Node outbox: queue, batchSizes and flush()', () => {
  it('answers the same status until it changes', async () => {
    const { outbox, accept, clock } = nodeOutboxFixture()
    const idle = outbox.getStatus()
    expect(outbox.getStatus()).toBe(idle)
    accept('a')
    const waiting = outbox.getStatus()
    expect([idle.waitingEvents, waiting.waitingEvents]).toEqual([0, 1])
    await clock.advance(1)
    expect(outbox.getStatus()).toBe(waiting)
    await outbox.flush()
    expect(outbox.getStatus()).toMatchObject({ waitingEvents: 0, lastDelivery: expect.any(Date) })
  })

  // Specification, section 5: "Flush when the queue reaches `flushAt`"
  it('sends one request as soon as flushAt events are queued', async () => {
    const { service, batchSizes, clock, accept } = nodeOutboxFixture({ flushAt: 3 })
    accept('a', 'b')
    await clock.advance(0)
    expect(service.requests).toHaveLength(0)
    accept('c')
    await clock.advance(0)
    expect(batchSizes()).toEqual([3])
    expect(service.eventNames()).toEqual(['a', 'b', 'c'])
  })

  // Specification, section 5: "or when `flushInterval` has passed since the first waiting event"
  it('sends queued events flushInterval after the first of them', async () => {
    const { service, clock, accept } = nodeOutboxFixture()
    accept('a')
    await clock.advance(2_000)
    accept('b')
    await clock.advance(999)
    expect(service.requests).toHaveLength(0)
    await clock.advance(1)
    expect(service.eventNames()).toEqual(['a', 'b'])
  })

  it('sends queued events on flush()', async () => {
    const { outbox, service, accept } = nodeOutboxFixture()
    accept('a')
    await outbox.flush()
    expect(service.eventNames()).toEqual(['a'])
  })

  // Specification, section 5: "At most `maxBatchSize` events per request; a flush sends as many requests as it needs, one after the
  // other"
  it('sends at most maxBatchSize events per request, one request at a time', async () => {
    let inFlight = 0
    const { outbox, service, batchSizes, accept } = nodeOutboxFixture({ maxBatchSize: 2 })
    service.reply = async () => {
      expect(++inFlight).toBe(1)
      await Promise.resolve()
      inFlight--
      return { status: 200 }
    }
    accept(...eventNames(5))
    await outbox.flush()
    expect(batchSizes()).toEqual([2, 2, 1])
    expect(service.eventNames()).toEqual(eventNames(5))
  })

  it('sends smaller batches at once after a batch that was too large', async () => {
    const { service, batchSizes, clock, accept } = nodeOutboxFixture({ flushAt: 3, maxBatchSize: 2 })
    service.reply = (_request, index) => ({ status: index ? 200 : 413 })
    accept(...eventNames(3))
    await clock.advance(0)
    expect(batchSizes()).toEqual([1, 1, 1])
    expect(service.eventNames()).toEqual(eventNames(3))
  })

  // Specification, section 5: "Cap bytes as well"
  it('sends at most 524,288 characters per request, but a longer event alone', async () => {
    const { outbox, service, batchSizes } = nodeOutboxFixture()
    outbox.accept(eventJson('large', 600_000))
    for (const name of eventNames(3)) outbox.accept(eventJson(name, 200_000))
    await outbox.flush()
    expect(batchSizes()).toEqual([1, 2, 1])
    expect(service.eventNames()).toEqual(['large', ...eventNames(3)])
  })

  it.each([400, 415])(
    'sends a compressed body once more without compression after a %i, and later ones at once',
    async (status) => {
      const { outbox, service, dropped, warnings, reports } = nodeOutboxFixture()
      service.reply = ({ body }) => ({ status: typeof body === 'string' ? 200 : status })
      outbox.accept(eventJson('a', 300))
      await outbox.flush()
      await outbox.sendNow(eventJson('b', 300))
      expect(service.eventNames()).toEqual(['a', 'b'])
      expect(service.requests.map(({ headers }) => headers?.['Content-Encoding'])).toEqual([
        'gzip',
        undefined,
        undefined,
      ])
      expect(reports.map(({ encoding, status }) => [encoding, status])).toEqual([
        ['gzip', status],
        ['plain', 200],
        ['plain', 200],
      ])
      expect([dropped, warnings]).toEqual([[], []])
    },
  )

  it('drops events that are refused with and without compression, and goes on compressing', async () => {
    const { outbox, service, dropped } = nodeOutboxFixture()
    service.reply = () => ({ status: 400 })
    outbox.accept(eventJson('a', 300))
    await outbox.flush()
    service.reply = () => ({ status: 200 })
    outbox.accept(eventJson('b', 300))
    await outbox.flush()
    expect(dropped).toEqual(['a rejected_by_service'])
    expect(service.requests.map(({ headers }) => headers?.['Content-Encoding'])).toEqual(['gzip', undefined, 'gzip'])
  })

  // Specification, section 5: "`flush()` on an empty queue: no request, no throw"
  it('sends no request when flush() finds no events', async () => {
    const { outbox, service } = nodeOutboxFixture()
    await outbox.flush()
    expect(service.requests).toHaveLength(0)
  })

  // Specification, section 5: "Concurrent flushes join the running one"
  it('joins concurrent flushes; events captured during one are delivered too', async () => {
    const { outbox, service, batchSizes, accept } = nodeOutboxFixture()
    let joined: Promise<void> | undefined
    service.reply = (_request, index) => {
      if (!index) {
        accept('b')
        joined = outbox.flush()
      }
      return { status: 200 }
    }
    accept('a')
    await Promise.all([outbox.flush(), outbox.flush()])
    await joined
    expect(batchSizes()).toEqual([1, 1])
  })

  it('sends events captured during a request after flushAt or flushInterval', async () => {
    const { service, clock, batchSizes, accept } = nodeOutboxFixture({ flushAt: 3 })
    service.reply = (_request, index) => {
      if (!index) accept('d', 'e')
      return { status: 200 }
    }
    accept('a', 'b', 'c')
    await clock.advance(0)
    expect(batchSizes()).toEqual([3])
    await clock.advance(3_000)
    expect(batchSizes()).toEqual([3, 2])
  })

  it('sends events captured during a request at once if flushInterval has passed', async () => {
    const { service, clock, batchSizes, accept } = nodeOutboxFixture({ flushAt: 2 })
    service.reply = async (_request, index) => {
      if (index === 0) accept('c', 'd')
      if (index === 1) {
        accept('e')
        await new Promise<void>((resolve) => clock.after(5_000, resolve))
      }
      return { status: 200 }
    }
    accept('a', 'b')
    await clock.advance(0)
    expect(batchSizes()).toEqual([2])
    await clock.advance(5_000)
    expect(batchSizes()).toEqual([2, 2, 1])
  })

  // Specification, section 5: "Sent events are removed … after success, never by index: events captured during the flight survive"
  it('removes only the events of a successful request', async () => {
    const { outbox, log, service, clock, accept } = nodeOutboxFixture()
    service.reply = (_request, index) => {
      if (!index) accept('b')
      return { status: index ? 503 : 200 }
    }
    accept('a')
    void outbox.flush()
    await clock.advance(0)
    expect((await log.readOldest(9, 999))?.events).toEqual([eventJson('b')])
  })

  it('loses no event in an outage of a day', async () => {
    const { service, clock, dropped, accept } = nodeOutboxFixture({ disableCompression: true })
    service.reply = () => ({ status: 503 })
    accept(...eventNames(2_500))
    await clock.advance(24 * 3_600_000)
    expect(service.requests.length).toBeGreaterThan(250)
    service.reply = () => ({ status: 200 })
    await clock.advance(300_000)
    expect(service.eventNames()).toEqual(eventNames(2_500))
    expect(service.events()).toHaveLength(2_500)
    expect(dropped).toEqual([])
  }, 30_000)

  // Specification, section 5: "oldest dropped, newest kept"
  it('drops the oldest events when an outage fills the queue', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ events: fc.integer({ min: 0, max: 12 }), isUp: fc.boolean() }), { maxLength: 12 }),
        fc.integer({ min: 1, max: 4 }),
        async (steps, maxBatchSize) => {
          const { outbox, log, service, clock, dropped, accept } = nodeOutboxFixture(
            { flushAt: 5, maxBatchSize },
            {},
            { maxEvents: 10 },
          )
          let count = 0
          for (const { events, isUp } of steps) {
            service.reply = () => ({ status: isUp ? 200 : 503 })
            accept(...eventNames(events, count))
            count += events
            expect(log.size()).toBeLessThanOrEqual(10)
            await clock.advance(2_000)
          }
          service.reply = () => ({ status: 200 })
          await clock.advance(300_000)
          await outbox.flush()
          const delivered = service.eventNames()
          const lost = dropped.map((line) => line.replace(' queue_overflow', ''))
          expect([...delivered, ...lost].toSorted()).toEqual(eventNames(count).toSorted())
          expect(delivered).toEqual(eventNames(count).filter((name) => delivered.includes(name)))
        },
      ),
      { numRuns: 25 },
    )
  }, 30_000)

  // Specification, section 5: "gzip: `Content-Encoding: gzip`", "do not compress tiny bodies"
  it('compresses JSON bodies with gzip, except short ones', async () => {
    const { outbox, service, reports, accept } = nodeOutboxFixture()
    accept('a', 'b')
    await outbox.flush()
    const [large] = service.requests
    expect(large).toMatchObject({ contentType: 'application/json', headers: { 'Content-Encoding': 'gzip' } })
    expect(reports[0]).toMatchObject({ encoding: 'gzip', events: 2, status: 200, bytesAfter: large!.body.length })
    outbox.accept('{"event":"c"}')
    await outbox.flush()
    expect(service.requests[1]).not.toHaveProperty('headers')
    expect(service.requests[1]!.body).toContain('{"event":"c"}')
  })

  it.each([
    ['disabled', { disableCompression: true }, {}],
    ['not available', {}, { compressor: () => Promise.reject(new Error('none')) }],
  ])('sends plain JSON when compression is %s', async (_title, options, ports) => {
    const { outbox, service, reports, accept } = nodeOutboxFixture(options, ports)
    accept(...eventNames(9))
    await outbox.flush()
    expect(service.eventNames()).toEqual(eventNames(9))
    expect(typeof service.requests[0]!.body).toBe('string')
    expect(reports[0]).toMatchObject({ encoding: 'plain' })
  })

  it('sends nothing while opted out, and all queued events at the next wake()', async () => {
    let isOptedOut = true
    const { outbox, service, clock, accept } = nodeOutboxFixture({}, { isOptedOut: () => isOptedOut })
    accept(...eventNames(150))
    await outbox.flush()
    await clock.advance(10_000)
    expect(service.requests).toHaveLength(0)
    isOptedOut = false
    outbox.wake()
    await clock.advance(0)
    expect(service.eventNames()).toEqual(eventNames(150))
  })

  it('marks a historical import in the request body', async () => {
    const { outbox, service, accept } = nodeOutboxFixture({ historicalMigration: true })
    accept('a')
    await outbox.flush()
    expect(service.batches).toMatchObject([{ api_key: 'key', historical_migration: true }])
  })

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('onSend error')
      },
    ],
    ['is an async function and rejects', () => Promise.reject(new Error('onSend error'))],
  ])('survives an onSend that %s', async (_title, onSend) => {
    const { outbox, service, warnings, accept } = nodeOutboxFixture({ onSend })
    accept('a')
    await outbox.flush()
    expect(service.eventNames()).toEqual(['a'])
    expect(warnings).toEqual(['onSend failed: Error: onSend error'])
  })
})

describe('the Node outbox: delivery and retries', () => {
  it.each([0, 408, 429, 500, 502, 503, 504])('retries after status %i', async (status) => {
    const { service, clock, dropped, accept } = nodeOutboxFixture({ flushAt: 1 })
    service.reply = (_request, index) => ({ status: index ? 200 : status })
    accept('a')
    await clock.advance(3_000)
    expect([service.requests.length, service.eventNames(), dropped]).toEqual([2, ['a'], []])
  })

  it.each([
    [400, ''],
    [401, '{"code":"x","detail":"y"}'],
    [403, '{"code":"x","detail":"y"}'],
  ])('drops events after one response with status %i and body %s', async (status, body) => {
    const { service, clock, dropped, accept } = nodeOutboxFixture({ flushAt: 2, disableCompression: true })
    service.reply = () => ({ status, body })
    accept('a', 'b')
    await clock.advance(600_000)
    expect(service.requests).toHaveLength(1)
    expect(dropped).toEqual(['a rejected_by_service', 'b rejected_by_service'])
  })

  it.each([401, 403, 404])('waits for the longest back-off after status %i from a proxy', async (status) => {
    const { service, clock, dropped, accept } = nodeOutboxFixture({ flushAt: 1 })
    service.reply = (_request, index) => ({ status: index ? 200 : status, body: index ? '' : '<html>' })
    accept('a')
    await clock.advance(299_000)
    expect(service.requests).toHaveLength(1)
    await clock.advance(1_000)
    expect([service.eventNames(), dropped]).toEqual([['a'], []])
  })

  // Specification, section 6: "at most `max_retries` (3) retries, i.e. 4 requests for a service that only answers 503"
  it('resolves flush() after three failed retries; the events stay queued', async () => {
    const { outbox, log, service, clock, accept } = nodeOutboxFixture()
    service.reply = () => ({ status: 503 })
    accept('a')
    const flushed = outbox.flush().then(() => service.requests.length)
    await clock.advance(60_000)
    expect(await flushed).toBe(4)
    expect(log.size()).toBe(1)
  })

  // Specification, section 6: "Delay grows (exponential with jitter, first wait at least 100 ms)"
  it('doubles the delay after each failure, up to five minutes', async () => {
    const times: number[] = []
    const { service, clock, accept } = nodeOutboxFixture({ flushAt: 1 })
    service.reply = () => {
      times.push(clock.now())
      return { status: 503 }
    }
    accept('a')
    await clock.advance(3_600_000)
    const waits = times.slice(1).map((time, index) => time - times[index]!)
    expect(waits.slice(0, 4)).toEqual([2_250, 4_500, 9_000, 18_000])
    expect(Math.max(...waits)).toBeLessThanOrEqual(300_000)
  })

  it.each(['7', () => new Date(Date.UTC(2026, 0, 1) + 7_000).toUTCString()])(
    'sends no request before a Retry-After has passed',
    async (header) => {
      const retryAfter = typeof header === 'string' ? header : header()
      const { outbox, service, clock, accept } = nodeOutboxFixture({ flushAt: 1, fetchRetryDelay: 100 })
      service.reply = (_request, index) => (index ? { status: 200 } : { status: 429, retryAfter })
      accept('a')
      await clock.advance(0)
      outbox.wake()
      void outbox.flush()
      await clock.advance(6_999)
      expect(service.requests).toHaveLength(1)
      await clock.advance(1)
      expect(service.eventNames()).toEqual(['a'])
    },
  )

  // Specification, section 6: "cap an absurd value"
  it('waits at most half an hour for a Retry-After', async () => {
    const { service, clock, accept } = nodeOutboxFixture({ flushAt: 1 })
    service.reply = (_request, index) => (index ? { status: 200 } : { status: 503, retryAfter: '999999' })
    accept('a')
    await clock.advance(30 * 60_000)
    expect(service.eventNames()).toEqual(['a'])
  })

  // Specification, section 6: "413 halving: … remembered for the life of the client, a warning recorded, nothing lost until a single
  // event is refused"
  it('halves batches after 413, and drops only an event that was refused alone', async () => {
    const { outbox, service, batchSizes, warnings, dropped, accept } = nodeOutboxFixture({ disableCompression: true })
    service.reply = ({ body }) => {
      const { length } = String(body).match(/"uuid"/g)!
      return { status: length > 3 || String(body).includes('"huge"') ? 413 : 200 }
    }
    accept(...eventNames(4), 'huge', ...eventNames(4, 4))
    await outbox.flush()
    expect(service.eventNames()).toEqual(eventNames(8))
    expect(dropped).toEqual(['huge too_large'])
    expect(warnings).toEqual(['events not delivered: https://service/batch/ answered 413'])
    const smallest = service.requests.length
    accept(...eventNames(9, 20))
    await outbox.flush()
    expect(Math.max(...batchSizes().slice(-9))).toBe(1)
    expect(service.requests.length).toBe(smallest + 9)
  })

  // Specification, section 6: "new events do not reset or bypass the back-off; only one delivery runs at a time"
  it('respects the back-off while new events arrive', async () => {
    const { outbox, service, clock, accept } = nodeOutboxFixture({ flushAt: 1 })
    service.reply = () => ({ status: 503 })
    accept('a')
    await clock.advance(0)
    for (const name of eventNames(20)) {
      accept(name)
      void outbox.sendNow(eventJson(`now-${name}`))
      await clock.advance(100)
    }
    expect(service.requests).toHaveLength(1)
    await clock.advance(250)
    expect(service.requests).toHaveLength(2)
  })

  it('warns once per outage that events were not delivered', async () => {
    const { service, clock, warnings, accept } = nodeOutboxFixture({ flushAt: 1 })
    service.reply = () => ({ status: 0 })
    accept('a')
    await clock.advance(60_000)
    expect(warnings).toHaveLength(1)
    service.reply = () => ({ status: 200 })
    await clock.advance(60_000)
    service.reply = () => ({ status: 503 })
    accept('b')
    await clock.advance(0)
    expect(warnings).toEqual([
      'events not delivered: https://service/batch/ answered nothing',
      'events not delivered: https://service/batch/ answered 503',
    ])
  })
})

describe('sendNow()', () => {
  it('sends one event in its own request, before queued ones', async () => {
    const { outbox, log, service, accept } = nodeOutboxFixture()
    accept('a')
    await outbox.sendNow(eventJson('now'))
    expect(service.eventNames()).toEqual(['now'])
    expect(log.size()).toBe(1)
  })

  it.each([0, 429, 503, 404])('queues an event after a retryable failure (status %i)', async (status) => {
    const { outbox, log, service, clock, dropped } = nodeOutboxFixture()
    service.reply = (_request, index) => ({ status: index ? 200 : status })
    await outbox.sendNow(eventJson('now'))
    expect(log.size()).toBe(1)
    await clock.advance(300_000)
    expect([service.eventNames(), dropped]).toEqual([['now'], []])
  })

  it.each([
    [413, '', 'too_large'],
    [400, '', 'rejected_by_service'],
    [401, '{"code":"x","detail":"y"}', 'rejected_by_service'],
  ])('drops an event that the service rejects (status %i %s)', async (status, body, reason) => {
    const { outbox, service, clock, dropped } = nodeOutboxFixture()
    service.reply = () => ({ status, body })
    await outbox.sendNow(eventJson('now'))
    await clock.advance(600_000)
    expect([service.requests.length, dropped]).toEqual([1, [`now ${reason}`]])
  })

  it('counts concurrent failed requests as one failure', async () => {
    const { outbox, service, clock } = nodeOutboxFixture()
    service.reply = (_request, index) => ({ status: index < 50 ? 503 : 200 })
    await Promise.all(eventNames(50).map((name) => outbox.sendNow(eventJson(name))))
    await clock.advance(3_000)
    expect(service.eventNames()).toEqual(eventNames(50))
  })

  it('queues an event at once during a Retry-After', async () => {
    const { outbox, log, service, clock, accept } = nodeOutboxFixture({ flushAt: 1 })
    service.reply = () => ({ status: 429, retryAfter: '60' })
    accept('a')
    await clock.advance(0)
    await outbox.sendNow(eventJson('now'))
    expect([service.requests.length, log.size()]).toEqual([1, 2])
  })
})

describe('shutdown()', () => {
  // Specification, section 7: "Stops timers and pollers, drains the queue, resolves; repeated calls are harmless"
  it('delivers the queue, stops all timers, and may be called again', async () => {
    const { outbox, service, clock, process, accept } = nodeOutboxFixture()
    accept(...eventNames(150))
    const first = outbox.shutdown(30_000)
    expect(outbox.isClosed()).toBe(true)
    expect(outbox.shutdown(1)).toBe(first)
    await first
    expect(service.eventNames()).toEqual(eventNames(150))
    expect([clock.pending(), process.listenerCount(), process.keepAliveCount()]).toEqual([0, 0, 0])
  })

  // Specification, section 7: "Timeout …: resolves with a critical log, never rejects"
  it('resolves at its timeout with a warning, and reports dropped events', async () => {
    const { outbox, service, clock, warnings, dropped, process, accept } = nodeOutboxFixture()
    service.reply = () => new Promise(() => {})
    accept('a', 'b')
    let hasEnded = false
    const ended = outbox.shutdown(1_000).then(() => (hasEnded = true))
    await clock.advance(999)
    expect(hasEnded).toBe(false)
    await clock.advance(1)
    await ended
    expect(dropped).toEqual(['a storage_unavailable', 'b storage_unavailable'])
    expect(warnings).toEqual(['2 events are not delivered and are lost with this process'])
    expect([clock.pending(), process.listenerCount(), process.keepAliveCount()]).toEqual([0, 0, 0])
  })

  // Specification, section 7: "Delivery failure during the drain is reported as a warning, not thrown"
  it('warns of a failed request, even if a retry succeeds', async () => {
    const { outbox, service, clock, warnings, accept } = nodeOutboxFixture()
    service.reply = (_request, index) => ({ status: index ? 200 : 503 })
    accept('a')
    const ended = outbox.shutdown(30_000)
    await clock.advance(5_000)
    await ended
    expect(service.eventNames()).toEqual(['a'])
    expect(warnings).toEqual(['events not delivered: https://service/batch/ answered 503'])
  })

  it('reports an event of sendNow() that is in flight at the timeout', async () => {
    const { outbox, service, clock, warnings, dropped } = nodeOutboxFixture()
    service.reply = () => new Promise(() => {})
    void outbox.sendNow(eventJson('now'))
    const ended = outbox.shutdown(1_000)
    await clock.advance(1_000)
    await ended
    expect(dropped).toEqual(['now storage_unavailable'])
    expect(warnings).toEqual(['1 events are not delivered and are lost with this process'])
  })

  it('sends at once, even if a flush() waits for the back-off', async () => {
    const { outbox, service, clock, dropped, accept } = nodeOutboxFixture({ fetchRetryDelay: 20_000 })
    service.reply = (_request, index) => ({ status: index ? 200 : 503 })
    accept('a')
    void outbox.flush()
    await clock.advance(500)
    const ended = outbox.shutdown(2_000)
    await clock.advance(0)
    expect([service.eventNames(), dropped]).toEqual([['a'], []])
    await ended
  })

  it('retries until its timeout', async () => {
    const { outbox, service, clock, dropped, accept } = nodeOutboxFixture({ fetchRetryDelay: 100 })
    service.reply = () => ({ status: 503 })
    accept('a')
    const ended = outbox.shutdown(30_000)
    await clock.advance(12_000)
    expect(service.requests.length).toBeGreaterThan(6)
    service.reply = () => ({ status: 200 })
    await clock.advance(17_000)
    await ended
    expect([service.eventNames(), dropped]).toEqual([['a'], []])
    expect(clock.pending()).toBe(0)
  })

  it('starts its back-off again after a long outage', async () => {
    const { outbox, service, clock, dropped, accept } = nodeOutboxFixture({ flushAt: 1 })
    service.reply = () => ({ status: 503 })
    accept('a')
    await clock.advance(3_600_000)
    const ended = outbox.shutdown(30_000)
    await clock.advance(0)
    service.reply = () => ({ status: 200 })
    await clock.advance(3_000)
    await ended
    expect([service.eventNames(), dropped]).toEqual([['a'], []])
  })

  it.each([
    ['waits for a Retry-After within its timeout', 60_000, ['a'], 31_000],
    ['ends at once for a longer Retry-After', 30_000, [], 0],
  ])('%s', async (_title, timeoutMs, delivered, afterMs) => {
    const { outbox, service, clock, accept } = nodeOutboxFixture({ flushAt: 1 })
    service.reply = (_request, index) => (index ? { status: 200 } : { status: 429, retryAfter: '31' })
    accept('a')
    await clock.advance(0)
    const start = clock.now()
    const ended = outbox.shutdown(timeoutMs).then(() => clock.now() - start)
    await clock.advance(timeoutMs)
    expect(await ended).toBe(afterMs)
    expect(service.eventNames()).toEqual(delivered)
  })

  it('aborts the request in flight at its timeout, to free the process', async () => {
    let isAborted = false
    const { outbox, clock, warnings, accept } = nodeOutboxFixture(
      {},
      {
        send: ({ aborts }) =>
          new Promise((resolve) =>
            aborts?.add(() => {
              isAborted = true
              resolve({ status: 0, body: '', retryAfter: null })
            }),
          ),
      },
    )
    accept('a')
    const ended = outbox.shutdown(1_000)
    await clock.advance(1_000)
    await ended
    expect(isAborted).toBe(true)
    expect(warnings).toEqual(['1 events are not delivered and are lost with this process'])
  })

  it('waits for a sendNow() in flight, and delivers its event after a failure', async () => {
    const { outbox, service, clock } = nodeOutboxFixture()
    service.reply = async (_request, index) => {
      if (!index) await new Promise<void>((resolve) => clock.after(500, resolve))
      return { status: index ? 200 : 503 }
    }
    const sent = outbox.sendNow(eventJson('now'))
    const ended = outbox.shutdown(30_000)
    await clock.advance(5_000)
    await Promise.all([sent, ended])
    expect(service.eventNames()).toEqual(['now'])
  })
})

describe('the end of the process', () => {
  it('has listeners only while events are queued or in flight', async () => {
    const { outbox, process, clock, accept } = nodeOutboxFixture()
    expect(process.listenerCount()).toBe(0)
    accept('a')
    expect(process.listenerCount()).toBe(2)
    await outbox.flush()
    expect(process.listenerCount()).toBe(0)
    const sent = outbox.sendNow(eventJson('now'))
    expect([process.listenerCount(), process.keepAliveCount()]).toEqual([2, 1])
    await sent
    expect([process.listenerCount(), process.keepAliveCount()]).toEqual([0, 0])
    await clock.advance(3_000)
    expect(clock.pending()).toBe(0)
  })

  it('waits for a running flush()', async () => {
    const { outbox, service, clock, process, accept } = nodeOutboxFixture()
    service.reply = (_request, index) => ({ status: index ? 200 : 503 })
    accept('a')
    const flushed = outbox.flush()
    await clock.advance(1_000)
    expect(process.keepAliveCount()).toBe(1)
    await clock.advance(5_000)
    await flushed
    expect(process.keepAliveCount()).toBe(0)
  })

  it('delivers queued events each time the process is idle', async () => {
    const { service, clock, process, accept } = nodeOutboxFixture()
    for (const name of ['a', 'b']) {
      accept(name)
      process.idle()
      expect(process.keepAliveCount()).toBe(1)
      await clock.advance(0)
      expect(process.keepAliveCount()).toBe(0)
    }
    expect(service.eventNames()).toEqual(['a', 'b'])
  })

  it('keeps an idle process alive for five seconds of outage, once', async () => {
    const { service, clock, process, accept } = nodeOutboxFixture()
    service.reply = () => new Promise(() => {})
    accept('a')
    process.idle()
    await clock.advance(4_999)
    expect(process.keepAliveCount()).toBe(1)
    await clock.advance(1)
    expect(process.keepAliveCount()).toBe(0)
    process.idle()
    expect(process.keepAliveCount()).toBe(0)
  })

  it('delivers again when the process is idle ten seconds later', async () => {
    const { service, clock, process, accept } = nodeOutboxFixture()
    service.reply = () => ({ status: 503 })
    accept('a')
    process.idle()
    await clock.advance(9_999)
    process.idle()
    expect(process.keepAliveCount()).toBe(0)
    await clock.advance(1)
    service.reply = () => ({ status: 200 })
    process.idle()
    expect(process.keepAliveCount()).toBe(1)
    await clock.advance(0)
    expect([service.eventNames(), process.keepAliveCount()]).toEqual([['a'], 0])
  })

  it('keeps an idle process alive while the service accepts events', async () => {
    const { service, clock, process, dropped, accept } = nodeOutboxFixture({ maxBatchSize: 1 })
    service.reply = async (_request, index) => {
      await new Promise<void>((resolve) => clock.after(1_000, resolve))
      return { status: index === 4 ? 503 : 200 }
    }
    accept(...eventNames(9))
    process.idle()
    await clock.advance(12_000)
    expect(process.keepAliveCount()).toBe(1)
    await clock.advance(1_000)
    expect([service.eventNames(), dropped, process.keepAliveCount()]).toEqual([eventNames(9), [], 0])
  })

  it('aborts the request in flight after five seconds, to free the process', async () => {
    let aborted = 0
    const { clock, process, accept } = nodeOutboxFixture(
      {},
      { send: ({ aborts }) => new Promise(() => aborts?.add(() => aborted++)) },
    )
    accept('a')
    process.idle()
    await clock.advance(4_999)
    expect(aborted).toBe(0)
    await clock.advance(1)
    expect(aborted).toBe(1)
  })

  it.each([
    ['the queue was empty', []],
    ['events were queued', ['a']],
  ])('reports events that other exit listeners capture when %s', (_title, queued) => {
    const { outbox, process, dropped, accept } = nodeOutboxFixture()
    accept(...queued)
    process.exit()
    accept('late', 'later')
    void outbox.sendNow(eventJson('now'))
    expect(dropped).toEqual([...queued, 'late', 'later', 'now'].map((name) => `${name} storage_unavailable`))
  })

  it('reports queued events and events in flight as dropped', async () => {
    const { outbox, log, process, dropped, service, clock, accept } = nodeOutboxFixture()
    service.reply = () => new Promise(() => {})
    accept('a')
    void outbox.sendNow(eventJson('now'))
    await clock.advance(0)
    process.exit()
    expect(dropped).toEqual(['a', 'now'].map((name) => `${name} storage_unavailable`))
    expect([log.size(), process.listenerCount()]).toEqual([0, 0])
  })

  it('writes queued events to a durable log at once', async () => {
    const calls: string[] = []
    const stored: string[] = []
    const { process, dropped, warnings, accept } = nodeOutboxFixture(
      {},
      {
        log: {
          append: (json) => stored.push(json),
          readOldest: async () => undefined,
          size: () => stored.length,
          writeSync: () => calls.push('written'),
          whenDurable: async () => {},
          close() {
            calls.push('closed')
            return []
          },
        },
      },
    )
    accept('a')
    process.exit()
    expect([calls, dropped]).toEqual([['written', 'closed'], []])
    expect(warnings).toEqual(['1 events are not delivered; they stay on disk for the next start'])
  })
})
