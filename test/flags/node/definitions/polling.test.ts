import { describe, expect, it } from 'vitest'
import type { SendAnswer } from '../../../../src/port/send.ts'
import { deferred, feedOf, found, loaderBed, status } from './loader-bed.ts'

describe('behaviour.md 17: "Starts at construction with a personal/secret key; poll 30 s default"', () => {
  it('asks at once, with the keys and for the cohorts, and sends the personal key nowhere else', async () => {
    const bed = loaderBed([found(feedOf('a'))], { personalApiKey: ' wmx_secret\n' })
    bed.loader.start()
    await bed.clock.advance(0)
    expect(bed.requests).toEqual([
      {
        url: 'https://flags.test/flags/definitions?token=wm%20key&send_cohorts',
        body: '',
        contentType: '',
        headers: { Authorization: 'Bearer wmx_secret' },
        timeoutMs: 10_000,
        maxBytes: 64 * 1024 * 1024,
        ends: expect.anything(),
      },
    ])
    expect(bed.keys()).toEqual(['a'])
    expect([...bed.loader.current()!.set.flags.keys()]).toEqual(['a'])
    expect(bed.loader.current()!.loadedAt).toBe(bed.clock.now())
    expect(bed.warnings).toEqual([])
  })

  it('asks again 30 s after a load has ended, and not sooner', async () => {
    const slow = deferred<SendAnswer>()
    const bed = loaderBed([slow.promise, found(feedOf('b'))])
    bed.loader.start()
    await bed.clock.advance(60_000)
    expect(bed.requests).toHaveLength(1)
    slow.resolve(found(feedOf('a')))
    await bed.clock.advance(29_999)
    expect(bed.requests).toHaveLength(1)
    await bed.clock.advance(1)
    expect(bed.requests).toHaveLength(2)
    expect(bed.keys()).toEqual(['b'])
    await bed.clock.advance(30_000)
    expect(bed.requests).toHaveLength(3)
  })

  it.each([
    [250, 250],
    [1, 100],
    [Number.NaN, 100],
  ])('"min 100 ms": a pace of %s is %i ms', async (featureFlagsPollingInterval, ms) => {
    const bed = loaderBed([found(feedOf('a'))], { featureFlagsPollingInterval })
    bed.loader.start()
    await bed.clock.advance(ms - 1)
    expect(bed.requests).toHaveLength(1)
    await bed.clock.advance(1)
    expect(bed.requests).toHaveLength(2)
  })

  it('"null disables": loads once, and again only when told to', async () => {
    const bed = loaderBed([found(feedOf('a')), found(feedOf('b'))], { featureFlagsPollingInterval: null })
    bed.loader.start()
    await bed.clock.advance(3_600_000)
    expect(bed.keys()).toEqual(['a'])
    expect(bed.requests).toHaveLength(1)
    await bed.loader.reload()
    expect(bed.keys()).toEqual(['b'])
    await bed.clock.advance(3_600_000)
    expect(bed.requests).toHaveLength(2)
  })

  it('without polling, a read begins the load that has failed anew, without waiting for it, but not before its time', async () => {
    const bed = loaderBed([status(503), found(feedOf('a'))], { featureFlagsPollingInterval: null })
    bed.loader.start()
    await bed.clock.advance(29_999)
    bed.loader.current()
    await bed.clock.advance(1)
    expect(bed.requests).toHaveLength(1)
    expect(bed.loader.current()).toBeUndefined()
    await bed.clock.advance(0)
    expect(bed.requests).toHaveLength(2)
    expect(bed.keys()).toEqual(['a'])
  })

  it('asks a service of the first generation by its own path, found out once', async () => {
    const bed = loaderBed([status(404), found(feedOf('a')), status(304)])
    bed.loader.start()
    await bed.clock.advance(30_000)
    expect(bed.requests.map(({ url }) => new URL(url).pathname)).toEqual([
      '/flags/definitions',
      '/api/feature_flag/local_evaluation',
      '/api/feature_flag/local_evaluation',
    ])
    expect(bed.warnings).toEqual([])
  })
})

describe('"`isLocalEvaluationReady` / `waitForLocalEvaluationReady`"', () => {
  it('is ready as soon as there are definitions, however many loads that takes', async () => {
    const bed = loaderBed([status(0), status(503), found(feedOf('a'))])
    bed.loader.start()
    let isReady: boolean | undefined
    void bed.loader.ready(100_000).then((answer) => (isReady = answer))
    await bed.clock.advance(59_999)
    expect(isReady).toBeUndefined()
    await bed.clock.advance(1)
    expect(isReady).toBe(true)
    expect(await bed.loader.ready(1)).toBe(true)
  })

  it('gives up after the time that was asked for', async () => {
    const bed = loaderBed([status(503)])
    bed.loader.start()
    let isReady: boolean | undefined
    void bed.loader.ready(5_000).then((answer) => (isReady = answer))
    await bed.clock.advance(4_999)
    expect(isReady).toBeUndefined()
    await bed.clock.advance(1)
    expect(isReady).toBe(false)
  })
})

describe('behaviour.md 25: "the first flag read waits for [the first load] (bounded)"', () => {
  it('goes on when the load has ended well', async () => {
    const slow = deferred<SendAnswer>()
    const bed = loaderBed([slow.promise])
    bed.loader.start()
    let goesOn = false
    void bed.loader.firstLoad(3_000).then(() => (goesOn = true))
    await bed.clock.advance(2_999)
    expect(goesOn).toBe(false)
    slow.resolve(found(feedOf('a')))
    await bed.clock.advance(0)
    expect(goesOn).toBe(true)
  })

  it('goes on when the load has failed, and later reads wait no more', async () => {
    const bed = loaderBed([status(503)])
    bed.loader.start()
    await bed.loader.firstLoad(3_000)
    await bed.loader.firstLoad(3_000)
    expect(bed.requests).toHaveLength(1)
  })

  it('goes on when its time is over', async () => {
    const bed = loaderBed([deferred<SendAnswer>().promise])
    bed.loader.start()
    let goesOn = false
    void bed.loader.firstLoad(3_000).then(() => (goesOn = true))
    await bed.clock.advance(3_000)
    expect(goesOn).toBe(true)
  })
})

describe('"ETag: sends `If-None-Match`; 304 keeps definitions (and may renew the tag) and counts as success"', () => {
  it('names those that it holds by the newest tag', async () => {
    const bed = loaderBed([
      found(feedOf('a'), '"1"'),
      status(304, { etag: 'W/"1b"' }),
      status(304),
      found(feedOf('b'), '"2"'),
      status(304),
    ])
    bed.loader.start()
    await bed.clock.advance(0)
    const first = bed.loader.current()
    await bed.clock.advance(60_000)
    expect(bed.loader.current()).toBe(first)
    await bed.clock.advance(60_000)
    expect([0, 1, 2, 3, 4].map((index) => bed.headers(index)['If-None-Match'])).toEqual([
      undefined,
      '"1"',
      'W/"1b"',
      'W/"1b"',
      '"2"',
    ])
    expect(bed.keys()).toEqual(['b'])
    expect(bed.warnings).toEqual([])
  })

  it('304 ends a run of failures', async () => {
    const bed = loaderBed([found(feedOf('a'), '"1"'), status(503), status(304), status(503)])
    bed.loader.start()
    await bed.clock.advance(90_000)
    expect(bed.warnings).toHaveLength(2)
  })

  it('the same text without a tag stays the same object: nothing is compiled again', async () => {
    const bed = loaderBed([found(feedOf('a')), found(feedOf('a')), found(feedOf('b'))])
    bed.loader.start()
    await bed.clock.advance(0)
    const first = bed.loader.current()
    await bed.clock.advance(30_000)
    expect(bed.loader.current()).toBe(first)
    await bed.clock.advance(30_000)
    expect(bed.keys()).toEqual(['b'])
  })

  it('304 when nothing is held is no success', async () => {
    const bed = loaderBed([status(304)])
    bed.loader.start()
    await bed.clock.advance(0)
    expect(bed.keys()).toBeUndefined()
    expect(bed.warnings).toEqual(['flag definitions not loaded: status 304'])
  })
})

describe('"401, 403, 429: error reported, interval doubles up to 60 s, definitions kept; automatic fetches wait out the back-off"', () => {
  it.each([401, 403, 429])('%i', async (code) => {
    const bed = loaderBed([found(feedOf('a'), '"1"'), status(code)], { featureFlagsPollingInterval: 10_000 })
    bed.loader.start()
    const waits: number[] = []
    for (let seconds = 0; waits.length < 6; seconds++) {
      const before = bed.requests.length
      await bed.clock.advance(seconds && 1_000)
      if (bed.requests.length === before) continue
      waits.push(seconds)
      seconds = 0
    }
    expect(waits).toEqual([0, 10, 20, 40, 60, 60])
    expect(bed.keys()).toEqual(['a'])
    expect(bed.warnings).toEqual([`flag definitions not loaded: status ${code}`])
  })

  it('tells what the service says of it', async () => {
    const detail = 'The personal api key lacks the scope feature_flag:read.'
    const bed = loaderBed([status(403, { body: JSON.stringify({ type: 'authentication_error', detail }) })])
    bed.loader.start()
    await bed.clock.advance(0)
    expect(bed.warnings).toEqual([`flag definitions not loaded: status 403: ${detail}`])
  })

  it('returns to its pace after a success', async () => {
    const answers = [status(429), status(429), found(feedOf('a')), status(429), found(feedOf('b'))]
    const bed = loaderBed(answers, { featureFlagsPollingInterval: 10_000 })
    bed.loader.start()
    await bed.clock.advance(20_000 + 40_000 + 10_000)
    expect(bed.requests).toHaveLength(4)
    await bed.clock.advance(20_000)
    expect(bed.requests).toHaveLength(5)
    expect(bed.keys()).toEqual(['b'])
  })

  it('does not make a pace that is slower than 60 s any faster', async () => {
    const bed = loaderBed([status(401)], { featureFlagsPollingInterval: 300_000 })
    bed.loader.start()
    await bed.clock.advance(299_999)
    expect(bed.requests).toHaveLength(1)
    await bed.clock.advance(1)
    expect(bed.requests).toHaveLength(2)
  })

  it.each([429, 503])('waits as long as Retry-After says after %i', async (code) => {
    const bed = loaderBed([status(code, { retryAfter: '90' }), found(feedOf('a'))])
    bed.loader.start()
    await bed.clock.advance(89_999)
    bed.loader.current()
    expect(bed.requests).toHaveLength(1)
    await bed.clock.advance(1)
    expect(bed.keys()).toEqual(['a'])
  })

  it('a load that is asked for does not wait', async () => {
    const bed = loaderBed([status(401), found(feedOf('a'))])
    bed.loader.start()
    await bed.clock.advance(0)
    await bed.loader.reload()
    expect(bed.keys()).toEqual(['a'])
  })

  it('without polling, reads wait the back-off out as well', async () => {
    const bed = loaderBed([status(401)], { featureFlagsPollingInterval: null })
    bed.loader.start()
    await bed.clock.advance(59_999)
    bed.loader.current()
    await bed.clock.advance(1)
    expect(bed.requests).toHaveLength(1)
    void bed.loader.ready(10)
    await bed.clock.advance(10)
    expect(bed.requests).toHaveLength(2)
  })
})

describe('"402 (quota): definitions cleared, evaluation pauses"', () => {
  it('has none until the service gives some again, with a tag or without', async () => {
    const bed = loaderBed([found(feedOf('a'), '"1"'), status(402), status(402), found(feedOf('a'), '"1"')])
    bed.loader.start()
    await bed.clock.advance(30_000)
    expect(bed.loader.current()).toBeUndefined()
    expect(bed.warnings).toEqual(['flag definitions not loaded: status 402'])
    await bed.clock.advance(60_000)
    // Nothing is held, so that a 304 cannot come.
    expect(bed.headers(2)).toEqual({})
    expect(bed.keys()).toEqual(['a'])
    expect(bed.warnings).toHaveLength(1)
  })

  it('keeps the pace, and is ready again only then', async () => {
    const bed = loaderBed([found(feedOf('a')), status(402), found(feedOf('a'))])
    bed.loader.start()
    await bed.clock.advance(30_000)
    let isReady: boolean | undefined
    void bed.loader.ready(40_000).then((answer) => (isReady = answer))
    await bed.clock.advance(29_999)
    expect(isReady).toBeUndefined()
    await bed.clock.advance(1)
    expect(isReady).toBe(true)
  })
})

describe('better than the field: "Any other status or a bad body: definitions kept and a warning recorded"', () => {
  it.each<[string, SendAnswer]>([
    ['no answer, or a redirect', status(0)],
    ['status 404', status(404)],
    ['status 500', status(500)],
    ['status 503', status(503)],
    ['status 204', status(204)],
    ['the answer holds no flag definitions', status(200, { body: '<html>' })],
    ['the answer holds no flag definitions', status(200, { body: 'null' })],
    ['the answer holds no flag definitions', status(200, { body: '{"flags":{}}' })],
    ['the answer holds no flag definitions', status(200, { body: '' })],
  ])('%s: one warning for a run of failures, polling at its pace', async (why, bad) => {
    const bed = loaderBed([found(feedOf('a'), '"1"'), bad])
    bed.loader.start()
    await bed.clock.advance(120_000)
    expect(bed.keys()).toEqual(['a'])
    expect(bed.warnings).toEqual([`flag definitions not loaded: ${why}`])
    const [first] = bed.requests
    // 404 is asked for at both paths.
    expect(bed.requests.filter(({ url }) => url === first!.url)).toHaveLength(5)
    // The tag is that of those in use.
    expect(bed.headers(bed.requests.length - 1)['If-None-Match']).toBe('"1"')
  })

  it('warns once where the service words the same refusal anew each time', async () => {
    const detail = (seconds: number) => `Request was throttled. Expected available in ${seconds} seconds.`
    const throttled = [59, 58, 57].map((seconds) => status(429, { body: JSON.stringify({ detail: detail(seconds) }) }))
    const bed = loaderBed(throttled)
    bed.loader.start()
    await bed.clock.advance(180_000)
    expect(bed.requests.length).toBeGreaterThan(2)
    expect(bed.warnings).toEqual([`flag definitions not loaded: status 429: ${detail(59)}`])
  })

  it('warns again when the reason is another one, and in the next run', async () => {
    const answers = [status(503), status(500), status(500), found(feedOf('a')), status(500)]
    const bed = loaderBed(answers)
    bed.loader.start()
    await bed.clock.advance(120_000)
    expect(bed.warnings.map((warning) => warning.slice(-3))).toEqual(['503', '500', '500'])
  })
})

describe('behaviour.md 17 and 25: "overlapping refreshes join", "a forced refresh must start a fresh load after the running one"', () => {
  it('reloads during a load share the one that follows it', async () => {
    const slow = deferred<SendAnswer>()
    const bed = loaderBed([slow.promise, found(feedOf('new'))])
    bed.loader.start()
    await bed.clock.advance(0)
    const seen: unknown[] = []
    for (let i = 0; i < 3; i++) void bed.loader.reload().then(() => seen.push(bed.keys()))
    await bed.clock.advance(0)
    expect(bed.requests).toHaveLength(1)
    slow.resolve(found(feedOf('old')))
    await bed.clock.advance(0)
    expect(bed.requests).toHaveLength(2)
    expect(seen).toEqual([['new'], ['new'], ['new']])
  })

  it('no poll overlaps with a load, and the next one is 30 s after it', async () => {
    const slow = deferred<SendAnswer>()
    const bed = loaderBed([found(feedOf('a')), slow.promise, found(feedOf('b'))])
    bed.loader.start()
    await bed.clock.advance(29_000)
    void bed.loader.reload()
    await bed.clock.advance(50_000)
    expect(bed.requests).toHaveLength(2)
    slow.resolve(found(feedOf('a')))
    await bed.clock.advance(29_999)
    expect(bed.requests).toHaveLength(2)
    await bed.clock.advance(1)
    expect(bed.requests).toHaveLength(3)
  })
})

describe('shutdown', () => {
  it('leaves no timer, takes no late answer, makes no request and lets waiting reads go', async () => {
    const late = deferred<SendAnswer>()
    const bed = loaderBed([found(feedOf('a')), late.promise])
    bed.loader.start()
    await bed.clock.advance(30_000)
    const reloads = bed.loader.reload()
    await bed.loader.shutdown()
    late.resolve(found(feedOf('late')))
    await bed.clock.advance(120_000)
    await reloads
    await bed.loader.reload()
    await bed.loader.firstLoad(1_000)
    expect(bed.keys()).toEqual(['a'])
    expect(bed.requests).toHaveLength(2)
    expect(bed.clock.pending()).toBe(0)
    expect(bed.warnings).toEqual([])
  })

  it('during the first load answers those who wait', async () => {
    const bed = loaderBed([deferred<SendAnswer>().promise])
    bed.loader.start()
    const waiting = Promise.all([bed.loader.ready(10_000), bed.loader.firstLoad(10_000)])
    await bed.loader.shutdown()
    expect(await waiting).toEqual([false, undefined])
    expect(bed.clock.pending()).toBe(0)
  })

  it('before the start makes the start do nothing', async () => {
    const bed = loaderBed([found(feedOf('a'))])
    await bed.loader.shutdown()
    bed.loader.start()
    await bed.clock.advance(60_000)
    expect(bed.requests).toEqual([])
  })
})
