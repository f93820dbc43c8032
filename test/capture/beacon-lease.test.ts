import { expect, it } from 'vitest'
import { BEACON_LEASE_MS, createBeaconLease } from '../../src/capture/beacon-lease.ts'
import { memoryKeyValue } from '../../src/platform/memory/memory-key-value.ts'

const NOW = Date.UTC(2026, 0, 1)

it('leaves the events of the last page alone for 30 s, in every tab', () => {
  const storage = memoryKeyValue()
  createBeaconLease(storage, 'l').take(NOW, ['e/1', 'e/2'])
  const lease = createBeaconLease(storage, 'l')
  expect([lease.keys(NOW + 1).has('e/1'), lease.remainingMs(NOW + 1)]).toEqual([true, BEACON_LEASE_MS - 1])
  expect([lease.keys(NOW + BEACON_LEASE_MS).size, lease.remainingMs(NOW + BEACON_LEASE_MS)]).toEqual([0, 0])
})

it('leaves nothing alone before a page was left, or when the clock was set back', () => {
  const lease = createBeaconLease(memoryKeyValue(), 'l')
  expect([lease.keys(NOW).size, lease.remainingMs(NOW)]).toEqual([0, 0])
  lease.take(NOW, ['e/1'])
  expect([lease.keys(NOW - 3_600_000).size, lease.remainingMs(NOW - 3_600_000)]).toEqual([0, 0])
})
