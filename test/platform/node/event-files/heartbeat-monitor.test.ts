import { describe, expect, it } from 'vitest'
import { createHeartbeatMonitor } from '../../../../src/platform/node/event-files/heartbeat-monitor.ts'

const NOW = 1e12

describe('the heartbeat monitor', () => {
  it('declares an owner dead after ten checks in a row without a change', () => {
    const monitor = createHeartbeatMonitor()
    const checks = Array.from({ length: 12 }, () => monitor.isOwnerDead('a', NOW, NOW))
    expect(checks.indexOf(true)).toBe(10)
  })

  it('restarts the count after each change, even to an earlier time', () => {
    const monitor = createHeartbeatMonitor()
    for (let check = 0; check < 9; check++) monitor.isOwnerDead('a', NOW, NOW)
    expect(monitor.isOwnerDead('a', NOW - 5, NOW)).toBe(false)
    for (let check = 0; check < 9; check++) expect(monitor.isOwnerDead('a', NOW - 5, NOW)).toBe(false)
    expect(monitor.isOwnerDead('a', NOW - 5, NOW)).toBe(true)
  })

  it('declares an owner dead at the first check when its heartbeat is ten minutes old', () => {
    expect(createHeartbeatMonitor().isOwnerDead('a', NOW - 600_000, NOW)).toBe(true)
    expect(createHeartbeatMonitor().isOwnerDead('a', NOW - 599_999, NOW)).toBe(false)
    expect(createHeartbeatMonitor().isOwnerDead('a', NOW + 1e9, NOW)).toBe(false)
  })

  it('counts each folder separately, and restarts the count after it was missing', () => {
    const monitor = createHeartbeatMonitor()
    for (let check = 0; check < 10; check++) {
      monitor.isOwnerDead('a', NOW, NOW)
      monitor.isOwnerDead('b', NOW, NOW)
    }
    monitor.retainOnly(new Set(['b']))
    expect(monitor.isOwnerDead('a', NOW, NOW)).toBe(false)
    expect(monitor.isOwnerDead('b', NOW, NOW)).toBe(true)
  })
})
