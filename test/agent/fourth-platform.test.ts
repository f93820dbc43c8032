import { readFile } from 'node:fs/promises'
import LZString from 'lz-string'
import { describe, expect, it } from 'vitest'
import type { Waymark } from '../../src/agent/waymark.ts'
import { initDevice } from '../support/fourth-platform.ts'
import type { Device } from '../support/fourth-platform.ts'
import { manualClock } from '../support/manual-clock.ts'
import type { ManualClock } from '../support/manual-clock.ts'

interface SentEvent {
  readonly event: string
  readonly uuid: string
  readonly distinct_id: string
  readonly properties: Readonly<Record<string, unknown>>
}

/** A device with a service behind its `fetch`. */
interface Fixture {
  readonly clock: ManualClock
  /** Responds with this status to requests with events. */
  eventStatus: number
  /** Events of each request that was accepted. */
  readonly batches: SentEvent[][]
  /** Events of each request. */
  readonly attempts: SentEvent[][]
  readonly logs: unknown[][]
  /** Starts an app on the device. */
  open(): Waymark
  /** Brings the app to the front. */
  resume(): void
}

const parseBody = (body: string): { batch: SentEvent[] } =>
  JSON.parse(body.startsWith('data=') ? LZString.decompressFromBase64(new URLSearchParams(body).get('data')!) : body)

const createFixture = (): Fixture => {
  const listeners = new Set<() => void>()
  const clock = manualClock()
  let seed = 0
  const fixture: Fixture = {
    clock,
    eventStatus: 200,
    batches: [],
    attempts: [],
    logs: [],
    open: () => initDevice('key', { host: 'https://waymark.test/' }, device),
    resume() {
      for (const listener of listeners) listener()
    },
  }
  const device: Device = {
    memory: new Map(),
    clock,
    randomBytes: (length) => Uint8Array.from({ length }, () => (seed = (seed * 5 + 3) & 255)),
    log: (...message) => fixture.logs.push(message),
    onResume(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    async fetch(url, init) {
      if (!(url as string).endsWith('/batch/'))
        return Response.json({ featureFlags: { beta: 'blue' }, featureFlagPayloads: { beta: '{"size":2}' } })
      const { batch } = parseBody(init!.body as string)
      fixture.attempts.push(batch)
      if (fixture.eventStatus === 200) fixture.batches.push(batch)
      return new Response(null, { status: fixture.eventStatus })
    },
  }
  return fixture
}

const namesOf = (batches: readonly (readonly SentEvent[])[]): string[][] =>
  batches.map((batch) => batch.map(({ event }) => event))

describe('an agent on a platform that only brings adapters', () => {
  it('delivers captured events with their user and the properties of the platform', async () => {
    const { open, clock, batches } = createFixture()
    const agent = open()
    const anonymousId = agent.getDistinctId()
    agent.capture('opened', { plan: 'pro' })
    agent.identify('user-1', { email: 'a@b.c' })
    agent.register({ team: 'red' })
    agent.capture('paid')
    await clock.advance(3_000)
    expect(namesOf(batches)).toEqual([['opened', '$identify', 'paid']])
    const [opened, identify, paid] = batches[0]!
    expect(opened).toMatchObject({
      distinct_id: anonymousId,
      properties: { plan: 'pro', $lib: 'waymark-device', $os: 'Device', $is_identified: false },
    })
    expect(identify).toMatchObject({
      distinct_id: 'user-1',
      properties: { $anon_distinct_id: anonymousId, $set: { email: 'a@b.c' } },
    })
    expect(paid!.properties).toMatchObject({ team: 'red', $is_identified: true, $session_id: agent.getSessionId() })
  })

  it('has the flags of the service, and reports the first read', async () => {
    const { open, clock, batches } = createFixture()
    const agent = open()
    await clock.advance(0)
    expect(agent.getFeatureFlag('beta')).toBe('blue')
    expect(agent.getFeatureFlagPayload('beta')).toEqual({ size: 2 })
    await agent.flush()
    expect(namesOf(batches)).toEqual([['$feature_flag_called']])
    expect(batches[0]![0]!.properties).toMatchObject({ $feature_flag_response: 'blue', '$feature/beta': 'blue' })
  })

  it('keeps events while the service fails, and sends them again after the back-off', async () => {
    const fixture = createFixture()
    const { open, clock, attempts, batches } = fixture
    const agent = open()
    fixture.eventStatus = 503
    agent.capture('a')
    // The default `flushInterval`.
    await clock.advance(3_000)
    // At least half of the first back-off of 3,000 ms.
    await clock.advance(1_499)
    expect(namesOf(attempts)).toEqual([['a']])
    fixture.eventStatus = 200
    await clock.advance(1_501)
    expect(namesOf(batches)).toEqual([['a']])
    expect(batches[0]![0]!.uuid).toBe(attempts[0]![0]!.uuid)
  })

  it('sends fewer events per request when a body is too large', async () => {
    const fixture = createFixture()
    const { open, clock, attempts } = fixture
    const agent = open()
    await clock.advance(0)
    fixture.eventStatus = 413
    for (const name of ['a', 'b', 'c', 'd']) agent.capture(name)
    await agent.flush()
    expect(namesOf(attempts).slice(0, 3)).toEqual([['a', 'b', 'c', 'd'], ['a', 'b'], ['a']])
  })

  it('delivers what an earlier app left, for the same user, when the app comes to the front', async () => {
    const fixture = createFixture()
    const { open, clock, batches } = fixture
    fixture.eventStatus = 503
    const first = open()
    first.identify('user-1')
    const ended = first.shutdown(1_000)
    await clock.advance(1_000)
    await ended
    const second = open()
    await clock.advance(0)
    expect(second.getDistinctId()).toBe('user-1')
    expect(batches).toEqual([])
    fixture.eventStatus = 200
    fixture.resume()
    await clock.advance(0)
    expect(namesOf(batches)).toEqual([['$identify']])
  })

  it('delivers waiting events at shutdown, and refuses later ones', async () => {
    const { open, clock, batches, logs } = createFixture()
    const agent = open()
    await clock.advance(0)
    agent.capture('last')
    await agent.shutdown()
    agent.capture('too late')
    await clock.advance(60_000)
    expect(namesOf(batches)).toEqual([['last']])
    expect(logs).toEqual([['event dropped (shut_down):', 'too late']])
    expect(clock.pending()).toBe(0)
  })
})

it('needs fewer than 150 lines for a new platform, which import nothing of browsers and Node', async () => {
  const code = await readFile('test/support/fourth-platform.ts', 'utf8')
  expect(code.split('\n').length).toBeLessThan(150)
  const folders = [...code.matchAll(/from '\.\.\/\.\.\/src\/([^']+)\/[^/']+'/g)].map(([, folder]) => folder)
  expect(new Set(folders)).toEqual(new Set(['agent', 'codec', 'lib', 'platform/web', 'port']))
  expect(code).not.toMatch(/from '(?!\.\.\/\.\.\/src\/)/)
})
