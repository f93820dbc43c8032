import { describe, expect, it } from 'vitest'
import { BEACON_LEASE_MS, readControls, runningLeases } from '../../src/capture/controls.ts'
import { BEAT_KEY, LEASE_PREFIX, NEXT_KEY, STATE_KEY } from '../../src/capture/record-key.ts'
import { freshState } from '../../src/capture/state.ts'
import { memoryEventStore } from '../../src/platform/memory/memory-event-store.ts'

const NOW = Date.UTC(2026, 0, 1)
const state = freshState('a', false)
const next = { at: NOW, askedUntil: 0, failures: 2 }

describe('the control records', () => {
  it('of a new store tell nothing', async () => {
    expect(await readControls(memoryEventStore())).toEqual({ state: undefined, beatAt: 0, next: undefined, leases: [] })
  })

  it('are read together, without the events', async () => {
    const store = memoryEventStore()
    const lease = { keys: ['e/1', 'e/2'], until: NOW }
    await store.write([
      { key: STATE_KEY, value: JSON.stringify(state) },
      { key: BEAT_KEY, value: String(NOW) },
      { key: NEXT_KEY, value: JSON.stringify(next) },
      { key: `${LEASE_PREFIX}tab`, value: JSON.stringify(lease) },
      { key: 'e/1', value: '{}' },
    ])
    expect(await readControls(store)).toEqual({
      state,
      beatAt: NOW,
      next,
      leases: [{ ...lease, key: `${LEASE_PREFIX}tab` }],
    })
  })

  it('that are corrupt are as good as none', async () => {
    const store = memoryEventStore()
    await store.write([STATE_KEY, NEXT_KEY, `${LEASE_PREFIX}tab`].map((key) => ({ key, value: '{' })))
    expect(await readControls(store)).toEqual({ state: undefined, beatAt: 0, next: undefined, leases: [] })
  })
})

describe('the leases of beacons', () => {
  const controls = (...untils: number[]): Parameters<typeof runningLeases>[0] => ({
    state: undefined,
    beatAt: 0,
    next: undefined,
    leases: untils.map((until, index) => ({ key: `c/lease/${index}`, keys: [`e/${index}`], until })),
  })

  it('hold their events back until the first of them ends', () => {
    const { keys, remainingMs, ended } = runningLeases(controls(NOW + 20_000, NOW + 10_000, NOW), NOW)
    expect([[...keys], remainingMs, ended]).toEqual([['e/0', 'e/1'], 10_000, ['c/lease/2']])
  })

  it('end when they reach further ahead than a lease can: the clock was set back', () => {
    const { keys, ended } = runningLeases(controls(NOW + BEACON_LEASE_MS, NOW + BEACON_LEASE_MS + 1), NOW)
    expect([[...keys], ended]).toEqual([['e/0'], ['c/lease/1']])
  })

  it('are none', () => {
    expect(runningLeases(controls(), NOW)).toEqual({ keys: new Set(), remainingMs: Infinity, ended: [] })
  })
})
