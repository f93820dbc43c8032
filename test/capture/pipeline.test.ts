import { describe, expect, it } from 'vitest'
import { MAX_EVENT_BYTES } from '../../src/wire/bounds.ts'
import { createPipelineHarness } from '../support/pipeline-harness.ts'

const eventNames = (count: number, prefix = 'event'): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix} ${index}`)

describe('the pipeline', () => {
  it('sends one batch after the flush interval', async () => {
    const harness = createPipelineHarness()
    const tab = harness.open()
    await harness.waitUntilIdle()
    tab.capture('a', 'b')
    await harness.clock.advance(2_999)
    expect(harness.service.requests).toHaveLength(0)
    expect(await harness.storedEventNames()).toEqual(['a', 'b'])
    await harness.clock.advance(1)
    expect(harness.service.batches.map(({ batch }) => batch.map(({ event }) => event))).toEqual([['a', 'b']])
    expect(await harness.storedEventNames()).toEqual([])
  })

  it('sends at once when flushAt events are queued', async () => {
    const harness = createPipelineHarness()
    const tab = harness.open({ flushAt: 3 })
    await harness.waitUntilIdle()
    tab.capture('a', 'b')
    await harness.waitUntilIdle()
    expect(harness.service.requests).toHaveLength(0)
    tab.capture('c')
    await harness.waitUntilIdle()
    expect(harness.service.eventNames()).toEqual(['a', 'b', 'c'])
  })

  it('stores an event before any request', async () => {
    const harness = createPipelineHarness()
    const tab = harness.open({ flushAt: 1 })
    let onDisk: string[] = []
    harness.service.reply = async () => {
      onDisk = await harness.storedEventNames()
      return { status: 200 }
    }
    tab.capture('a')
    await harness.waitUntilIdle()
    expect(onDisk).toEqual(['a'])
  })

  it('sends several batches one after the other', async () => {
    const harness = createPipelineHarness()
    const tab = harness.open({ maxBatchSize: 40 })
    await harness.waitUntilIdle()
    let running = 0
    let maxRunning = 0
    harness.service.reply = async () => {
      maxRunning = Math.max(maxRunning, ++running)
      await Promise.resolve()
      running--
      return { status: 200 }
    }
    tab.capture(...eventNames(90))
    await Promise.all([tab.pipeline.flush(), tab.pipeline.flush(), tab.pipeline.flush()])
    expect(harness.service.batches.map(({ batch }) => batch.length)).toEqual([40, 40, 10])
    expect(harness.service.eventNames()).toEqual(eventNames(90))
    expect(maxRunning).toBe(1)
  })

  it('delivers an event that was captured before the store is open', async () => {
    const harness = createPipelineHarness()
    const tab = harness.open()
    tab.capture('a')
    await tab.pipeline.flush()
    expect(harness.service.eventNames()).toEqual(['a'])
  })

  it('sends no request when flush() finds no events', async () => {
    const harness = createPipelineHarness()
    const tab = harness.open()
    await tab.pipeline.flush()
    expect(harness.service.requests).toHaveLength(0)
  })

  it('keeps events that are captured while a request is in flight', async () => {
    const harness = createPipelineHarness()
    const tab = harness.open()
    await harness.waitUntilIdle()
    let respond = (): void => {}
    harness.service.reply = (_request, index) =>
      index ? { status: 200 } : new Promise((resolve) => (respond = () => resolve({ status: 200 })))
    tab.capture('a')
    const flushed = tab.pipeline.flush()
    await harness.waitUntilIdle()
    tab.capture('b')
    await harness.waitUntilIdle()
    respond()
    await flushed
    await harness.clock.advance(3_000)
    expect(harness.service.eventNames()).toEqual(['a', 'b'])
    expect(await harness.storedEventNames()).toEqual([])
  })

  it('compresses bodies, and reports each request to onSend', async () => {
    const harness = createPipelineHarness()
    const tab = harness.open({ supportedCompression: ['gzip', 'lz64'] })
    tab.capture(...eventNames(20))
    await tab.pipeline.flush()
    expect(harness.service.requests[0]!.contentType).toBe('text/plain')
    expect(harness.service.eventNames()).toEqual(eventNames(20))
    const [report] = tab.reports
    expect(report).toMatchObject({ encoding: 'gzip', events: 20, status: 200 })
    expect(report!.bytesAfter).toBe(harness.service.requests[0]!.body.length)
    expect(report!.bytesAfter).toBeLessThan(report!.bytesBefore / 4)
  })

  it('reports the bytes of JSON in UTF-8, not its characters', async () => {
    const harness = createPipelineHarness()
    const tab = harness.open({ supportedCompression: [] })
    tab.pipeline.capture('день', { text: '語'.repeat(500) })
    await tab.pipeline.flush()
    const { body } = harness.service.requests[0]!
    expect(tab.reports).toMatchObject([
      { encoding: 'plain', bytesBefore: Buffer.byteLength(body), bytesAfter: Buffer.byteLength(body) },
    ])
    expect(JSON.parse(JSON.stringify(tab.reports[0]))).toHaveProperty('bytesBefore')
  })
})

describe('a captured event', () => {
  it('survives properties that cannot be read or written as JSON', async () => {
    const harness = createPipelineHarness()
    const tab = harness.open()
    const cycle: Record<string, unknown> = { n: 1n }
    cycle.self = cycle
    expect(tab.pipeline.capture('cycle', cycle)).toBe(true)
    const throwing = {
      kept: 1,
      get bad(): never {
        throw new Error('no')
      },
    }
    expect(tab.pipeline.capture('getter', throwing)).toBe(true)
    await tab.pipeline.flush()
    expect(harness.service.events().map(({ properties }) => properties)).toMatchObject([
      { n: '1', self: { self: '[Circular]' } },
      { kept: 1, bad: '[Unreadable]' },
    ])
  })

  it('uses a valid timestamp option, and ignores an invalid one', async () => {
    const harness = createPipelineHarness()
    const tab = harness.open()
    tab.pipeline.capture('valid', {}, { timestamp: new Date('2024-05-06T07:08:09+02:00') })
    tab.pipeline.capture('invalid', {}, { timestamp: new Date('never') })
    await tab.pipeline.flush()
    expect(harness.service.events().map(({ timestamp }) => timestamp)).toEqual([
      '2024-05-06T05:08:09.000Z',
      '2026-01-01T00:00:00.000Z',
    ])
  })

  it.each([[''], ['  '], [undefined], [7], [null]])('is dropped when its name is %j', async (name) => {
    const harness = createPipelineHarness()
    const tab = harness.open()
    expect(tab.pipeline.capture(name as string, {})).toBe(false)
    await tab.pipeline.flush()
    expect(tab.dropped.map(({ reason }) => reason)).toEqual(['invalid_event'])
    expect(tab.warnings).toHaveLength(1)
    expect(harness.service.requests).toHaveLength(0)
  })

  it('is dropped when it is larger than the service stores', async () => {
    const harness = createPipelineHarness()
    const tab = harness.open()
    tab.capture('small')
    expect(tab.pipeline.capture('huge', { text: 'x'.repeat(MAX_EVENT_BYTES) })).toBe(false)
    await tab.pipeline.flush()
    expect(harness.service.eventNames()).toEqual(['small'])
    expect(tab.dropped.map(({ reason }) => reason)).toEqual(['too_large'])
  })

  it('never throws into the page when onDrop or onSend throws', async () => {
    const harness = createPipelineHarness()
    const fail = (): never => {
      throw new Error('no')
    }
    const tab = harness.open({ onDrop: fail, onSend: fail })
    expect(tab.pipeline.capture('', {})).toBe(false)
    tab.capture('a')
    await tab.pipeline.flush()
    expect(harness.service.eventNames()).toEqual(['a'])
    expect(tab.warnings.map(([message]) => message)).toEqual([
      'event dropped (invalid_event):',
      'onDrop failed:',
      'onSend failed:',
    ])
  })
})

describe('a dropped event', () => {
  it('is only logged when onDrop has captured it', async () => {
    const harness = createPipelineHarness()
    const reported: string[] = []
    const tab = harness.open({
      onDrop: (event) => {
        reported.push(event.event)
        tab.capture('', 'dropped')
      },
    })
    tab.pipeline.capture('', {})
    tab.pipeline.capture('', {})
    await tab.pipeline.flush()
    expect(reported).toEqual(['', ''])
    expect(harness.service.eventNames()).toEqual(['dropped', 'dropped'])
  })

  it('is reported when the agent cannot build it', () => {
    const harness = createPipelineHarness()
    const tab = harness.open()
    const options = {
      get uuid(): never {
        throw new Error('no')
      },
    }
    expect(tab.pipeline.capture('a', { n: 1 }, options)).toBe(false)
    expect(tab.dropped).toMatchObject([{ event: { event: 'a', properties: { n: 1 } }, reason: 'invalid_event' }])
    expect(tab.warnings).toHaveLength(2)
  })
})

describe('before_send', () => {
  it('drops an event without a warning by returning null', async () => {
    const harness = createPipelineHarness()
    const tab = harness.open({ beforeSend: () => [(event) => (event.event === 'secret' ? null : event)] })
    tab.capture('secret', 'open')
    await tab.pipeline.flush()
    expect(harness.service.eventNames()).toEqual(['open'])
    expect(tab.dropped.map(({ event, reason }) => [event.event, reason])).toEqual([['secret', 'before_send']])
    expect(tab.warnings).toEqual([])
  })

  it('drops an event with a warning by throwing', async () => {
    const harness = createPipelineHarness()
    const tab = harness.open({
      beforeSend: () => [
        () => {
          throw new Error('no')
        },
      ],
    })
    tab.capture('a')
    await tab.pipeline.flush()
    expect(harness.service.requests).toHaveLength(0)
    expect(tab.dropped.map(({ reason }) => reason)).toEqual(['before_send'])
    expect(tab.warnings).toHaveLength(1)
  })

  it('drops an event with a warning by returning a promise', async () => {
    const harness = createPipelineHarness()
    const tab = harness.open({ beforeSend: () => [(async (event: object) => event) as never] })
    tab.capture('a')
    await tab.pipeline.flush()
    expect(harness.service.requests).toHaveLength(0)
    expect(tab.dropped.map(({ reason }) => reason)).toEqual(['before_send'])
    expect(tab.warnings).toHaveLength(1)
  })

  it('cannot edit the stored groups', async () => {
    const harness = createPipelineHarness()
    const tab = harness.open({
      beforeSend: () => [
        (event) => {
          delete (event.properties.$groups as Record<string, string>).company
          return event
        },
      ],
    })
    tab.pipeline.state.change((state) => ({ ...state, groups: { company: 'acme' } }))
    tab.capture('a')
    await tab.pipeline.flush()
    expect(harness.service.events()[0]!.properties.$groups).toEqual({})
    expect(tab.pipeline.state.current().groups).toEqual({ company: 'acme' })
  })

  it('replaces the event, but not its uuid', async () => {
    const harness = createPipelineHarness()
    const tab = harness.open({
      beforeSend: () => [({ distinct_id }) => ({ event: 'new', distinct_id, properties: { a: 1 } }) as never],
    })
    tab.capture('old')
    await tab.pipeline.flush()
    const [event] = harness.service.events()
    expect(event).toMatchObject({ event: 'new', properties: { a: 1 }, timestamp: '2026-01-01T00:00:00.000Z' })
    expect(event!.uuid).toMatch(/^[\da-f-]{36}$/)
  })
})

describe('a failing service', () => {
  it.each([[0], [408], [429], [500], [502], [503], [504]])(
    'keeps and resends the event after status %i',
    async (status) => {
      const harness = createPipelineHarness()
      harness.service.reply = (_request, index) => ({ status: index ? 200 : status })
      const tab = harness.open({ flushAt: 1 })
      await harness.waitUntilIdle()
      tab.capture('a')
      await harness.waitUntilIdle()
      expect(await harness.storedEventNames()).toEqual(['a'])
      await harness.clock.advance(3_000)
      expect(harness.service.eventNames()).toEqual(['a'])
      expect(tab.dropped).toEqual([])
    },
  )

  it('gets fetchRetryCount retries from one flush(); the events stay stored', async () => {
    const harness = createPipelineHarness()
    harness.service.reply = () => ({ status: 503 })
    const tab = harness.open()
    await harness.waitUntilIdle()
    tab.capture('a')
    const flushed = tab.pipeline.flush().then(() => harness.service.requests.length)
    await harness.clock.advance(60_000)
    expect(await flushed).toBe(4)
    expect(await harness.storedEventNames()).toEqual(['a'])
  })

  it('gets one request from concurrent callers of flush()', async () => {
    const harness = createPipelineHarness()
    harness.service.reply = () => ({ status: 503 })
    const tab = harness.open()
    await harness.waitUntilIdle()
    tab.capture('a')
    for (let ms = 0; ms < 2_000; ms += 100) {
      void tab.pipeline.flush()
      await harness.clock.advance(100)
    }
    expect(harness.service.requests).toHaveLength(1)
  })

  it('loses no event in an outage of three days, and gets unchanged events', async () => {
    const harness = createPipelineHarness()
    harness.service.reply = () => ({ status: 503 })
    const tab = harness.open()
    await harness.waitUntilIdle()
    for (const name of eventNames(24 * 3)) {
      tab.capture(name)
      await harness.clock.advance(3_600_000)
    }
    const attempts = harness.service.requests.length
    expect(attempts).toBeLessThan((3 * 24 * 60) / 2)
    harness.service.reply = () => ({ status: 200 })
    await harness.clock.advance(300_000)
    expect(harness.service.eventNames()).toEqual(eventNames(24 * 3))
    const before = JSON.parse(String(harness.service.requests[attempts - 1]!.body))
    const after = JSON.parse(String(harness.service.requests[attempts]!.body))
    expect(after.batch).toEqual(before.batch)
    expect(tab.dropped).toEqual([])
  })

  it('is reported once per outage by each page', async () => {
    const harness = createPipelineHarness()
    harness.service.reply = () => ({ status: 503 })
    const warning = expect.stringContaining('/batch/ answered 503')
    const first = harness.open()
    first.capture('a')
    await harness.clock.advance(600_000)
    expect(first.warnings.map(String)).toEqual([warning])
    first.kill()
    const nextTab = harness.open()
    await harness.clock.advance(600_000)
    expect(nextTab.warnings.map(String)).toEqual([warning])
    harness.service.reply = () => ({ status: 200 })
    await nextTab.pipeline.flush()
    await harness.clock.advance(600_000)
    expect(harness.service.eventNames()).toEqual(['a'])
    harness.service.reply = () => ({ status: 503 })
    nextTab.capture('b')
    await harness.clock.advance(600_000)
    expect(nextTab.warnings.map(String)).toEqual([warning, warning])
  })

  it('causes one warning when it refuses several batch sizes', async () => {
    const harness = createPipelineHarness()
    harness.service.reply = ({ body }) => ({
      status: (JSON.parse(String(body)) as { batch: unknown[] }).batch.length > 1 ? 413 : 200,
    })
    const tab = harness.open()
    tab.capture(...eventNames(16))
    await tab.pipeline.flush()
    expect(harness.service.eventNames()).toEqual(eventNames(16))
    expect(tab.warnings.map(String)).toEqual([expect.stringContaining('answered 413')])
  })

  it.each([['31'], ['Thu, 01 Jan 2026 00:10:00 GMT']])(
    'does not make flush() wait for the long Retry-After %j',
    async (retryAfter) => {
      const harness = createPipelineHarness()
      harness.service.reply = () => ({ status: 429, retryAfter })
      const tab = harness.open()
      await harness.waitUntilIdle()
      tab.capture('a')
      await tab.pipeline.flush()
      await tab.pipeline.flush()
      expect(harness.service.requests).toHaveLength(1)
      expect(await harness.storedEventNames()).toEqual(['a'])
    },
  )

  it('makes flush() wait for a Retry-After of 3 s, whatever the base delay', async () => {
    const harness = createPipelineHarness()
    const start = harness.clock.now()
    harness.service.reply = (_request, index) => (index ? { status: 200 } : { status: 503, retryAfter: '3' })
    const tab = harness.open({ fetchRetryDelay: 100 })
    await harness.waitUntilIdle()
    tab.capture('a')
    const flushed = tab.pipeline.flush().then(() => harness.clock.now() - start)
    await harness.clock.advance(2_999)
    expect(harness.service.requests).toHaveLength(1)
    await harness.clock.advance(60_000)
    expect(await flushed).toBeGreaterThanOrEqual(3_000)
    expect(harness.service.eventNames()).toEqual(['a'])
  })

  it('gets requests only after the back-off, even while events are captured', async () => {
    const harness = createPipelineHarness()
    const times: number[] = []
    harness.service.reply = () => {
      times.push(harness.clock.now())
      return { status: 503 }
    }
    const tab = harness.open({ flushAt: 1 })
    await harness.waitUntilIdle()
    for (let n = 0; n < 400; n++) {
      tab.capture(`event ${n}`)
      await harness.clock.advance(50)
    }
    const waits = times.slice(1).map((time, index) => time - times[index]!)
    expect(waits).toEqual([2_250, 4_500, 9_000])
  })

  it('causes one warning per outage', async () => {
    const harness = createPipelineHarness()
    harness.service.reply = () => ({ status: 503 })
    const tab = harness.open()
    tab.capture('a')
    await harness.clock.advance(600_000)
    expect(tab.warnings).toHaveLength(1)
  })

  it.each([
    ['seconds', '40', 40_000],
    ['the form of a date', 'Thu, 01 Jan 2026 00:00:40 GMT', 40_000],
    ['an absurd number of seconds', '9999999', 1_800_000],
  ])('gets no request before a Retry-After in %s has passed', async (_form, retryAfter, waitMs) => {
    const harness = createPipelineHarness()
    harness.service.reply = (_request, index) => (index ? { status: 200 } : { status: 429, retryAfter })
    const tab = harness.open({ flushAt: 1 })
    tab.capture('a')
    await harness.waitUntilIdle()
    expect(harness.service.requests).toHaveLength(1)
    void tab.pipeline.flush()
    await harness.clock.advance(waitMs / 2)
    tab.lifecycle.wake('online')
    tab.kill()
    const nextTab = harness.open()
    nextTab.capture('b')
    await harness.clock.advance(waitMs / 2 - 1)
    expect(harness.service.requests).toHaveLength(1)
    await harness.clock.advance(1)
    expect(harness.service.eventNames()).toEqual(['a', 'b'])
  })

  it('gets a request at the next start of a page after a short Retry-After', async () => {
    const harness = createPipelineHarness()
    harness.service.reply = () => ({ status: 503, retryAfter: '1' })
    const tab = harness.open({ flushAt: 1 })
    tab.capture('a')
    await harness.clock.advance(600_000)
    tab.kill()
    const before = harness.service.requests.length
    harness.service.reply = () => ({ status: 200 })
    await harness.clock.advance(1_000)
    harness.open()
    await harness.waitUntilIdle()
    expect(harness.service.requests).toHaveLength(before + 1)
    expect(harness.service.eventNames()).toEqual(['a'])
  })

  it('makes batches smaller by 413, and loses only an event that it refuses alone', async () => {
    const harness = createPipelineHarness()
    harness.service.reply = ({ body }) => {
      const { batch } = JSON.parse(String(body)) as { batch: { event: string }[] }
      return { status: batch.length > 3 || batch.some(({ event }) => event === 'fat') ? 413 : 200 }
    }
    const tab = harness.open()
    tab.capture(...eventNames(7), 'fat', 'last')
    await tab.pipeline.flush()
    expect(harness.service.eventNames()).toEqual([...eventNames(7), 'last'])
    expect(tab.dropped.map(({ event, reason }) => [event.event, reason])).toEqual([['fat', 'too_large']])
    const attempts = harness.service.requests.length
    tab.capture(...eventNames(4, 'later'))
    await tab.pipeline.flush()
    expect(harness.service.requests.length - attempts).toBe(4)
  })

  it.each([
    [400, ''],
    [401, '{"type":"authentication_error","code":"invalid_api_key","detail":"no","attr":null}'],
    [403, '{"type":"authentication_error","code":"invalid_api_key","detail":"no","attr":null}'],
  ])('gets no second request after it rejects the events with status %i', async (status, body) => {
    const harness = createPipelineHarness()
    harness.service.reply = () => ({ status, body })
    const tab = harness.open()
    tab.capture('a', 'b')
    await tab.pipeline.flush()
    await harness.clock.advance(600_000)
    expect(harness.service.requests).toHaveLength(1)
    expect(tab.dropped.map(({ event, reason }) => [event.event, reason])).toEqual([
      ['a', 'rejected_by_service'],
      ['b', 'rejected_by_service'],
    ])
    expect(await harness.storedEventNames()).toEqual([])
  })

  it.each([[401], [403], [404], [405]])(
    'gets a request every five minutes behind a proxy that responds %i',
    async (status) => {
      const harness = createPipelineHarness()
      harness.service.reply = () => ({ status, body: '<html>no</html>' })
      const tab = harness.open({ flushAt: 1 })
      await harness.waitUntilIdle()
      tab.capture('a')
      await harness.clock.advance(299_999)
      expect(harness.service.requests).toHaveLength(1)
      harness.service.reply = () => ({ status: 200 })
      await harness.clock.advance(1)
      expect(harness.service.eventNames()).toEqual(['a'])
      expect(tab.dropped).toEqual([])
    },
  )

  it('gets the same event again when its responses are lost', async () => {
    const harness = createPipelineHarness()
    harness.service.reply = (_request, index) => ({ status: 200, isDropped: index < 2 })
    const tab = harness.open()
    tab.capture('a')
    await harness.clock.advance(60_000)
    const [first, second, third] = harness.service.events()
    expect(second).toEqual(first)
    expect(third).toEqual(first)
    expect(await harness.storedEventNames()).toEqual([])
  })
})

describe('offline', () => {
  /** A page whose browser says that it is offline. */
  const openOffline = async (status: number) => {
    const harness = createPipelineHarness()
    harness.service.reply = () => ({ status })
    const tab = harness.open({ flushAt: 2 })
    await harness.waitUntilIdle()
    tab.lifecycle.online = false
    return { harness, tab }
  }

  it('delivers after a delay, because the browser may be wrong', async () => {
    const { harness, tab } = await openOffline(200)
    tab.capture(...eventNames(5))
    await harness.clock.advance(29_999)
    expect(harness.service.requests).toHaveLength(0)
    await harness.clock.advance(1)
    expect(harness.service.eventNames()).toEqual(eventNames(5))
    tab.capture('later')
    await harness.clock.advance(30_000)
    expect(harness.service.eventNames()).toEqual([...eventNames(5), 'later'])
  })

  it('tries once when flush() is called, and does not wait for retries', async () => {
    const { harness, tab } = await openOffline(0)
    tab.capture('a')
    await tab.pipeline.flush()
    expect(harness.service.requests).toHaveLength(1)
    harness.service.reply = () => ({ status: 200 })
    await harness.clock.advance(3_000)
    expect(harness.service.eventNames()).toEqual(['a'])
  })

  it('tries once when it shuts down, and leaves the events to the next page', async () => {
    const { harness, tab } = await openOffline(0)
    tab.capture('a')
    await tab.pipeline.shutdown(10_000)
    expect([harness.service.requests.length, await harness.storedEventNames()]).toEqual([1, ['a']])
  })

  it('delivers at once when the network returns', async () => {
    const { harness, tab } = await openOffline(0)
    tab.capture(...eventNames(5))
    await harness.clock.advance(1_000)
    expect(harness.service.requests).toHaveLength(0)
    harness.service.reply = () => ({ status: 200 })
    tab.lifecycle.online = true
    tab.lifecycle.wake('online')
    await harness.waitUntilIdle()
    expect(harness.service.eventNames()).toEqual(eventNames(5))
  })

  it('retries once after a failed request during which it was woken ten times', async () => {
    const harness = createPipelineHarness()
    let fail = (): void => {}
    harness.service.reply = (_request, index) =>
      index ? { status: 503 } : new Promise((resolve) => (fail = () => resolve({ status: 503 })))
    const tab = harness.open({ flushAt: 1 })
    tab.capture('a')
    await harness.waitUntilIdle()
    void tab.pipeline.flush()
    for (let n = 0; n < 10; n++) {
      tab.lifecycle.hide()
      tab.lifecycle.wake('visible')
    }
    fail()
    await harness.waitUntilIdle()
    expect(harness.service.requests).toHaveLength(2)
  })

  it('retries at once when the network returns while a request fails', async () => {
    const harness = createPipelineHarness()
    let fail = (): void => {}
    harness.service.reply = (_request, index) =>
      index ? { status: 200 } : new Promise((resolve) => (fail = () => resolve({ status: 0 })))
    const tab = harness.open({ flushAt: 1 })
    tab.capture('a')
    await harness.waitUntilIdle()
    tab.lifecycle.wake('online')
    fail()
    await harness.waitUntilIdle()
    expect(harness.service.eventNames()).toEqual(['a'])
  })
})
