import { expect, it } from 'vitest'
import { planTable, PLAN_BEGIN, PLAN_END } from './plan-table.mjs'
import { scaleTable, SCALE_BEGIN, SCALE_END } from './scale-table.mjs'
import { RESULTS } from './scale/results-fixture.ts'
import { simulationTable, SIMULATION_BEGIN, SIMULATION_END } from './simulation-table.mjs'

it('shows the figures of each number of nodes side by side', () => {
  const table = scaleTable(RESULTS.scale)
  expect(table).toContain('| indexed from a backlog | 5,000/s | 12,000/s |')
  expect(table).toContain('| ClickHouse: meanwhile, from the backlog | 100, 100 | 300, 100 |')
  expect(table).toContain('| cores in use: meanwhile, from the backlog | 1.5, 2.0 | 1.5, 2.0 |')
})

it('says what saturates first, here and on machines of their own', () => {
  const table = scaleTable(RESULTS.scale)
  expect(table).toContain(
    '- 1 node: here the two cores are in use. With machines of their own, first the indexers (5,000/s), then',
  )
  expect(table).toContain(
    '- 3 nodes: here the two cores are in use. With machines of their own, first ClickHouse (6,667/s), then',
  )
  const alone = RESULTS.scale.nodes[0]!
  const idle = { ...alone, backlog: { ...alone.backlog, cores: { indexer: 0.5, clickHouse: 0.4, others: 0 } } }
  expect(scaleTable({ ...RESULTS.scale, nodes: [idle] })).toContain(
    '- 1 node: here 0.9 of two cores are in use, and the indexer waits for answers.',
  )
})

it('says that other programs used the machine', () => {
  const alone = RESULTS.scale.nodes[0]!
  const busy = { ...alone, backlog: { ...alone.backlog, cores: { indexer: 1, others: 1 } } }
  expect(scaleTable({ ...RESULTS.scale, nodes: [busy] })).toContain(
    'here the two cores are in use, 1.0 of them by other programs.',
  )
})

it('writes out the formula of the plan with the measured figures', () => {
  const table = planTable(RESULTS)
  expect(table).toContain('cores of ClickHouse = (r × 100 µs + n × 0.1) / 0.5')
  expect(table).toContain('| nodes of 2 cores, `n` | 3 | 3 | 63 |')
  expect(table).toContain('| disk of PostgreSQL per month | 10 MB | 10 GB | 1 TB |')
})

it('simulates no loss but that of a disk', () => {
  const rows = simulationTable(RESULTS)
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(2)
  const lost = rows.map((line) => line.split(' | ').at(-1))
  expect(lost.slice(0, -1).every((cell) => cell === '0 |')).toBe(true)
  expect(lost.at(-1)).toMatch(/^[1-9][\d,]* \|$/)
})

it('leaves out what was not measured yet', () => {
  expect(scaleTable(undefined)).toBe(`${SCALE_BEGIN}\n${SCALE_END}`)
  expect(planTable({})).toBe(`${PLAN_BEGIN}\n${PLAN_END}`)
  expect(simulationTable({})).toBe(`${SIMULATION_BEGIN}\n${SIMULATION_END}`)
})
