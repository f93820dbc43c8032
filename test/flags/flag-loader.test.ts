import { describe, expect, it } from 'vitest'
import { createFlagLoader } from '../../src/flags/flag-loader.ts'
import type { FlagLoader } from '../../src/flags/flag-loader.ts'
import type { FlagSnapshot } from '../../src/flags/flag-snapshot.ts'
import type { FlagsOptions } from '../../src/flags/flags-options.ts'
import type { CreateLocalFlags } from '../../src/flags/local-flags.ts'
import { createSnapshotStore } from '../../src/flags/snapshot-store.ts'
import { atOnce } from '../../src/lib/at-once.ts'
import { createMemoryKeyValue } from '../../src/platform/memory/memory-key-value.ts'
import type { FlagSubject } from '../../src/wire/decide.ts'
import { manualClock } from '../support/manual-clock.ts'
import { recordingSend } from '../support/recording-send.ts'
import type { ScriptedResponse } from '../support/recording-send.ts'
import { createDecideResponse } from './flags-fixture.ts'

const INTERVAL_MS = 300_000
const OK = createDecideResponse({})
const FAILED: ScriptedResponse = [500, '']

/** @param responses One for each request; the last one repeats. */
const loaderFixture = (responses: readonly ScriptedResponse[], local?: CreateLocalFlags) => {
  const clock = manualClock()
  const network = recordingSend((_request, index) => responses[Math.min(index, responses.length - 1)]!)
  const loaded: FlagSnapshot[] = []
  const warnings: string[] = []
  const state: { subject: FlagSubject; onLoaded?: () => void } = { subject: { distinct_id: 'u', groups: {} } }
  const ports = {
    clock,
    storage: createMemoryKeyValue(),
    send: network.send,
    logger: { debug() {}, warn: (...message: unknown[]) => void warnings.push(message.join(' ')) },
    identity: () => state.subject,
    capture: () => true,
    isOptedOut: () => false,
    whenAtRest: atOnce,
    local,
  }
  const snapshots = createSnapshotStore(ports)
  snapshots.load('u', undefined)
  const options: FlagsOptions = {
    host: 'https://waymark.test',
    apiKey: 'key',
    flagsIntervalMs: INTERVAL_MS,
    requestTimeout: 10_000,
    featureFlagsRequestMaxRetries: 1,
  }
  const loader = createFlagLoader(
    options,
    ports,
    snapshots,
    () => state.subject,
    (changes) => {
      loaded.push(changes)
      snapshots.update(changes)
      state.onLoaded?.()
    },
  )
  return { clock, loader, loaded, requests: network.requests, snapshots, state, warnings }
}

it('loads at the end of the turn, once for several calls', async () => {
  const { clock, loader, loaded, requests } = loaderFixture([createDecideResponse({ a: 'x' })])
  const loads = [loader.load(), loader.load()]
  expect(requests).toHaveLength(0)
  await clock.advance(0)
  await Promise.all(loads)
  expect([requests.length, loaded.length]).toEqual([1, 1])
  expect(loader.getFlags()).toMatchObject({ a: { variant: 'x' } })
})

it('loads again after each interval, until it is stopped', async () => {
  const { clock, loader, requests } = loaderFixture([createDecideResponse({})])
  void loader.load()
  await clock.advance(0)
  await clock.advance(INTERVAL_MS)
  expect(requests).toHaveLength(2)
  loader.stop()
  await clock.advance(10 * INTERVAL_MS)
  void loader.load()
  await clock.advance(0)
  expect([requests.length, loader.status.isStopped, clock.pending()]).toEqual([2, true, 0])
})

it('shows the errors of the last load, and whether one has succeeded, until the user is forgotten', async () => {
  const { clock, loader } = loaderFixture([FAILED, createDecideResponse({}), FAILED])
  const load = async (): Promise<object> => {
    void loader.load()
    await clock.advance(0)
    return { ...loader.status }
  }
  expect(await load()).toMatchObject({ errors: ['api_error_500'], hasResponse: false })
  expect(await load()).toMatchObject({ errors: [], hasResponse: true })
  expect(await load()).toMatchObject({ errors: ['api_error_500'], hasResponse: true })
  loader.forgetUser()
  expect(loader.status).toEqual({ errors: [], hasResponse: false, isStopped: false })
})

it('wakes up only after a failure, or when the interval has passed', async () => {
  const { clock, loader, requests } = loaderFixture([FAILED, createDecideResponse({})])
  void loader.load()
  await clock.advance(0)
  loader.wake()
  await clock.advance(0)
  loader.wake()
  await clock.advance(0)
  expect(requests).toHaveLength(2)
})

it('does not wait for the retry of another user', async () => {
  const { clock, loader, loaded, requests, state } = loaderFixture([[0, ''], createDecideResponse({ a: true })])
  void loader.load()
  await clock.advance(0)
  state.subject = { distinct_id: 'v', groups: {} }
  loader.restart(true)
  await clock.advance(0)
  expect(requests).toHaveLength(2)
  expect(JSON.parse(String(requests[1]!.body))).toMatchObject({ distinct_id: 'v' })
  expect(loaded).toHaveLength(1)
})

it('lets reload() wait for the flags of the new user if the user changes meanwhile', async () => {
  const { clock, loader, loaded, state } = loaderFixture([[0, ''], createDecideResponse({ a: true })])
  let isReloaded = false
  const reloaded = loader.reload().then(() => (isReloaded = true))
  await clock.advance(0)
  state.subject = { distinct_id: 'v', groups: {} }
  loader.restart(true)
  expect(isReloaded).toBe(false)
  await clock.advance(0)
  await reloaded
  expect(loaded).toHaveLength(1)
})

it('asks local flags for missing flags, and has no answer without them', () => {
  const local: CreateLocalFlags = (fetchFromService) => ({
    resolveFlags: () => ({}),
    fetchFlags: fetchFromService,
    isConfirmedMissing: (_snapshot, key) => key === 'gone',
    invalidate() {},
    whenLoaded: () => undefined,
  })
  expect(loaderFixture([FAILED]).loader.isConfirmedMissing?.({}, 'gone')).toBeUndefined()
  expect(loaderFixture([FAILED], local).loader.isConfirmedMissing?.({}, 'gone')).toBe(true)
})

describe('loads that follow each other', () => {
  /** Calls `load` after each load. */
  const openLoop = (
    load: (loader: FlagLoader, state: { subject: FlagSubject }) => void,
    responses = [createDecideResponse({})],
  ) => {
    const fixture = loaderFixture(responses)
    fixture.state.onLoaded = () => load(fixture.loader, fixture.state)
    void fixture.loader.load()
    return fixture
  }
  const LOADS: Readonly<Record<string, Parameters<typeof openLoop>[0]>> = {
    load: (loader) => void loader.load(),
    reload: (loader) => void loader.reload(),
    'another user': (loader, state) => {
      state.subject = { ...state.subject }
      loader.restart(true)
    },
  }
  /** Like a rendering that the listeners caused. */
  const later: Parameters<typeof openLoop>[0] = (loader, state) =>
    void Promise.resolve().then(() => LOADS['another user']!(loader, state))

  it.each(Object.entries({ ...LOADS, 'another user, after a promise': later }))(
    '%s: wait from the sixth on, 1 s and then twice as long, with one warning',
    async (_name, load) => {
      const { clock, requests, warnings } = openLoop(load)
      const counts: number[] = []
      for (const ms of [0, 999, 1, 1_999, 1, 3_999, 1]) {
        await clock.advance(ms)
        counts.push(requests.length)
      }
      expect(counts).toEqual([5, 5, 6, 6, 7, 7, 8])
      await clock.advance(3_600_000)
      expect(requests.length).toBeLessThan(30)
      expect(warnings).toEqual([expect.stringContaining('again and again')])
    },
  )

  it('wait also when they fail, and when each is asked for during the one before', async () => {
    const failing = openLoop(LOADS.load!, [FAILED])
    await failing.clock.advance(4_000)
    expect(failing.requests.length).toBeLessThan(9)
    const { clock, loader, requests } = loaderFixture([createDecideResponse({})])
    for (let count = 0; count < 20; count++) {
      void loader.load()
      await clock.advance(0)
      void loader.load()
    }
    expect(requests).toHaveLength(5)
  })

  /** Changes properties every 700 ms until the next load waits for 16 s. */
  const openWait = async (responses = [OK]) => {
    const fixture = loaderFixture(responses)
    for (let ms = 0; ms < 20_000; ms += 700) {
      void fixture.loader.load()
      await fixture.clock.advance(700)
    }
    expect(fixture.requests).toHaveLength(9)
    return fixture
  }

  it('end their wait for another user, whose loads are counted from the start', async () => {
    const { clock, loader, requests, state } = await openWait()
    state.subject = { distinct_id: 'v', groups: {} }
    loader.restart(true)
    await clock.advance(0)
    expect(JSON.parse(String(requests[9]?.body))).toMatchObject({ distinct_id: 'v' })
    for (let count = 0; count < 9; count++) {
      void loader.load()
      await clock.advance(0)
    }
    expect(requests).toHaveLength(15)
  })

  it('end their wait for a reload, but not for new properties of the same user', async () => {
    const { clock, loader, requests, state } = await openWait()
    state.subject = { ...state.subject }
    loader.restart(false)
    await clock.advance(1_000)
    expect(requests).toHaveLength(9)
    let isReloaded = false
    void loader.reload().then(() => (isReloaded = true))
    await clock.advance(0)
    expect([requests.length, isReloaded]).toEqual([10, true])
  })

  it('do not wait for another user who comes while one is in flight', async () => {
    const { clock, loader, requests, state } = await openWait([...Array<ScriptedResponse>(9).fill(OK), [0, ''], OK])
    await clock.advance(15_300)
    expect(requests).toHaveLength(10)
    state.subject = { distinct_id: 'v', groups: {} }
    loader.restart(true)
    await clock.advance(0)
    expect(JSON.parse(String(requests[10]?.body))).toMatchObject({ distinct_id: 'v' })
  })

  it('do not wait after a pause, and end their wait when the loader is stopped', async () => {
    const { clock, loader, requests, warnings } = loaderFixture([createDecideResponse({})])
    for (let count = 0; count < 9; count++) {
      void loader.load()
      await clock.advance(1_000)
    }
    expect([requests.length, warnings]).toEqual([9, []])
    for (let count = 0; count < 5; count++) {
      void loader.load()
      await clock.advance(0)
    }
    const reloaded = loader.reload()
    await clock.advance(0)
    loader.stop()
    await clock.advance(0)
    await reloaded
    expect([requests.length, clock.pending()]).toEqual([14, 0])
  })
})

it('loads changes only when user or properties differ from those of the last load, or it has failed', async () => {
  const { clock, loader, requests, snapshots, state } = loaderFixture([
    createDecideResponse({}),
    createDecideResponse({}),
    FAILED,
    createDecideResponse({}),
  ])
  const loadChanges = async (): Promise<number> => {
    loader.loadChanges()
    await clock.advance(10_000)
    return requests.length
  }
  expect([await loadChanges(), await loadChanges()]).toEqual([1, 1])
  snapshots.update({ person: { plan: 'pro' } })
  expect([await loadChanges(), await loadChanges()]).toEqual([2, 2])
  state.subject = { distinct_id: 'v', groups: {} }
  expect([await loadChanges(), await loadChanges(), await loadChanges()]).toEqual([3, 4, 4])
})
