import { expect, it } from 'vitest'
import { findLimits, findNodeRate } from './find-limits.mjs'
import { planInstallation } from './plan-installation.mjs'
import { RESULTS } from './results-fixture.ts'

/** 10,000 events/s in the busiest hour. */
const EVENTS_PER_MONTH = 2_592_000 * 2500

it('takes the rate of a node from its backlog, or from its front if that is slower', () => {
  expect(findNodeRate(RESULTS.scale)).toBe(5000)
  const [alone] = RESULTS.scale.nodes
  const slowFront = { ...alone, together: { cpuPerEvent: { front: 1000 } } }
  expect(findNodeRate({ nodes: [slowFront] })).toBe(1000)
})

it('derives nodes, disks and cores at half of what they take', () => {
  const plan = planInstallation(RESULTS, EVENTS_PER_MONTH)
  expect(plan).toMatchObject({
    eventsPerSecond: 10_000,
    fitsOneMachine: true,
    nodes: 5,
    inboxBytesPerNode: 2500 * 200 * 4 * 3600,
    newPersons: EVENTS_PER_MONTH * 0.02,
    clickHouseBytesPerMonth: EVENTS_PER_MONTH * (150 + 0.02 * 100),
    postgresBytesPerMonth: EVENTS_PER_MONTH * 0.02 * 500,
  })
  // 100 µs per event, and a tenth of a core for each node: two nodes more took 0.2 cores more.
  expect(plan.clickHouseCores).toBeCloseTo((10_000 * 100e-6 + 5 * 0.1) / 0.5)
  expect(plan.postgresCores).toBeCloseTo((10_000 * 10e-6) / 0.5)
})

it('has three nodes at least, and says where one machine is not enough', () => {
  expect(planInstallation(RESULTS, 1)).toMatchObject({ nodes: 3, fitsOneMachine: true })
  expect(planInstallation(RESULTS, 1e11)).toMatchObject({ fitsOneMachine: false })
})

it('lists first what takes the fewest events', () => {
  expect(findLimits(RESULTS.scale, 1).map(({ part, eventsPerSecond }) => [part, Math.round(eventsPerSecond)])).toEqual([
    ['the indexers', 5000],
    ['the fronts', 20_000],
    ['ClickHouse', 20_000],
    ['PostgreSQL', 200_000],
  ])
  expect(findLimits(RESULTS.scale, 3)[0]).toMatchObject({ part: 'ClickHouse' })
})
