import { expect, it } from 'vitest'
import { compareCpu } from './part-figures.mjs'

const NOTHING = { front: 0, indexer: 0, postgres: 0, clickHouse: 0, clients: 0, machine: 0 }

it('divides CPU time by events and by time, and tells what other programs used', () => {
  const before = { ...NOTHING, indexer: 1_000_000, machine: 10_000_000 }
  const after = { ...before, front: 500_000, indexer: 2_000_000, clickHouse: 250_000, machine: 13_000_000 }
  const { cpuPerEvent, cores } = compareCpu(before, after, 10_000, 2000)
  expect(cpuPerEvent).toEqual({ front: 50, indexer: 100, postgres: 0, clickHouse: 25, clients: 0 })
  expect(cores).toEqual({ front: 0.25, indexer: 0.5, postgres: 0, clickHouse: 0.13, clients: 0, others: 0.63 })
})
