import { expect, it } from 'vitest'
import { nodeTable } from './node-table.mjs'

const complete = { delivered: 1000, captured: 1000 }
const agent = (name: string, overrides: object = {}): object => ({
  name,
  version: '1.0.0',
  captureTime: { p50Microseconds: 2, p99Microseconds: 10 },
  yieldingLoop: { ...complete, eventsPerSecond: 100_000, cpuSecondsPer100k: 0.5, bytesPerEvent: 20 },
  drain: { ...complete, drainMs: 100 },
  flood: { delivered: 900, reported: 100, accounted: 1000, captured: 1000, peakBytes: 300e6 },
  outage: complete,
  naturalExit: { ...complete, heldSeconds: 1 },
  processExit: complete,
  kill: complete,
  ...overrides,
})
const table = (ours: object, durable: object = {}): string[] =>
  nodeTable({
    packages: [
      agent('waymark', ours),
      agent('waymark', { way: 'persistenceDir', ...durable }),
      agent('other', { flood: { ...complete, reported: 0, accounted: 1000, peakBytes: 900e6 } }),
    ],
  }).split('\n')
const findUnmet = (lines: string[]): string[] => lines.filter((line) => line.endsWith('**not met**'))

it('meets each goal at its limit', () => {
  const lines = table({})
  expect(lines.filter((line) => line.endsWith('**met**'))).toHaveLength(7)
  expect(findUnmet(lines)).toEqual([])
})

it('misses each goal beyond its limit', () => {
  const lost = { delivered: 999, captured: 1000 }
  expect(
    findUnmet(
      table(
        {
          captureTime: { p50Microseconds: 2.001, p99Microseconds: 10 },
          yieldingLoop: { ...complete, eventsPerSecond: 99_999, cpuSecondsPer100k: 0.5, bytesPerEvent: 20 },
          flood: { delivered: 900, reported: 99, accounted: 999, captured: 1000, peakBytes: 1 },
          outage: lost,
          naturalExit: { ...lost, heldSeconds: 1 },
        },
        { processExit: lost, kill: lost },
      ),
    ),
  ).toHaveLength(7)
})

it('applies the goals for a folder only to the agent with a folder', () => {
  const lost = { delivered: 0, captured: 1000 }
  expect(findUnmet(table({ processExit: lost, kill: lost }, { outage: lost }))).toEqual([])
})

it('shows the ratio of other figures to ours', () => {
  expect(table({}).find((line) => line.startsWith('| other'))).toContain('| 900 (3.0x) |')
})
