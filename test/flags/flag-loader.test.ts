import { expect, it } from 'vitest'
import { createFlagLoader } from '../../src/flags/flag-loader.ts'
import type { FlagSnapshot } from '../../src/flags/flag-snapshot.ts'
import type { FlagsOptions } from '../../src/flags/flags-options.ts'
import type { CreateLocalFlags } from '../../src/flags/local-flags.ts'
import { createSnapshotStore } from '../../src/flags/snapshot-store.ts'
import { createMemoryKeyValue } from '../../src/platform/memory/memory-key-value.ts'
import type { FlagSubject } from '../../src/wire/decide.ts'
import { manualClock } from '../support/manual-clock.ts'
import { recordingSend } from '../support/recording-send.ts'
import type { ScriptedResponse } from '../support/recording-send.ts'
import { createDecideResponse } from './flags-fixture.ts'

const INTERVAL_MS = 300_000
const FAILED: ScriptedResponse = [500, '']

/** @param responses One for each request; the last one repeats. */
const loaderFixture = (responses: readonly ScriptedResponse[], local?: CreateLocalFlags) => {
  const clock = manualClock()
  const network = recordingSend((_request, index) => responses[Math.min(index, responses.length - 1)]!)
  const loaded: FlagSnapshot[] = []
  const state: { subject: FlagSubject } = { subject: { distinct_id: 'u', groups: {} } }
  const ports = {
    clock,
    storage: createMemoryKeyValue(),
    send: network.send,
    logger: { debug() {}, warn() {} },
    identity: () => state.subject,
    capture: () => true,
    isOptedOut: () => false,
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
    },
  )
  return { clock, loader, loaded, requests: network.requests, state }
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
  loader.restart()
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
  loader.restart()
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
