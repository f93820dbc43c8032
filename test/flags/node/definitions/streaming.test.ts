import { describe, expect, it } from 'vitest'
import type { SendAnswer } from '../../../../src/port/send.ts'
import { fakeStreams } from './fake-stream.ts'
import type { OpenedStream } from './fake-stream.ts'
import { deferred, feedOf, found, loaderBed, memoryProvider, status } from './loader-bed.ts'
import type { LoaderBed, BedOptions } from './loader-bed.ts'

const SECOND = 1_000
const MINUTE = 60_000

/** A loader that has its first definitions, `a` by the tag "1", and has opened a stream. */
const streamBed = async (
  answers: readonly (SendAnswer | Promise<SendAnswer>)[] = [found(feedOf('a'), '"1"'), status(304)],
  options: BedOptions = {},
): Promise<LoaderBed & { readonly opened: OpenedStream[] }> => {
  const { openStream, opened } = fakeStreams()
  const ports = { openStream, random: () => 0.5, ...options.ports }
  const bed = loaderBed(answers, { flagUpdates: 'stream', ...options, ports })
  bed.loader.start()
  await bed.clock.advance(0)
  return { ...bed, opened }
}

describe('a stream of definitions', () => {
  it('is opened once the first ones are there, which it is told by their tag', async () => {
    const { opened, keys } = await streamBed()
    expect(keys()).toEqual(['a'])
    expect(opened.map(({ url, headers }) => ({ url, headers }))).toEqual([
      {
        url: 'https://flags.test/flags/stream?token=wm%20key&send_cohorts',
        headers: { Authorization: 'Bearer wmx_secret', Accept: 'text/event-stream', 'Last-Event-ID': '"1"' },
      },
    ])
  })

  it('brings changes at once, in any pieces, and ends polling while it lives', async () => {
    const { opened, clock, keys, requests, warnings, loader } = await streamBed()
    const [stream] = opened
    stream!.accept()
    for (const letter of `id: "2"\nevent: definitions\ndata: ${JSON.stringify(feedOf('b'))}\n\n`) stream!.text(letter)
    await clock.advance(0)
    expect(keys()).toEqual(['b'])
    for (let heartbeats = 0; heartbeats < 20; heartbeats++) {
      await clock.advance(15 * SECOND)
      stream!.text(':\n\n')
    }
    stream!.tell(feedOf('c'), '"3"')
    await clock.advance(0)
    expect(keys()).toEqual(['c'])
    expect(requests).toHaveLength(1)
    expect(opened).toHaveLength(1)
    expect(warnings).toEqual([])
    await loader.shutdown()
  })

  it('other events are passed over', async () => {
    const { opened, clock, keys, warnings } = await streamBed()
    opened[0]!.accept()
    opened[0]!.text('event: news\ndata: {"flags":[]}\n\ndata: {"flags":[]}\n\n')
    await clock.advance(0)
    expect(keys()).toEqual(['a'])
    expect(warnings).toEqual([])
  })

  it('a message that holds no definitions leaves those in use, and warns', async () => {
    const { opened, clock, keys, warnings } = await streamBed()
    opened[0]!.accept()
    opened[0]!.text('id: "2"\nevent: definitions\ndata: <html>\n\n')
    await clock.advance(0)
    expect(keys()).toEqual(['a'])
    expect(warnings).toEqual(['flag definitions not loaded: the answer holds no flag definitions'])
  })

  it('a reload asks while it lives, by the tag of what the stream brought', async () => {
    const { opened, clock, requests, headers, loader } = await streamBed()
    opened[0]!.accept()
    opened[0]!.tell(feedOf('b'), '"2"')
    await clock.advance(0)
    await loader.reload()
    expect(requests).toHaveLength(2)
    expect(headers(1)).toEqual({ 'If-None-Match': '"2"' })
    opened[0]!.text(':\n\n')
    await clock.advance(40 * SECOND)
    expect(requests).toHaveLength(2)
  })

  it('an answer that was under way when the stream brought others is asked for anew: it may be older', async () => {
    const slow = deferred<SendAnswer>()
    const bed = await streamBed([found(feedOf('a'), '"1"'), slow.promise, status(304)])
    bed.opened[0]!.accept()
    const reloaded = bed.loader.reload()
    await bed.clock.advance(0)
    bed.opened[0]!.tell(feedOf('new'), '"2"')
    await bed.clock.advance(0)
    slow.resolve(found(feedOf('old'), '"1b"'))
    await reloaded
    expect(bed.keys()).toEqual(['new'])
    expect(bed.headers(2)).toEqual({ 'If-None-Match': '"2"' })
  })
})

describe('when the stream ends', () => {
  it('it is opened again after the time that the service has named, by the newest tag; meanwhile there is polling', async () => {
    const { opened, clock, requests, warnings } = await streamBed()
    opened[0]!.accept(4_200)
    opened[0]!.tell(feedOf('b'), '"2"')
    await clock.advance(10 * SECOND)
    opened[0]!.end()
    await clock.advance(4_199)
    expect(opened).toHaveLength(1)
    await clock.advance(1)
    expect(opened[1]!.headers['Last-Event-ID']).toBe('"2"')
    // It is open, but nothing has come through yet.
    await clock.advance(30 * SECOND - 4_200)
    expect(requests).toHaveLength(2)
    opened[1]!.accept()
    await clock.advance(44 * SECOND)
    expect(requests).toHaveLength(2)
    expect(warnings).toEqual([])
  })

  it('tries go on at growing waits, each with some chance in it, as long as the definitions can be had', async () => {
    const { opened, clock } = await streamBed()
    opened[0]!.accept(2_000)
    const waits: number[] = []
    for (let tries = 1; tries <= 7; tries++) {
      opened.at(-1)!.end()
      const before = clock.now()
      while (opened.length === tries) await clock.advance(500)
      waits.push(clock.now() - before)
    }
    expect(waits).toEqual([2_000, 3_000, 6_000, 12_000, 24_000, 45_000, 45_000])
  })

  it('tries begin anew at the first wait after a stream that has lasted', async () => {
    const { opened, clock } = await streamBed()
    opened[0]!.accept(2_000)
    opened[0]!.end()
    await clock.advance(2_000)
    opened[1]!.end()
    await clock.advance(3_000)
    opened[2]!.accept(2_000)
    await clock.advance(30 * SECOND)
    opened[2]!.text(':\n\n')
    await clock.advance(15 * SECOND)
    opened[2]!.end()
    await clock.advance(2_000)
    expect(opened).toHaveLength(4)
  })

  it('no stream is opened while the definitions cannot be had by asking, and one as soon as they can', async () => {
    const { opened, clock, requests } = await streamBed([
      found(feedOf('a'), '"1"'),
      status(503),
      status(503),
      status(304),
    ])
    opened[0]!.accept(2_000)
    opened[0]!.end()
    for (let seconds = 0; seconds < 89; seconds++) {
      await clock.advance(SECOND)
      if (!opened.at(-1)!.isClosed) opened.at(-1)!.end()
    }
    expect(requests).toHaveLength(3)
    // 2, 5, 11 and 23 s after the end; the poll at 30 s has failed.
    expect(opened).toHaveLength(5)
    await clock.advance(SECOND)
    expect(requests).toHaveLength(4)
    expect(opened).toHaveLength(6)
  })

  it.each([0, 10 * 365 * 24 * 60 * MINUTE])(
    'a service that names %i ms is believed between 1 s and a minute',
    async (named) => {
      const { opened, clock } = await streamBed()
      opened[0]!.accept(named)
      opened[0]!.end()
      await clock.advance(named ? MINUTE - 1 : 999)
      expect(opened).toHaveLength(1)
      await clock.advance(1)
      expect(opened).toHaveLength(2)
    },
  )
})

describe('a stream that hangs', () => {
  it('is given up after 45 s without a byte, and opened again; each byte counts', async () => {
    const { opened, clock } = await streamBed()
    opened[0]!.accept(2_000)
    await clock.advance(44_999)
    opened[0]!.text(':')
    await clock.advance(44_999)
    expect(opened[0]!.isClosed).toBe(false)
    await clock.advance(1)
    expect(opened[0]!.isClosed).toBe(true)
    await clock.advance(2_000)
    expect(opened).toHaveLength(2)
  })

  it.each([
    ['never answers', false],
    ['answers a head and nothing behind it: a proxy keeps it back', true],
  ])('that %s is given up after 45 s, with polling all the time', async (_how, hasHead) => {
    const { opened, clock, requests, warnings } = await streamBed()
    if (hasHead) opened[0]!.head({ status: 200, contentType: 'text/event-stream', retryAfter: null })
    await clock.advance(44_999)
    expect(opened[0]!.isClosed).toBe(false)
    expect(requests).toHaveLength(2)
    await clock.advance(1)
    expect(opened[0]!.isClosed).toBe(true)
    expect(warnings).toHaveLength(hasHead ? 1 : 0)
    await clock.advance(4 * MINUTE)
    // Kept back: five minutes until the next look. Without an answer: sooner.
    expect(opened.length > 1).toBe(!hasHead)
    await clock.advance(MINUTE)
    expect(opened.length > 1).toBe(true)
    expect(requests.length).toBeGreaterThan(10)
  })
})

describe('where the stream cannot be had', () => {
  it.each<[string, (stream: OpenedStream) => void]>([
    ['status 404', (stream) => stream.refuse(404)],
    ['status 302', (stream) => stream.refuse(302)],
    ['status 501', (stream) => stream.refuse(501)],
    [
      'the answer is no stream, but "text/html"',
      (stream) => stream.head({ status: 200, contentType: 'text/html', retryAfter: null }),
    ],
  ])('%s: polls, says so once, and looks again every five minutes', async (why, refuse) => {
    const { opened, clock, requests, warnings } = await streamBed()
    refuse(opened[0]!)
    expect(opened[0]!.isClosed).toBe(true)
    await clock.advance(5 * MINUTE - 1)
    expect(opened).toHaveLength(1)
    expect(requests).toHaveLength(10)
    await clock.advance(1)
    expect(opened).toHaveLength(2)
    refuse(opened[1]!)
    await clock.advance(5 * MINUTE)
    opened[2]!.accept()
    opened[2]!.tell(feedOf('b'), '"2"')
    await clock.advance(0)
    expect(warnings).toEqual([`no stream of flag definitions: ${why}; changes are polled for`])
  })

  it.each([429, 503])('%i: polls, and waits as long as Retry-After says', async (code) => {
    const { opened, clock, requests, warnings } = await streamBed()
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
  ])(
    '%i: the definitions are asked for at once, which tells; no stream until they can be had again',
    async (code, keys) => {
      const bed = await streamBed([found(feedOf('a'), '"1"'), status(code), status(code), found(feedOf('b'), '"2"')])
      bed.opened[0]!.accept(2_000)
      bed.opened[0]!.end()
      await bed.clock.advance(2_000)
      bed.opened[1]!.refuse(code)
      await bed.clock.advance(0)
      expect(bed.requests).toHaveLength(2)
      expect(bed.keys()).toEqual(keys)
      expect(bed.warnings).toEqual([`flag definitions not loaded: status ${code}`])
      while (bed.requests.length < 4) {
        expect(bed.opened).toHaveLength(2)
        await bed.clock.advance(SECOND)
      }
      expect(bed.opened).toHaveLength(3)
      expect(bed.keys()).toEqual(['b'])
    },
  )

  it('a refusal while the definitions are asked for already joins that', async () => {
    const slow = deferred<SendAnswer>()
    const bed = await streamBed([found(feedOf('a'), '"1"'), slow.promise, status(304)])
    void bed.loader.reload()
    await bed.clock.advance(0)
    bed.opened[0]!.refuse(402)
    slow.resolve(status(402))
    await bed.clock.advance(0)
    expect(bed.requests).toHaveLength(2)
    expect(bed.keys()).toBeUndefined()
  })

  it.each<[string, BedOptions]>([
    ['the platform cannot read one', { ports: { openStream: undefined } }],
    ['definitions are shared by a cache provider', { flagDefinitionCacheProvider: memoryProvider() }],
  ])('polls where %s, and says so', async (_why, options) => {
    const { opened, clock, requests, warnings } = await streamBed(undefined, options)
    await clock.advance(MINUTE)
    expect(opened).toEqual([])
    expect(requests).toHaveLength(3)
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toContain('changes are polled for')
  })

  it('with polling switched off there is the stream alone', async () => {
    const { opened, clock, requests } = await streamBed(undefined, { featureFlagsPollingInterval: null })
    opened[0]!.accept(2_000)
    opened[0]!.end()
    await clock.advance(2_000)
    opened[1]!.end()
    await clock.advance(40 * SECOND)
    expect(opened).toHaveLength(3)
    expect(requests).toHaveLength(1)
  })

  it('with polling switched off it finds out by itself when it is let in again, and asks but once what is wrong', async () => {
    const answers = [found(feedOf('a'), '"1"'), status(402)]
    const { opened, clock, keys, requests } = await streamBed(answers, { featureFlagsPollingInterval: null })
    opened[0]!.refuse(402)
    await clock.advance(0)
    expect(keys()).toBeUndefined()
    await clock.advance(3 * SECOND)
    opened[1]!.refuse(402)
    await clock.advance(5 * SECOND)
    expect(requests).toHaveLength(2)
    expect(opened[2]!.headers).not.toHaveProperty('Last-Event-ID')
    opened[2]!.accept()
    opened[2]!.tell(feedOf('a'), '"1"')
    await clock.advance(0)
    expect(keys()).toEqual(['a'])
  })
})

describe('shutdown', () => {
  it('ends the stream at once and leaves no timer', async () => {
    const { opened, clock, keys, loader } = await streamBed()
    opened[0]!.accept()
    void loader.shutdown()
    expect(opened[0]!.isClosed).toBe(true)
    expect(clock.pending()).toBe(0)
    opened[0]!.tell(feedOf('late'), '"2"')
    opened[0]!.end()
    await clock.advance(10 * MINUTE)
    expect(keys()).toEqual(['a'])
    expect(opened).toHaveLength(1)
  })

  it('while the stream waits for its time: it does not come back', async () => {
    const { opened, clock, loader } = await streamBed()
    opened[0]!.end()
    await loader.shutdown()
    await clock.advance(10 * MINUTE)
    expect([opened.length, clock.pending()]).toEqual([1, 0])
  })

  it('during the first load: none is opened', async () => {
    const slow = deferred<SendAnswer>()
    const { opened, clock, loader } = await streamBed([slow.promise])
    await loader.shutdown()
    slow.resolve(found(feedOf('a')))
    await clock.advance(0)
    expect(opened).toEqual([])
  })
})
