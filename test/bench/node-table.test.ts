import { expect, it } from 'vitest'
import { nodeTable } from './node-table.mjs'

const whole = { delivered: 1000, captured: 1000 }
const agent = (name: string, more: object = {}): object => ({
  name,
  version: '1.0.0',
  captureTime: { p50Microseconds: 2, p99Microseconds: 10 },
  yieldingLoop: { ...whole, eventsPerSecond: 100_000, cpuSecondsPer100k: 0.5, bytesPerEvent: 20 },
  drain: { ...whole, drainMs: 100 },
  flood: { delivered: 900, reported: 100, accounted: 1000, captured: 1000, peakBytes: 300e6 },
  outage: whole,
  naturalExit: { ...whole, heldSeconds: 1 },
  processExit: whole,
  kill: whole,
  ...more,
})
const table = (ours: object, durable: object = {}): string[] =>
  nodeTable({
    packages: [
      agent('waymark', ours),
      agent('waymark', { way: 'persistenceDir', ...durable }),
      agent('other', { flood: { ...whole, reported: 0, accounted: 1000, peakBytes: 900e6 } }),
    ],
  }).split('\n')
const unmet = (lines: string[]): string[] => lines.filter((line) => line.endsWith('**not met**'))

it('meets each goal at its bound', () => {
  const lines = table({})
  expect(lines.filter((line) => line.endsWith('**met**'))).toHaveLength(7)
  expect(unmet(lines)).toEqual([])
})

it('meets no goal beyond its bound', () => {
  const lost = { delivered: 999, captured: 1000 }
  expect(
    unmet(
      table(
        {
          captureTime: { p50Microseconds: 2.001, p99Microseconds: 10 },
          yieldingLoop: { ...whole, eventsPerSecond: 99_999, cpuSecondsPer100k: 0.5, bytesPerEvent: 20 },
          flood: { delivered: 900, reported: 99, accounted: 999, captured: 1000, peakBytes: 1 },
          outage: lost,
          naturalExit: { ...lost, heldSeconds: 1 },
        },
        { processExit: lost, kill: lost },
      ),
    ),
  ).toHaveLength(7)
})

it('asks of the agent without a folder nothing that only a folder can give, and of the other nothing but that', () => {
  const lost = { delivered: 0, captured: 1000 }
  expect(unmet(table({ processExit: lost, kill: lost }, { outage: lost }))).toEqual([])
})

it('tells how many times ours a figure of the others is', () => {
  expect(table({}).find((line) => line.startsWith('| other'))).toContain('| 900 (3.0x) |')
})
