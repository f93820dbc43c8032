import { describe, expect, it } from 'vitest'
import type { SendResponse } from '../../../../src/port/send.ts'
import { deferred, definitionsOf, okResponse, loaderFixture, statusResponse } from './loader-fixture.ts'

describe('the loader of definitions', () => {
  it('sends a request with both API keys at its start', async () => {
    const fixture = loaderFixture([okResponse(definitionsOf('a'))], { personalApiKey: ' wmx_secret\n' })
    fixture.loader.start()
    await fixture.clock.advance(0)
    expect(fixture.requests).toEqual([
      {
        url: 'https://flags.test/flags/definitions?token=wm%20key&send_cohorts',
        body: '',
        contentType: '',
        headers: { Authorization: 'Bearer wmx_secret' },
        timeoutMs: 10_000,
        maxResponseBytes: 64 * 1024 * 1024,
        noStore: true,
        aborts: expect.anything(),
      },
    ])
    expect(fixture.keys()).toEqual(['a'])
    expect([...fixture.loader.current()!.compiled.flags.keys()]).toEqual(['a'])
    expect(fixture.loader.current()!.loadedAt).toBe(fixture.clock.now())
    expect(fixture.warnings).toEqual([])
  })

  it('tells debug mode which definitions are in use, when they have changed', async () => {
    const [before, after] = [definitionsOf('a'), definitionsOf('a', 'b')]
    const fixture = loaderFixture([okResponse(before), okResponse(before), okResponse(after)])
    fixture.loader.start()
    await fixture.clock.advance(60_000)
    expect(fixture.debugs.filter(([topic]) => topic === 'definitions_in_use')).toEqual([
      ['definitions_in_use', before.flags],
      ['definitions_in_use', after.flags],
    ])
  })

  it('loads again 30 s after the end of a load', async () => {
    const slow = deferred<SendResponse>()
    const fixture = loaderFixture([slow.promise, okResponse(definitionsOf('b'))])
    fixture.loader.start()
    await fixture.clock.advance(60_000)
    expect(fixture.requests).toHaveLength(1)
    slow.resolve(okResponse(definitionsOf('a')))
    await fixture.clock.advance(29_999)
    expect(fixture.requests).toHaveLength(1)
    await fixture.clock.advance(1)
    expect(fixture.requests).toHaveLength(2)
    expect(fixture.keys()).toEqual(['b'])
    await fixture.clock.advance(30_000)
    expect(fixture.requests).toHaveLength(3)
  })

  it.each([
    [250, 250],
    [1, 100],
    [Number.NaN, 100],
  ])('polls at least every 100 ms: the interval %s becomes %i ms', async (featureFlagsPollingInterval, ms) => {
    const fixture = loaderFixture([okResponse(definitionsOf('a'))], { featureFlagsPollingInterval })
    fixture.loader.start()
    await fixture.clock.advance(ms - 1)
    expect(fixture.requests).toHaveLength(1)
    await fixture.clock.advance(1)
    expect(fixture.requests).toHaveLength(2)
  })

  // Specification: "null disables"
  it('does not poll with the interval null', async () => {
    const fixture = loaderFixture([okResponse(definitionsOf('a')), okResponse(definitionsOf('b'))], {
      featureFlagsPollingInterval: null,
    })
    fixture.loader.start()
    await fixture.clock.advance(3_600_000)
    expect(fixture.keys()).toEqual(['a'])
    expect(fixture.requests).toHaveLength(1)
    await fixture.loader.reload()
    expect(fixture.keys()).toEqual(['b'])
    await fixture.clock.advance(3_600_000)
    expect(fixture.requests).toHaveLength(2)
  })

  it('repeats a failed load at a read after 30 s if polling is off', async () => {
    const fixture = loaderFixture([statusResponse(503), okResponse(definitionsOf('a'))], {
      featureFlagsPollingInterval: null,
    })
    fixture.loader.start()
    await fixture.clock.advance(29_999)
    fixture.loader.current()
    await fixture.clock.advance(1)
    expect(fixture.requests).toHaveLength(1)
    expect(fixture.loader.current()).toBeUndefined()
    await fixture.clock.advance(0)
    expect(fixture.requests).toHaveLength(2)
    expect(fixture.keys()).toEqual(['a'])
  })

  it('uses and remembers the path of a first-generation service', async () => {
    const fixture = loaderFixture([statusResponse(404), okResponse(definitionsOf('a')), statusResponse(304)])
    fixture.loader.start()
    await fixture.clock.advance(30_000)
    expect(fixture.requests.map(({ url }) => new URL(url).pathname)).toEqual([
      '/flags/definitions',
      '/api/feature_flag/local_evaluation',
      '/api/feature_flag/local_evaluation',
    ])
    expect(fixture.warnings).toEqual([])
  })
})

describe('waitUntilReady()', () => {
  it('resolves with true as soon as a load succeeds, also after failed loads', async () => {
    const fixture = loaderFixture([statusResponse(0), statusResponse(503), okResponse(definitionsOf('a'))])
    fixture.loader.start()
    let isReady: boolean | undefined
    void fixture.loader.waitUntilReady(100_000).then((result) => (isReady = result))
    await fixture.clock.advance(59_999)
    expect(isReady).toBeUndefined()
    await fixture.clock.advance(1)
    expect(isReady).toBe(true)
    expect(await fixture.loader.waitUntilReady(1)).toBe(true)
  })

  it('resolves with false after the timeout', async () => {
    const fixture = loaderFixture([statusResponse(503)])
    fixture.loader.start()
    let isReady: boolean | undefined
    void fixture.loader.waitUntilReady(5_000).then((result) => (isReady = result))
    await fixture.clock.advance(4_999)
    expect(isReady).toBeUndefined()
    await fixture.clock.advance(1)
    expect(isReady).toBe(false)
  })
})

describe('waitForFirstLoad()', () => {
  it('resolves when the load has succeeded', async () => {
    const slow = deferred<SendResponse>()
    const fixture = loaderFixture([slow.promise])
    fixture.loader.start()
    let hasContinued = false
    void fixture.loader.waitForFirstLoad(3_000).then(() => (hasContinued = true))
    await fixture.clock.advance(2_999)
    expect(hasContinued).toBe(false)
    slow.resolve(okResponse(definitionsOf('a')))
    await fixture.clock.advance(0)
    expect(hasContinued).toBe(true)
  })

  it('resolves when the load has failed, and then always at once', async () => {
    const fixture = loaderFixture([statusResponse(503)])
    fixture.loader.start()
    await fixture.loader.waitForFirstLoad(3_000)
    await fixture.loader.waitForFirstLoad(3_000)
    expect(fixture.requests).toHaveLength(1)
  })

  it('resolves after its timeout', async () => {
    const fixture = loaderFixture([deferred<SendResponse>().promise])
    fixture.loader.start()
    let hasContinued = false
    void fixture.loader.waitForFirstLoad(3_000).then(() => (hasContinued = true))
    await fixture.clock.advance(3_000)
    expect(hasContinued).toBe(true)
  })
})

describe('the entity tag of definitions', () => {
  it('is sent as If-None-Match, and may change with a 304', async () => {
    const fixture = loaderFixture([
      okResponse(definitionsOf('a'), '"1"'),
      statusResponse(304, { etag: 'W/"1b"' }),
      statusResponse(304),
      okResponse(definitionsOf('b'), '"2"'),
      statusResponse(304),
    ])
    fixture.loader.start()
    await fixture.clock.advance(0)
    const first = fixture.loader.current()
    await fixture.clock.advance(60_000)
    expect(fixture.loader.current()).toBe(first)
    await fixture.clock.advance(60_000)
    expect([0, 1, 2, 3, 4].map((index) => fixture.headers(index)['If-None-Match'])).toEqual([
      undefined,
      '"1"',
      'W/"1b"',
      'W/"1b"',
      '"2"',
    ])
    expect(fixture.keys()).toEqual(['b'])
    expect(fixture.warnings).toEqual([])
  })

  it('makes a 304 possible, which ends a run of failures', async () => {
    const fixture = loaderFixture([
      okResponse(definitionsOf('a'), '"1"'),
      statusResponse(503),
      statusResponse(304),
      statusResponse(503),
    ])
    fixture.loader.start()
    await fixture.clock.advance(90_000)
    expect(fixture.warnings).toHaveLength(2)
  })

  it('is not needed to detect unchanged definitions', async () => {
    const fixture = loaderFixture([
      okResponse(definitionsOf('a')),
      okResponse(definitionsOf('a')),
      okResponse(definitionsOf('b')),
    ])
    fixture.loader.start()
    await fixture.clock.advance(0)
    const first = fixture.loader.current()
    await fixture.clock.advance(30_000)
    expect(fixture.loader.current()).toBe(first)
    await fixture.clock.advance(30_000)
    expect(fixture.keys()).toEqual(['b'])
  })

  it('is missing without definitions: a 304 is then a failure', async () => {
    const fixture = loaderFixture([statusResponse(304)])
    fixture.loader.start()
    await fixture.clock.advance(0)
    expect(fixture.keys()).toBeUndefined()
    expect(fixture.warnings).toEqual(['flag definitions not loaded: status 304'])
  })
})

describe('the loader after a refusal', () => {
  it.each([401, 403, 429])(
    'doubles its interval up to 60 s after each status %i, and keeps definitions',
    async (code) => {
      const fixture = loaderFixture([okResponse(definitionsOf('a'), '"1"'), statusResponse(code)], {
        featureFlagsPollingInterval: 10_000,
      })
      fixture.loader.start()
      const waits: number[] = []
      for (let seconds = 0; waits.length < 6; seconds++) {
        const before = fixture.requests.length
        await fixture.clock.advance(seconds && 1_000)
        if (fixture.requests.length === before) continue
        waits.push(seconds)
        seconds = 0
      }
      expect(waits).toEqual([0, 10, 20, 40, 60, 60])
      expect(fixture.keys()).toEqual(['a'])
      expect(fixture.warnings).toEqual([`flag definitions not loaded: status ${code}`])
    },
  )

  it('logs the detail in the response', async () => {
    const detail = 'The personal api key lacks the scope feature_flag:read.'
    const fixture = loaderFixture([
      statusResponse(403, { body: JSON.stringify({ type: 'authentication_error', detail }) }),
    ])
    fixture.loader.start()
    await fixture.clock.advance(0)
    expect(fixture.warnings).toEqual([`flag definitions not loaded: status 403: ${detail}`])
  })

  it('returns to its interval after a success', async () => {
    const responses = [
      statusResponse(429),
      statusResponse(429),
      okResponse(definitionsOf('a')),
      statusResponse(429),
      okResponse(definitionsOf('b')),
    ]
    const fixture = loaderFixture(responses, { featureFlagsPollingInterval: 10_000 })
    fixture.loader.start()
    await fixture.clock.advance(20_000 + 40_000 + 10_000)
    expect(fixture.requests).toHaveLength(4)
    await fixture.clock.advance(20_000)
    expect(fixture.requests).toHaveLength(5)
    expect(fixture.keys()).toEqual(['b'])
  })

  it('does not shorten an interval above 60 s', async () => {
    const fixture = loaderFixture([statusResponse(401)], { featureFlagsPollingInterval: 300_000 })
    fixture.loader.start()
    await fixture.clock.advance(299_999)
    expect(fixture.requests).toHaveLength(1)
    await fixture.clock.advance(1)
    expect(fixture.requests).toHaveLength(2)
  })

  it.each([429, 503])('respects Retry-After after status %i', async (code) => {
    const fixture = loaderFixture([statusResponse(code, { retryAfter: '90' }), okResponse(definitionsOf('a'))])
    fixture.loader.start()
    await fixture.clock.advance(89_999)
    fixture.loader.current()
    expect(fixture.requests).toHaveLength(1)
    await fixture.clock.advance(1)
    expect(fixture.keys()).toEqual(['a'])
  })

  it('ignores the back-off in reload()', async () => {
    const fixture = loaderFixture([statusResponse(401), okResponse(definitionsOf('a'))])
    fixture.loader.start()
    await fixture.clock.advance(0)
    await fixture.loader.reload()
    expect(fixture.keys()).toEqual(['a'])
  })

  it('respects the back-off at reads if polling is off', async () => {
    const fixture = loaderFixture([statusResponse(401)], { featureFlagsPollingInterval: null })
    fixture.loader.start()
    await fixture.clock.advance(59_999)
    fixture.loader.current()
    await fixture.clock.advance(1)
    expect(fixture.requests).toHaveLength(1)
    void fixture.loader.waitUntilReady(10)
    await fixture.clock.advance(10)
    expect(fixture.requests).toHaveLength(2)
  })
})

describe('the loader after status 402 (quota exceeded)', () => {
  it('has no definitions until the service sends some again', async () => {
    const fixture = loaderFixture([
      okResponse(definitionsOf('a'), '"1"'),
      statusResponse(402),
      statusResponse(402),
      okResponse(definitionsOf('a'), '"1"'),
    ])
    fixture.loader.start()
    await fixture.clock.advance(30_000)
    expect(fixture.loader.current()).toBeUndefined()
    expect(fixture.warnings).toEqual(['flag definitions not loaded: status 402'])
    await fixture.clock.advance(60_000)
    // No tag is sent, so that the response cannot be a 304.
    expect(fixture.headers(2)).toEqual({})
    expect(fixture.keys()).toEqual(['a'])
    expect(fixture.warnings).toHaveLength(1)
  })

  it('keeps its interval, and is ready again after the next load', async () => {
    const fixture = loaderFixture([okResponse(definitionsOf('a')), statusResponse(402), okResponse(definitionsOf('a'))])
    fixture.loader.start()
    await fixture.clock.advance(30_000)
    let isReady: boolean | undefined
    void fixture.loader.waitUntilReady(40_000).then((result) => (isReady = result))
    await fixture.clock.advance(29_999)
    expect(isReady).toBeUndefined()
    await fixture.clock.advance(1)
    expect(isReady).toBe(true)
  })
})

describe('the loader after a failure', () => {
  it.each<[string, SendResponse]>([
    ['no response', statusResponse(0)],
    ['status 404', statusResponse(404)],
    ['status 500', statusResponse(500)],
    ['status 503', statusResponse(503)],
    ['status 204', statusResponse(204)],
    ['the response has no flag definitions', statusResponse(200, { body: '<html>' })],
    ['the response has no flag definitions', statusResponse(200, { body: 'null' })],
    ['the response has no flag definitions', statusResponse(200, { body: '{"flags":{}}' })],
    ['the response has no flag definitions', statusResponse(200, { body: '' })],
  ])('continues polling, with one warning per run of failures (%s)', async (reason, badResponse) => {
    const fixture = loaderFixture([okResponse(definitionsOf('a'), '"1"'), badResponse])
    fixture.loader.start()
    await fixture.clock.advance(120_000)
    expect(fixture.keys()).toEqual(['a'])
    expect(fixture.warnings).toEqual([`flag definitions not loaded: ${reason}`])
    const [first] = fixture.requests
    // After a 404 both paths are requested.
    expect(fixture.requests.filter(({ url }) => url === first!.url)).toHaveLength(5)
    // The tag is that of the current definitions.
    expect(fixture.headers(fixture.requests.length - 1)['If-None-Match']).toBe('"1"')
  })

  it('warns once if only the detail of the response changes', async () => {
    const detail = (seconds: number) => `Request was throttled. Expected available in ${seconds} seconds.`
    const throttled = [59, 58, 57].map((seconds) =>
      statusResponse(429, { body: JSON.stringify({ detail: detail(seconds) }) }),
    )
    const fixture = loaderFixture(throttled)
    fixture.loader.start()
    await fixture.clock.advance(180_000)
    expect(fixture.requests.length).toBeGreaterThan(2)
    expect(fixture.warnings).toEqual([`flag definitions not loaded: status 429: ${detail(59)}`])
  })

  it('warns again for another reason, and in the next run of failures', async () => {
    const responses = [
      statusResponse(503),
      statusResponse(500),
      statusResponse(500),
      okResponse(definitionsOf('a')),
      statusResponse(500),
    ]
    const fixture = loaderFixture(responses)
    fixture.loader.start()
    await fixture.clock.advance(120_000)
    expect(fixture.warnings.map((warning) => warning.slice(-3))).toEqual(['503', '500', '500'])
  })
})

describe('overlapping loads', () => {
  it('are prevented: reload() calls during a load share the load after it', async () => {
    const slow = deferred<SendResponse>()
    const fixture = loaderFixture([slow.promise, okResponse(definitionsOf('new'))])
    fixture.loader.start()
    await fixture.clock.advance(0)
    const results: unknown[] = []
    for (let i = 0; i < 3; i++) void fixture.loader.reload().then(() => results.push(fixture.keys()))
    await fixture.clock.advance(0)
    expect(fixture.requests).toHaveLength(1)
    slow.resolve(okResponse(definitionsOf('old')))
    await fixture.clock.advance(0)
    expect(fixture.requests).toHaveLength(2)
    expect(results).toEqual([['new'], ['new'], ['new']])
  })

  it('are prevented: polling continues 30 s after the end of a reload', async () => {
    const slow = deferred<SendResponse>()
    const fixture = loaderFixture([okResponse(definitionsOf('a')), slow.promise, okResponse(definitionsOf('b'))])
    fixture.loader.start()
    await fixture.clock.advance(29_000)
    void fixture.loader.reload()
    await fixture.clock.advance(50_000)
    expect(fixture.requests).toHaveLength(2)
    slow.resolve(okResponse(definitionsOf('a')))
    await fixture.clock.advance(29_999)
    expect(fixture.requests).toHaveLength(2)
    await fixture.clock.advance(1)
    expect(fixture.requests).toHaveLength(3)
  })
})

describe('shutdown', () => {
  it('cancels timers, ignores late responses, and prevents requests', async () => {
    const late = deferred<SendResponse>()
    const fixture = loaderFixture([okResponse(definitionsOf('a')), late.promise])
    fixture.loader.start()
    await fixture.clock.advance(30_000)
    const reloads = fixture.loader.reload()
    await fixture.loader.shutdown()
    late.resolve(okResponse(definitionsOf('late')))
    await fixture.clock.advance(120_000)
    await reloads
    await fixture.loader.reload()
    await fixture.loader.waitForFirstLoad(1_000)
    expect(fixture.keys()).toEqual(['a'])
    expect(fixture.requests).toHaveLength(2)
    expect(fixture.clock.pending()).toBe(0)
    expect(fixture.warnings).toEqual([])
  })

  it('during the first load ends all waits', async () => {
    const fixture = loaderFixture([deferred<SendResponse>().promise])
    fixture.loader.start()
    const waiting = Promise.all([fixture.loader.waitUntilReady(10_000), fixture.loader.waitForFirstLoad(10_000)])
    await fixture.loader.shutdown()
    expect(await waiting).toEqual([false, undefined])
    expect(fixture.clock.pending()).toBe(0)
  })

  it('before the start prevents all requests', async () => {
    const fixture = loaderFixture([okResponse(definitionsOf('a'))])
    await fixture.loader.shutdown()
    fixture.loader.start()
    await fixture.clock.advance(60_000)
    expect(fixture.requests).toEqual([])
  })
})
