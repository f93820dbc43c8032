import { describe, expect, it } from 'vitest'
import { createWorld } from '../support/pipeline-harness.ts'

const names = (count: number, prefix = 'event'): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix} ${index}`)

describe('the pipeline', () => {
  it('sends one batch after the flush interval', async () => {
    const world = createWorld()
    const tab = world.open()
    await world.idle()
    tab.capture('a', 'b')
    await world.clock.advance(2_999)
    expect(world.service.requests).toHaveLength(0)
    expect(await world.waiting()).toEqual(['a', 'b'])
    await world.clock.advance(1)
    expect(world.service.batches.map(({ batch }) => batch.map(({ event }) => event))).toEqual([['a', 'b']])
    expect(await world.waiting()).toEqual([])
  })

  it('sends at once when flushAt events are queued', async () => {
    const world = createWorld()
    const tab = world.open({ flushAt: 3 })
    await world.idle()
    tab.capture('a', 'b')
    await world.idle()
    expect(world.service.requests).toHaveLength(0)
    tab.capture('c')
    await world.idle()
    expect(world.service.names()).toEqual(['a', 'b', 'c'])
  })

  it('stores an event before any request', async () => {
    const world = createWorld()
    const tab = world.open({ flushAt: 1 })
    let onDisk: string[] = []
    world.service.reply = async () => {
      onDisk = await world.waiting()
      return { status: 200 }
    }
    tab.capture('a')
    await world.idle()
    expect(onDisk).toEqual(['a'])
  })

  it('sends more than a batch in several requests, one after the other', async () => {
    const world = createWorld()
    const tab = world.open({ maxBatchSize: 40 })
    await world.idle()
    let running = 0
    let maxRunning = 0
    world.service.reply = async () => {
      maxRunning = Math.max(maxRunning, ++running)
      await Promise.resolve()
      running--
      return { status: 200 }
    }
    tab.capture(...names(90))
    await Promise.all([tab.pipeline.flush(), tab.pipeline.flush(), tab.pipeline.flush()])
    expect(world.service.batches.map(({ batch }) => batch.length)).toEqual([40, 40, 10])
    expect(world.service.names()).toEqual(names(90))
    expect(maxRunning).toBe(1)
  })

  it('delivers events by flush() right after the start', async () => {
    const world = createWorld()
    const tab = world.open()
    tab.capture('a')
    await tab.pipeline.flush()
    expect(world.service.names()).toEqual(['a'])
  })

  it('makes no request by flush() without events', async () => {
    const world = createWorld()
    const tab = world.open()
    await tab.pipeline.flush()
    expect(world.service.requests).toHaveLength(0)
  })

  it('keeps events that are captured while a request is in flight', async () => {
    const world = createWorld()
    const tab = world.open()
    await world.idle()
    let respond = (): void => {}
    world.service.reply = (_request, index) =>
      index ? { status: 200 } : new Promise((resolve) => (respond = () => resolve({ status: 200 })))
    tab.capture('a')
    const flushed = tab.pipeline.flush()
    await world.idle()
    tab.capture('b')
    await world.idle()
    respond()
    await flushed
    await world.clock.advance(3_000)
    expect(world.service.names()).toEqual(['a', 'b'])
    expect(await world.waiting()).toEqual([])
  })

  it('compresses, and reports what was sent', async () => {
    const world = createWorld()
    const tab = world.open({ disableCompression: false })
    tab.capture(...names(20))
    await tab.pipeline.flush()
    expect(world.service.requests[0]!.contentType).toBe('text/plain')
    expect(world.service.names()).toEqual(names(20))
    const [report] = tab.reports
    expect(report).toMatchObject({ encoding: 'gzip', events: 20, status: 200 })
    expect(report!.bytesAfter).toBe(world.service.requests[0]!.body.length)
    expect(report!.bytesAfter).toBeLessThan(report!.bytesBefore / 4)
  })
})

describe('a captured event', () => {
  it('survives properties that cannot be read or written as JSON', async () => {
    const world = createWorld()
    const tab = world.open()
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
    expect(world.service.events().map(({ properties }) => properties)).toMatchObject([
      { n: '[BigInt 1]', self: { self: '[Circular]' } },
      { kept: 1, bad: '[Unreadable]' },
    ])
  })

  it('keeps a valid timestamp option, and ignores an invalid one', async () => {
    const world = createWorld()
    const tab = world.open()
    tab.pipeline.capture('valid', {}, { timestamp: new Date('2024-05-06T07:08:09+02:00') })
    tab.pipeline.capture('invalid', {}, { timestamp: new Date('never') })
    await tab.pipeline.flush()
    expect(world.service.events().map(({ timestamp }) => timestamp)).toEqual([
      '2024-05-06T05:08:09.000Z',
      '2026-01-01T00:00:00.000Z',
    ])
  })

  it.each([[''], ['  '], [undefined], [7], [null]])('is dropped without a name: %j', async (name) => {
    const world = createWorld()
    const tab = world.open()
    expect(tab.pipeline.capture(name as string, {})).toBe(false)
    await tab.pipeline.flush()
    expect(tab.dropped.map(({ reason }) => reason)).toEqual(['invalid_event'])
    expect(tab.warnings).toHaveLength(1)
    expect(world.service.requests).toHaveLength(0)
  })

  it('is dropped alone when it is larger than the whole queue', async () => {
    const world = createWorld()
    const tab = world.open({ maxBytes: 5_000 })
    tab.capture('small')
    expect(tab.pipeline.capture('huge', { text: 'x'.repeat(5_000) })).toBe(false)
    await tab.pipeline.flush()
    expect(world.service.names()).toEqual(['small'])
    expect(tab.dropped.map(({ reason }) => reason)).toEqual(['too_large'])
  })

  it('never throws into the page when onDrop or onSend throws', async () => {
    const world = createWorld()
    const fail = (): never => {
      throw new Error('no')
    }
    const tab = world.open({ onDrop: fail, onSend: fail })
    expect(tab.pipeline.capture('', {})).toBe(false)
    tab.capture('a')
    await tab.pipeline.flush()
    expect(world.service.names()).toEqual(['a'])
    expect(tab.warnings.map(([message]) => message)).toEqual([
      'event dropped (invalid_event):',
      'onDrop failed:',
      'onSend failed:',
    ])
  })
})

describe('a dropped event', () => {
  it('lets onDrop capture; events dropped there are only logged', async () => {
    const world = createWorld()
    const reported: string[] = []
    const tab = world.open({
      onDrop: (event) => {
        reported.push(event.event)
        tab.capture('', 'dropped')
      },
    })
    tab.pipeline.capture('', {})
    tab.pipeline.capture('', {})
    await tab.pipeline.flush()
    expect(reported).toEqual(['', ''])
    expect(world.service.names()).toEqual(['dropped', 'dropped'])
  })

  it('is also reported when the agent fails to build it', () => {
    const world = createWorld()
    const tab = world.open()
    const timestamp = {
      valueOf() {
        throw new Error('no')
      },
    }
    expect(tab.pipeline.capture('a', { n: 1 }, { timestamp: timestamp as never })).toBe(false)
    expect(tab.dropped).toMatchObject([{ event: { event: 'a', properties: { n: 1 } }, reason: 'invalid_event' }])
    expect(tab.warnings).toHaveLength(2)
  })
})

describe('before_send', () => {
  it('drops an event by null, without a warning', async () => {
    const world = createWorld()
    const tab = world.open({ beforeSend: () => [(event) => (event.event === 'secret' ? null : event)] })
    tab.capture('secret', 'open')
    await tab.pipeline.flush()
    expect(world.service.names()).toEqual(['open'])
    expect(tab.dropped.map(({ event, reason }) => [event.event, reason])).toEqual([['secret', 'before_send']])
    expect(tab.warnings).toEqual([])
  })

  it('drops an event by throwing, with a warning', async () => {
    const world = createWorld()
    const tab = world.open({
      beforeSend: () => [
        () => {
          throw new Error('no')
        },
      ],
    })
    tab.capture('a')
    await tab.pipeline.flush()
    expect(world.service.requests).toHaveLength(0)
    expect(tab.dropped.map(({ reason }) => reason)).toEqual(['before_send'])
    expect(tab.warnings).toHaveLength(1)
  })

  it('drops an event by a promise, with a warning', async () => {
    const world = createWorld()
    const tab = world.open({ beforeSend: () => [(async (event: object) => event) as never] })
    tab.capture('a')
    await tab.pipeline.flush()
    expect(world.service.requests).toHaveLength(0)
    expect(tab.dropped.map(({ reason }) => reason)).toEqual(['before_send'])
    expect(tab.warnings).toHaveLength(1)
  })

  it('cannot edit the stored groups', async () => {
    const world = createWorld()
    const tab = world.open({
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
    expect(world.service.events()[0]!.properties.$groups).toEqual({})
    expect(tab.pipeline.state.current().groups).toEqual({ company: 'acme' })
  })

  it('replaces the event, but not its uuid', async () => {
    const world = createWorld()
    const tab = world.open({
      beforeSend: () => [({ distinct_id }) => ({ event: 'new', distinct_id, properties: { a: 1 } }) as never],
    })
    tab.capture('old')
    await tab.pipeline.flush()
    const [event] = world.service.events()
    expect(event).toMatchObject({ event: 'new', properties: { a: 1 }, timestamp: '2026-01-01T00:00:00.000Z' })
    expect(event!.uuid).toMatch(/^[\da-f-]{36}$/)
  })
})

describe('a failing service', () => {
  it.each([[0], [408], [429], [500], [502], [503], [504]])('keeps the event through status %i', async (status) => {
    const world = createWorld()
    world.service.reply = (_request, index) => ({ status: index ? 200 : status })
    const tab = world.open({ flushAt: 1 })
    await world.idle()
    tab.capture('a')
    await world.idle()
    expect(await world.waiting()).toEqual(['a'])
    await world.clock.advance(3_000)
    expect(world.service.names()).toEqual(['a'])
    expect(tab.dropped).toEqual([])
  })

  it('gets fetchRetryCount retries by one flush(), which keeps the events', async () => {
    const world = createWorld()
    world.service.reply = () => ({ status: 503 })
    const tab = world.open()
    await world.idle()
    tab.capture('a')
    const flushed = tab.pipeline.flush().then(() => world.service.requests.length)
    await world.clock.advance(60_000)
    expect(await flushed).toBe(4)
    expect(await world.waiting()).toEqual(['a'])
  })

  it('gets no more requests from many callers of flush()', async () => {
    const world = createWorld()
    world.service.reply = () => ({ status: 503 })
    const tab = world.open()
    await world.idle()
    tab.capture('a')
    for (let ms = 0; ms < 2_000; ms += 100) {
      void tab.pipeline.flush()
      await world.clock.advance(100)
    }
    expect(world.service.requests).toHaveLength(1)
  })

  it('loses nothing in an outage of days, and gets the same events again', async () => {
    const world = createWorld()
    world.service.reply = () => ({ status: 503 })
    const tab = world.open()
    await world.idle()
    for (const name of names(24 * 3)) {
      tab.capture(name)
      await world.clock.advance(3_600_000)
    }
    const attempts = world.service.requests.length
    expect(attempts).toBeLessThan((3 * 24 * 60) / 2)
    world.service.reply = () => ({ status: 200 })
    await world.clock.advance(300_000)
    expect(world.service.names()).toEqual(names(24 * 3))
    const before = JSON.parse(String(world.service.requests[attempts - 1]!.body))
    const after = JSON.parse(String(world.service.requests[attempts]!.body))
    expect(after.batch).toEqual(before.batch)
    expect(tab.dropped).toEqual([])
  })

  it('is reported once per outage by each page', async () => {
    const world = createWorld()
    world.service.reply = () => ({ status: 503 })
    const warning = expect.stringContaining('cannot be reached (status 503)')
    const first = world.open()
    first.capture('a')
    await world.clock.advance(600_000)
    expect(first.warnings.map(String)).toEqual([warning])
    first.kill()
    const next = world.open()
    await world.clock.advance(600_000)
    expect(next.warnings.map(String)).toEqual([warning])
    world.service.reply = () => ({ status: 200 })
    await next.pipeline.flush()
    await world.clock.advance(600_000)
    expect(world.service.names()).toEqual(['a'])
    world.service.reply = () => ({ status: 503 })
    next.capture('b')
    await world.clock.advance(600_000)
    expect(next.warnings.map(String)).toEqual([warning, warning])
  })

  it('is reported once when it halves the batches of every request', async () => {
    const world = createWorld()
    world.service.reply = ({ body }) => ({
      status: (JSON.parse(String(body)) as { batch: unknown[] }).batch.length > 1 ? 413 : 200,
    })
    const tab = world.open()
    tab.capture(...names(16))
    await tab.pipeline.flush()
    expect(world.service.names()).toEqual(names(16))
    expect(tab.warnings.map(String)).toEqual([expect.stringContaining('too large')])
  })

  it.each([['31'], ['Thu, 01 Jan 2026 00:10:00 GMT']])(
    'does not make flush() wait for a long Retry-After (%s)',
    async (retryAfter) => {
      const world = createWorld()
      world.service.reply = () => ({ status: 429, retryAfter })
      const tab = world.open()
      await world.idle()
      tab.capture('a')
      await tab.pipeline.flush()
      await tab.pipeline.flush()
      expect(world.service.requests).toHaveLength(1)
      expect(await world.waiting()).toEqual(['a'])
    },
  )

  it('makes flush() wait for a Retry-After of 3 s, whatever the base delay', async () => {
    const world = createWorld()
    const start = world.clock.now()
    world.service.reply = (_request, index) => (index ? { status: 200 } : { status: 503, retryAfter: '3' })
    const tab = world.open({ fetchRetryDelay: 100 })
    await world.idle()
    tab.capture('a')
    const flushed = tab.pipeline.flush().then(() => world.clock.now() - start)
    await world.clock.advance(2_999)
    expect(world.service.requests).toHaveLength(1)
    await world.clock.advance(60_000)
    expect(await flushed).toBeGreaterThanOrEqual(3_000)
    expect(world.service.names()).toEqual(['a'])
  })

  it('gets one delivery at a time: captures do not bypass or reset the back-off', async () => {
    const world = createWorld()
    const times: number[] = []
    world.service.reply = () => {
      times.push(world.clock.now())
      return { status: 503 }
    }
    const tab = world.open({ flushAt: 1 })
    await world.idle()
    for (let n = 0; n < 400; n++) {
      tab.capture(`event ${n}`)
      await world.clock.advance(50)
    }
    const waits = times.slice(1).map((time, index) => time - times[index]!)
    expect(waits).toEqual([2_250, 4_500, 9_000])
  })

  it('causes one warning per outage', async () => {
    const world = createWorld()
    world.service.reply = () => ({ status: 503 })
    const tab = world.open()
    tab.capture('a')
    await world.clock.advance(600_000)
    expect(tab.warnings).toHaveLength(1)
  })

  it.each([
    ['seconds', '40', 40_000],
    ['the form of a date', 'Thu, 01 Jan 2026 00:00:40 GMT', 40_000],
    ['an absurd number of seconds', '9999999', 1_800_000],
  ])('gets no request before a Retry-After in %s has passed', async (_form, retryAfter, waitMs) => {
    const world = createWorld()
    world.service.reply = (_request, index) => (index ? { status: 200 } : { status: 429, retryAfter })
    const tab = world.open({ flushAt: 1 })
    tab.capture('a')
    await world.idle()
    expect(world.service.requests).toHaveLength(1)
    void tab.pipeline.flush()
    await world.clock.advance(waitMs / 2)
    tab.lifecycle.wake('online')
    tab.kill()
    const next = world.open()
    next.capture('b')
    await world.clock.advance(waitMs / 2 - 1)
    expect(world.service.requests).toHaveLength(1)
    await world.clock.advance(1)
    expect(world.service.names()).toEqual(['a', 'b'])
  })

  it('gets a request at the next start after a short Retry-After', async () => {
    const world = createWorld()
    world.service.reply = () => ({ status: 503, retryAfter: '1' })
    const tab = world.open({ flushAt: 1 })
    tab.capture('a')
    await world.clock.advance(600_000)
    tab.kill()
    const before = world.service.requests.length
    world.service.reply = () => ({ status: 200 })
    await world.clock.advance(1_000)
    world.open()
    await world.idle()
    expect(world.service.requests).toHaveLength(before + 1)
    expect(world.service.names()).toEqual(['a'])
  })

  it('makes batches smaller for good by 413, and loses only a single event', async () => {
    const world = createWorld()
    world.service.reply = ({ body }) => {
      const { batch } = JSON.parse(String(body)) as { batch: { event: string }[] }
      return { status: batch.length > 3 || batch.some(({ event }) => event === 'fat') ? 413 : 200 }
    }
    const tab = world.open()
    tab.capture(...names(7), 'fat', 'last')
    await tab.pipeline.flush()
    expect(world.service.names()).toEqual([...names(7), 'last'])
    expect(tab.dropped.map(({ event, reason }) => [event.event, reason])).toEqual([['fat', 'too_large']])
    const attempts = world.service.requests.length
    tab.capture(...names(4, 'later'))
    await tab.pipeline.flush()
    expect(world.service.requests.length - attempts).toBe(4)
  })

  it.each([
    [400, ''],
    [401, '{"type":"authentication_error","code":"invalid_api_key","detail":"no","attr":null}'],
    [403, '{"type":"authentication_error","code":"invalid_api_key","detail":"no","attr":null}'],
  ])('gets one request when it rejects the events with %i', async (status, body) => {
    const world = createWorld()
    world.service.reply = () => ({ status, body })
    const tab = world.open()
    tab.capture('a', 'b')
    await tab.pipeline.flush()
    await world.clock.advance(600_000)
    expect(world.service.requests).toHaveLength(1)
    expect(tab.dropped.map(({ event, reason }) => [event.event, reason])).toEqual([
      ['a', 'rejected_by_service'],
      ['b', 'rejected_by_service'],
    ])
    expect(await world.waiting()).toEqual([])
  })

  it.each([[401], [403], [404], [405]])(
    'gets a request every five minutes behind a proxy that answers %i',
    async (status) => {
      const world = createWorld()
      world.service.reply = () => ({ status, body: '<html>no</html>' })
      const tab = world.open({ flushAt: 1 })
      await world.idle()
      tab.capture('a')
      await world.clock.advance(299_999)
      expect(world.service.requests).toHaveLength(1)
      world.service.reply = () => ({ status: 200 })
      await world.clock.advance(1)
      expect(world.service.names()).toEqual(['a'])
      expect(tab.dropped).toEqual([])
    },
  )

  it('gets the same event again when its responses are lost', async () => {
    const world = createWorld()
    world.service.reply = (_request, index) => ({ status: 200, isDropped: index < 2 })
    const tab = world.open()
    tab.capture('a')
    await world.clock.advance(60_000)
    const [first, second, third] = world.service.events()
    expect(second).toEqual(first)
    expect(third).toEqual(first)
    expect(await world.waiting()).toEqual([])
  })
})

describe('offline', () => {
  it('waits without a timer, and delivers at once when the network returns', async () => {
    const world = createWorld()
    const tab = world.open({ flushAt: 2 })
    await world.idle()
    tab.lifecycle.online = false
    tab.capture(...names(5))
    await world.clock.advance(60_000)
    expect(world.clock.pending()).toBe(0)
    await tab.pipeline.flush()
    expect(world.service.requests).toHaveLength(0)
    tab.lifecycle.online = true
    tab.lifecycle.wake('online')
    await world.idle()
    expect(world.service.names()).toEqual(names(5))
  })

  it('retries once, however often it is woken while a request fails', async () => {
    const world = createWorld()
    let fail = (): void => {}
    world.service.reply = (_request, index) =>
      index ? { status: 503 } : new Promise((resolve) => (fail = () => resolve({ status: 503 })))
    const tab = world.open({ flushAt: 1 })
    tab.capture('a')
    await world.idle()
    void tab.pipeline.flush()
    for (let n = 0; n < 10; n++) {
      tab.lifecycle.hide()
      tab.lifecycle.wake('visible')
    }
    fail()
    await world.idle()
    expect(world.service.requests).toHaveLength(2)
  })

  it('retries at once when the network returns while a request fails', async () => {
    const world = createWorld()
    let fail = (): void => {}
    world.service.reply = (_request, index) =>
      index ? { status: 200 } : new Promise((resolve) => (fail = () => resolve({ status: 0 })))
    const tab = world.open({ flushAt: 1 })
    tab.capture('a')
    await world.idle()
    tab.lifecycle.wake('online')
    fail()
    await world.idle()
    expect(world.service.names()).toEqual(['a'])
  })
})
