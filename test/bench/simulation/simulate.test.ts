import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { simulate } from './simulate.mjs'
import type { Fault, Installation } from './simulate.mjs'

const MINUTE = 60

const installation: Installation = {
  nodes: 10,
  seconds: 60 * MINUTE,
  arrivalsPerSecond: 1000,
  acknowledgedPerSecond: 1000,
  indexedPerSecond: 200,
  storedPerSecond: 2000,
  inboxBytesPerEvent: 250,
  inboxLimitBytes: 2 ** 40,
  faults: [],
}

const nodeFault = fc.record(
  {
    kind: fc.constant('node' as const),
    at: fc.nat(400),
    count: fc.integer({ min: 1, max: 4 }),
    drainedAfter: fc.nat(400),
  },
  { requiredKeys: ['kind', 'at', 'count'] },
)
const toFault = ({ drainedAfter, ...fault }: { kind: 'node'; at: number; count: number; drainedAfter?: number }) =>
  drainedAfter === undefined ? fault : { ...fault, drainedAt: fault.at + drainedAfter }
const storeFault = fc
  .record({ from: fc.nat(400), lasts: fc.nat(200), share: fc.constantFrom(0, 0.1, 0.5, 0.9) })
  .map(({ from, lasts, share }): Fault => ({ kind: 'store', from, until: from + lasts, share }))
const faults: fc.Arbitrary<Fault[]> = fc.array(fc.oneof(nodeFault.map(toFault), storeFault), { maxLength: 4 })

const anyInstallation: fc.Arbitrary<Installation> = fc.record({
  nodes: fc.integer({ min: 1, max: 8 }),
  seconds: fc.integer({ min: 1, max: 600 }),
  arrivalsPerSecond: fc.nat(5000),
  acknowledgedPerSecond: fc.integer({ min: 1, max: 5000 }),
  indexedPerSecond: fc.integer({ min: 1, max: 2000 }),
  storedPerSecond: fc.integer({ min: 1, max: 10_000 }),
  inboxBytesPerEvent: fc.integer({ min: 1, max: 1000 }),
  inboxLimitBytes: fc.integer({ min: 1000, max: 10_000_000 }),
  faults,
  seed: fc.nat(),
})

it('keeps account of every event, and every inbox within its limit', () => {
  fc.assert(
    fc.property(anyInstallation, (input) => {
      const { sent, acknowledged, stored, waiting, atClients, lost, peakInboxBytes } = simulate(input)
      expect(acknowledged + atClients).toBe(sent)
      expect(stored + waiting + lost).toBe(acknowledged)
      expect(Math.min(stored, waiting, atClients, lost)).toBeGreaterThanOrEqual(0)
      expect(peakInboxBytes).toBeLessThanOrEqual(input.inboxLimitBytes)
    }),
  )
})

it('loses events only with a disk that is never drained', () => {
  fc.assert(
    fc.property(anyInstallation, (input) => {
      const { lost } = simulate(input)
      const losesDisks = input.faults.some((fault) => fault.kind === 'node' && fault.drainedAt === undefined)
      if (!losesDisks) expect(lost).toBe(0)
    }),
  )
  const lost = { kind: 'node', at: 100, count: 1 } as const
  expect(simulate({ ...installation, faults: [lost] }).lost).toBeGreaterThan(0)
})

it('has the same result for the same seed, and another for another', () => {
  fc.assert(
    fc.property(anyInstallation, (input) => {
      expect(simulate(input)).toEqual(simulate(input))
    }),
  )
  expect(simulate({ ...installation, seed: 1 }).sent).not.toBe(simulate({ ...installation, seed: 2 }).sent)
})

it('is as usual again after an outage where nodes and stores take more than arrives', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 15 * MINUTE }),
      fc.double({ min: 1.5, max: 4, noNaN: true }),
      fc.nat(),
      (outage, capacity, seed) => {
        const { recoveredAfterSeconds, maxLagSeconds, waiting } = simulate({
          ...installation,
          indexedPerSecond: Math.ceil((capacity * installation.arrivalsPerSecond) / installation.nodes),
          storedPerSecond: Math.ceil(capacity * installation.arrivalsPerSecond),
          faults: [{ kind: 'store', from: MINUTE, until: MINUTE + outage, share: 0 }],
          seed,
        })
        // What has gathered is worked off by what is left of the capacity; each node begins within ten seconds.
        expect(recoveredAfterSeconds).toBeLessThanOrEqual(Math.ceil(outage / (capacity - 1)) * 1.1 + 25)
        expect(maxLagSeconds).toBeGreaterThanOrEqual(outage)
        expect(maxLagSeconds).toBeLessThanOrEqual(outage + 25)
        expect(waiting).toBeLessThanOrEqual(installation.arrivalsPerSecond * 2)
      },
    ),
  )
})

it('falls behind for ever where less is stored than arrives', () => {
  const { recoveredAfterSeconds, waiting } = simulate({ ...installation, storedPerSecond: 900 })
  expect(waiting).toBeGreaterThan(installation.seconds * 90)
  expect(recoveredAfterSeconds).toBe(0)
  const afterOutage = simulate({
    ...installation,
    storedPerSecond: 900,
    faults: [{ kind: 'store', from: 0, until: MINUTE, share: 0 }],
  })
  expect(afterOutage.recoveredAfterSeconds).toBeNull()
})

it('lets clients keep what full inboxes refuse, and takes it later', () => {
  const outage: Fault = { kind: 'store', from: MINUTE, until: 6 * MINUTE, share: 0 }
  const full = simulate({ ...installation, inboxLimitBytes: 250 * 10_000, faults: [outage] })
  expect(full.peakInboxBytes).toBe(250 * 10_000)
  expect(full.peakAtClients).toBeGreaterThan(150_000)
  expect(full.atClients).toBe(0)
  expect(full.lost).toBe(0)
  const roomy = simulate({ ...installation, faults: [outage] })
  expect(roomy.peakAtClients).toBe(0)
  expect(roomy.peakInboxBytes).toBeGreaterThan(250 * 25_000)
})

it('stores what a node held when its copy is drained, and the other nodes take its share', () => {
  const drained = simulate({
    ...installation,
    faults: [{ kind: 'node', at: 10 * MINUTE, count: 4, drainedAt: 20 * MINUTE }],
  })
  expect(drained.maxLagSeconds).toBe(10 * MINUTE + 1)
  expect(drained.p99LagSeconds).toBeLessThan(20)
  expect(drained.lost).toBe(0)
  expect(drained.atClients).toBe(0)
  expect(drained.peakAtClients).toBeGreaterThan(0)
})
