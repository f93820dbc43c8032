import { describe, expect, it } from 'vitest'
import type { SendResponse } from '../../../../src/port/send.ts'
import { fakeStreams } from './fake-stream.ts'
import type { OpenedStream } from './fake-stream.ts'
import { deferred, definitionsOf, okResponse, loaderFixture, memoryProvider, statusResponse } from './loader-fixture.ts'
import type { LoaderFixture, LoaderFixtureOptions } from './loader-fixture.ts'

const SECOND_MS = 1_000
const MINUTE_MS = 60_000

/** A loader with its first definitions (flag `a`, tag "1") and an open stream. */
const streamFixture = async (
  responses: readonly (SendResponse | Promise<SendResponse>)[] = [
    okResponse(definitionsOf('a'), '"1"'),
    statusResponse(304),
  ],
  options: LoaderFixtureOptions = {},
): Promise<LoaderFixture & { readonly opened: OpenedStream[] }> => {
  const { openStream, opened } = fakeStreams()
  const ports = { openStream, random: () => 0.5, ...options.ports }
  const fixture = loaderFixture(responses, { flagUpdates: 'stream', ...options, ports })
  fixture.loader.start()
  await fixture.clock.advance(0)
  return { ...fixture, opened }
}

describe('a stream of definitions', () => {
  it('is opened after the first load, with the tag of its definitions', async () => {
    const { opened, keys } = await streamFixture()
    expect(keys()).toEqual(['a'])
    expect(opened.map(({ url, headers }) => ({ url, headers }))).toEqual([
      {
        url: 'https://flags.test/flags/stream?token=wm%20key&send_cohorts',
        headers: { Authorization: 'Bearer wmx_secret', Accept: 'text/event-stream', 'Last-Event-ID': '"1"' },
      },
    ])
  })

  it('delivers changes at once, and replaces polling while it works', async () => {
    const { opened, clock, keys, requests, warnings, loader } = await streamFixture()
    const [stream] = opened
    stream!.accept()
    for (const letter of `id: "2"\nevent: definitions\ndata: ${JSON.stringify(definitionsOf('b'))}\n\n`)
      stream!.onChunk(letter)
    await clock.advance(0)
    expect(keys()).toEqual(['b'])
    for (let heartbeats = 0; heartbeats < 20; heartbeats++) {
      await clock.advance(15 * SECOND_MS)
      stream!.onChunk(':\n\n')
    }
    stream!.sendDefinitions(definitionsOf('c'), '"3"')
    await clock.advance(0)
    expect(keys()).toEqual(['c'])
    expect(requests).toHaveLength(1)
    expect(opened).toHaveLength(1)
    expect(warnings).toEqual([])
    await loader.shutdown()
  })

  it('ignores other events', async () => {
    const { opened, clock, keys, warnings } = await streamFixture()
    opened[0]!.accept()
    opened[0]!.onChunk('event: news\ndata: {"flags":[]}\n\ndata: {"flags":[]}\n\n')
    await clock.advance(0)
    expect(keys()).toEqual(['a'])
    expect(warnings).toEqual([])
  })

  it('keeps the current definitions after a message without definitions, and warns', async () => {
    const { opened, clock, keys, warnings } = await streamFixture()
    opened[0]!.accept()
    opened[0]!.onChunk('id: "2"\nevent: definitions\ndata: <html>\n\n')
    await clock.advance(0)
    expect(keys()).toEqual(['a'])
    expect(warnings).toEqual(['flag definitions not loaded: the response has no flag definitions'])
  })

  it('lets reload() send a request with the tag of the latest pushed definitions', async () => {
    const { opened, clock, requests, headers, loader } = await streamFixture()
    opened[0]!.accept()
    opened[0]!.sendDefinitions(definitionsOf('b'), '"2"')
    await clock.advance(0)
    await loader.reload()
    expect(requests).toHaveLength(2)
    expect(headers(1)).toEqual({ 'If-None-Match': '"2"' })
    opened[0]!.onChunk(':\n\n')
    await clock.advance(40 * SECOND_MS)
    expect(requests).toHaveLength(2)
  })

  it('causes a request to be repeated if it pushed definitions during the request', async () => {
    const slow = deferred<SendResponse>()
    const fixture = await streamFixture([okResponse(definitionsOf('a'), '"1"'), slow.promise, statusResponse(304)])
    fixture.opened[0]!.accept()
    const reloaded = fixture.loader.reload()
    await fixture.clock.advance(0)
    fixture.opened[0]!.sendDefinitions(definitionsOf('new'), '"2"')
    await fixture.clock.advance(0)
    slow.resolve(okResponse(definitionsOf('old'), '"1b"'))
    await reloaded
    expect(fixture.keys()).toEqual(['new'])
    expect(fixture.headers(2)).toEqual({ 'If-None-Match': '"2"' })
  })
})

describe('a loader whose stream has ended', () => {
  it('reconnects after the delay that the service has set, and polls until then', async () => {
    const { opened, clock, requests, warnings } = await streamFixture()
    opened[0]!.accept(4_200)
    opened[0]!.sendDefinitions(definitionsOf('b'), '"2"')
    await clock.advance(10 * SECOND_MS)
    opened[0]!.onEnd()
    await clock.advance(4_199)
    expect(opened).toHaveLength(1)
    await clock.advance(1)
    expect(opened[1]!.headers['Last-Event-ID']).toBe('"2"')
    // The stream is open, but not live yet: no data has arrived.
    await clock.advance(30 * SECOND_MS - 4_200)
    expect(requests).toHaveLength(2)
    opened[1]!.accept()
    await clock.advance(44 * SECOND_MS)
    expect(requests).toHaveLength(2)
    expect(warnings).toEqual([])
  })

  it('retries after delays that grow with the time without a stream', async () => {
    const { opened, clock } = await streamFixture([okResponse(definitionsOf('a'), '"1"')], {
      featureFlagsPollingInterval: null,
    })
    opened[0]!.accept(2_000)
    const attemptTimes: number[] = []
    const startMs = clock.now()
    for (let attempts = 1; attempts <= 16; attempts++) {
      opened.at(-1)!.onEnd()
      while (opened.length === attempts) await clock.advance(100)
      attemptTimes.push((clock.now() - startMs) / SECOND_MS)
    }
    expect(attemptTimes.map(Math.round)).toEqual([2, 4, 6, 8, 10, 12, 14, 17, 20, 24, 29, 34, 40, 48, 57, 68])
  })

  /** Lets the open stream live for `liveMs` and returns the delay before the next one, rounded up to half a second. */
  const endAfter = async (
    { opened, clock }: Awaited<ReturnType<typeof streamFixture>>,
    liveMs: number,
  ): Promise<number> => {
    const stream = opened.at(-1)!
    const count = opened.length
    stream.accept(2_000)
    for (let ms = 0; ms < liveMs; ms += SECOND_MS) {
      await clock.advance(SECOND_MS)
      stream.onChunk(':\n\n')
    }
    stream.onEnd()
    const endMs = clock.now()
    while (opened.length === count) await clock.advance(500)
    return clock.now() - endMs
  }

  it('grows the delay for streams that end early, and starts again after one that lasted 5 s', async () => {
    const fixture = await streamFixture()
    const delays: number[] = []
    for (let streams = 0; streams < 9; streams++) delays.push(await endAfter(fixture, 4 * SECOND_MS))
    expect([delays[0], delays.at(-1)]).toEqual([2_000, 3_500])
    expect(await endAfter(fixture, 5 * SECOND_MS)).toBe(2_000)
  })

  it('grows the delay if a proxy cuts each stream after 10 s, until one lasts 45 s', async () => {
    const fixture = await streamFixture()
    const delays: number[] = []
    for (let streams = 0; streams < 40; streams++) delays.push(await endAfter(fixture, 10 * SECOND_MS))
    expect(delays.slice(0, 4)).toEqual([2_000, 2_000, 2_000, 2_000])
    expect(delays.at(-1)).toBeGreaterThan(30 * SECOND_MS)
    expect(await endAfter(fixture, 45 * SECOND_MS)).toBe(2_000)
  })

  it('does not count five minutes without support for streams as an outage', async () => {
    const fixture = await streamFixture()
    fixture.opened[0]!.refuse(404)
    await fixture.clock.advance(5 * MINUTE_MS)
    expect(await endAfter(fixture, SECOND_MS)).toBe(2_000)
  })

  it('does not count the time in which the service refused the key as an outage', async () => {
    const fixture = await streamFixture([
      okResponse(definitionsOf('a'), '"1"'),
      ...Array.from({ length: 20 }, () => statusResponse(401)),
      statusResponse(304),
    ])
    fixture.opened[0]!.refuse(401)
    while (fixture.opened.length < 2) await fixture.clock.advance(SECOND_MS)
    expect(fixture.requests).toHaveLength(22)
    expect(await endAfter(fixture, SECOND_MS)).toBe(2_000)
  })

  it('keeps trying while requests fail, and stops polling once a stream is live', async () => {
    const { opened, clock, requests, keys } = await streamFixture([
      okResponse(definitionsOf('a'), '"1"'),
      statusResponse(503),
    ])
    opened[0]!.accept(2_000)
    opened[0]!.onEnd()
    for (let seconds = 0; seconds < 31; seconds++) {
      await clock.advance(SECOND_MS)
      if (!opened.at(-1)!.isClosed) opened.at(-1)!.onEnd()
    }
    expect(requests).toHaveLength(2)
    const attempts = opened.length
    while (opened.length === attempts) await clock.advance(SECOND_MS)
    expect(requests).toHaveLength(2)
    opened.at(-1)!.accept()
    opened.at(-1)!.sendDefinitions(definitionsOf('b'), '"2"')
    await clock.advance(40 * SECOND_MS)
    expect(keys()).toEqual(['b'])
    expect(requests).toHaveLength(2)
  })

  it('requests definitions at once when a stream is refused after an outage', async () => {
    const { opened, clock, keys } = await streamFixture([
      okResponse(definitionsOf('a'), '"1"'),
      statusResponse(503),
      statusResponse(402),
    ])
    opened[0]!.accept()
    opened[0]!.onEnd()
    await clock.advance(2_000)
    await clock.advance(28_000)
    opened[1]!.accept()
    opened[1]!.onEnd()
    await clock.advance(10_000)
    opened[2]!.refuse(402)
    await clock.advance(0)
    expect(keys()).toBeUndefined()
  })

  it.each([0, 10 * 365 * 24 * 60 * MINUTE_MS])(
    'limits a delay of %i ms from the service to between 0.5 s and a minute',
    async (delayMs) => {
      const { opened, clock } = await streamFixture()
      opened[0]!.accept(delayMs)
      opened[0]!.onEnd()
      await clock.advance(delayMs ? MINUTE_MS - 1 : 499)
      expect(opened).toHaveLength(1)
      await clock.advance(1)
      expect(opened).toHaveLength(2)
    },
  )
})

describe('a stream without data', () => {
  it('is closed 45 s after the last byte, and opened again', async () => {
    const { opened, clock } = await streamFixture()
    opened[0]!.accept(2_000)
    await clock.advance(44_999)
    opened[0]!.onChunk(':')
    await clock.advance(44_999)
    expect(opened[0]!.isClosed).toBe(false)
    await clock.advance(1)
    expect(opened[0]!.isClosed).toBe(true)
    await clock.advance(2_000)
    expect(opened).toHaveLength(2)
  })

  it.each([
    ['never responds', false],
    ['sends only a head, because a proxy buffers the body', true],
  ])('is closed after 45 s if it %s, while polling continues', async (_title, hasHead) => {
    const { opened, clock, requests, warnings } = await streamFixture()
    if (hasHead) opened[0]!.onHead({ status: 200, contentType: 'text/event-stream', retryAfter: null })
    await clock.advance(44_999)
    expect(opened[0]!.isClosed).toBe(false)
    expect(requests).toHaveLength(2)
    await clock.advance(1)
    expect(opened[0]!.isClosed).toBe(true)
    expect(warnings).toHaveLength(hasHead ? 1 : 0)
    await clock.advance(4 * MINUTE_MS)
    // After a head without data the next attempt follows five minutes later; without any response it follows sooner.
    expect(opened.length > 1).toBe(!hasHead)
    await clock.advance(MINUTE_MS)
    expect(opened.length > 1).toBe(true)
    expect(requests.length).toBeGreaterThan(10)
  })
})

describe('a loader whose stream was refused', () => {
  it.each<[string, (stream: OpenedStream) => void]>([
    ['status 404', (stream) => stream.refuse(404)],
    ['status 302', (stream) => stream.refuse(302)],
    ['status 501', (stream) => stream.refuse(501)],
    [
      'the response is "text/html", not an event stream',
      (stream) => stream.onHead({ status: 200, contentType: 'text/html', retryAfter: null }),
    ],
  ])('polls and retries every five minutes, with one warning (%s)', async (reason, refuse) => {
    const { opened, clock, requests, warnings } = await streamFixture()
    refuse(opened[0]!)
    expect(opened[0]!.isClosed).toBe(true)
    await clock.advance(5 * MINUTE_MS - 1)
    expect(opened).toHaveLength(1)
    expect(requests).toHaveLength(10)
    await clock.advance(1)
    expect(opened).toHaveLength(2)
    refuse(opened[1]!)
    await clock.advance(5 * MINUTE_MS)
    opened[2]!.accept()
    opened[2]!.sendDefinitions(definitionsOf('b'), '"2"')
    await clock.advance(0)
    expect(warnings).toEqual([`flag definitions cannot be streamed: ${reason}; polling for changes`])
  })

  it.each([429, 503])('polls, and respects Retry-After, after status %i', async (code) => {
    const { opened, clock, requests, warnings } = await streamFixture()
    opened[0]!.refuse(code, '100')
    await clock.advance(99_999)
    expect(opened).toHaveLength(1)
    expect(requests).toHaveLength(4)
    await clock.advance(1)
    expect(opened).toHaveLength(2)
    expect(warnings).toEqual([])
  })

  it.each([
    [402, undefined],
    [401, ['a']],
    [403, ['a']],
  ])('requests definitions at once after status %i; opens a stream after a success', async (code, keys) => {
    const fixture = await streamFixture([
      okResponse(definitionsOf('a'), '"1"'),
      statusResponse(code),
      statusResponse(code),
      okResponse(definitionsOf('b'), '"2"'),
    ])
    fixture.opened[0]!.accept(2_000)
    fixture.opened[0]!.onEnd()
    await fixture.clock.advance(2_000)
    fixture.opened[1]!.refuse(code)
    await fixture.clock.advance(0)
    expect(fixture.requests).toHaveLength(2)
    expect(fixture.keys()).toEqual(keys)
    expect(fixture.warnings).toEqual([`flag definitions not loaded: status ${code}`])
    while (fixture.requests.length < 4) {
      expect(fixture.opened).toHaveLength(2)
      await fixture.clock.advance(SECOND_MS)
    }
    expect(fixture.opened).toHaveLength(3)
    expect(fixture.keys()).toEqual(['b'])
  })

  it('is not opened again while loads fail otherwise, which would not show that the key is accepted', async () => {
    const { opened, clock, requests } = await streamFixture([
      okResponse(definitionsOf('a'), '"1"'),
      ...Array.from({ length: 10 }, () => statusResponse(500)),
      statusResponse(304),
    ])
    opened[0]!.refuse(401)
    await clock.advance(4 * MINUTE_MS)
    expect(opened).toHaveLength(1)
    while (requests.length < 12) await clock.advance(SECOND_MS)
    await clock.advance(SECOND_MS)
    expect(opened).toHaveLength(2)
  })

  it('is opened again after growing delays while loads succeed', async () => {
    const { opened, clock, requests } = await streamFixture([okResponse(definitionsOf('a'), '"1"')])
    for (let seconds = 0; seconds < 10 * 60; seconds++) {
      if (!opened.at(-1)!.isClosed) opened.at(-1)!.refuse(401)
      await clock.advance(SECOND_MS)
    }
    expect(opened.length).toBeLessThan(50)
    expect(requests.length).toBeLessThan(80)
  })

  it('starts no second load if the refusal arrives during a load', async () => {
    const slow = deferred<SendResponse>()
    const fixture = await streamFixture([okResponse(definitionsOf('a'), '"1"'), slow.promise, statusResponse(304)])
    void fixture.loader.reload()
    await fixture.clock.advance(0)
    fixture.opened[0]!.refuse(402)
    slow.resolve(statusResponse(402))
    await fixture.clock.advance(0)
    expect(fixture.requests).toHaveLength(2)
    expect(fixture.keys()).toBeUndefined()
  })

  it.each<[string, LoaderFixtureOptions]>([
    ['the platform cannot read streams', { ports: { openStream: undefined } }],
    ['definitions are shared by a cache provider', { flagDefinitionCacheProvider: memoryProvider() }],
  ])('polls if %s, with a warning', async (_title, options) => {
    const { opened, clock, requests, warnings } = await streamFixture(undefined, options)
    await clock.advance(MINUTE_MS)
    expect(opened).toEqual([])
    expect(requests).toHaveLength(3)
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toContain('polling for changes')
  })

  it('uses only the stream if polling is off', async () => {
    const { opened, clock, requests } = await streamFixture(undefined, { featureFlagsPollingInterval: null })
    opened[0]!.accept(2_000)
    opened[0]!.onEnd()
    await clock.advance(2_000)
    opened[1]!.onEnd()
    await clock.advance(40 * SECOND_MS)
    expect(opened).toHaveLength(3)
    expect(requests).toHaveLength(1)
  })

  it('reconnects after a 402 even if polling is off', async () => {
    const responses = [okResponse(definitionsOf('a'), '"1"'), statusResponse(402)]
    const { opened, clock, keys, requests } = await streamFixture(responses, { featureFlagsPollingInterval: null })
    opened[0]!.refuse(402)
    await clock.advance(0)
    expect(keys()).toBeUndefined()
    await clock.advance(3 * SECOND_MS)
    opened[1]!.refuse(402)
    await clock.advance(5 * SECOND_MS)
    expect(requests).toHaveLength(2)
    expect(opened[2]!.headers).not.toHaveProperty('Last-Event-ID')
    opened[2]!.accept()
    opened[2]!.sendDefinitions(definitionsOf('a'), '"1"')
    await clock.advance(0)
    expect(keys()).toEqual(['a'])
  })
})

describe('shutdown', () => {
  it('closes the stream at once and leaves no timer', async () => {
    const { opened, clock, keys, loader } = await streamFixture()
    opened[0]!.accept()
    void loader.shutdown()
    expect(opened[0]!.isClosed).toBe(true)
    expect(clock.pending()).toBe(0)
    opened[0]!.sendDefinitions(definitionsOf('late'), '"2"')
    opened[0]!.onEnd()
    await clock.advance(10 * MINUTE_MS)
    expect(keys()).toEqual(['a'])
    expect(opened).toHaveLength(1)
  })

  it('prevents a reconnect', async () => {
    const { opened, clock, loader } = await streamFixture()
    opened[0]!.onEnd()
    await loader.shutdown()
    await clock.advance(10 * MINUTE_MS)
    expect([opened.length, clock.pending()]).toEqual([1, 0])
  })

  it('during the first load prevents the stream', async () => {
    const slow = deferred<SendResponse>()
    const { opened, clock, loader } = await streamFixture([slow.promise])
    await loader.shutdown()
    slow.resolve(okResponse(definitionsOf('a')))
    await clock.advance(0)
    expect(opened).toEqual([])
  })
})
