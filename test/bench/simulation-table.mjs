import { NODES, simulateScenarios } from './simulation/scenarios.mjs'
import { row, rule, thousands } from './table.mjs'

/** The lines around the table in the README. */
export const SIMULATION_BEGIN = '<!-- simulation: written by `npm run bench` -->'
export const SIMULATION_END = '<!-- end of simulation -->'

/**
 * Formats what happens to 100 nodes when parts fail. It is simulated each time, from the measured figures.
 *
 * @param {any} results The contents of results.json. Without `scale` the table is left out.
 */
export const simulationTable = (results) => {
  if (results.scale === undefined) return [SIMULATION_BEGIN, SIMULATION_END].join('\n')
  const { installation, scenarios } = simulateScenarios(results)
  const head = [
    `${NODES} nodes, ${thousands(installation.arrivalsPerSecond)} events/s`,
    'longest lag, s',
    'p99 lag, s',
    'largest inbox of a node, MB',
    'most events at clients',
    'usual again after the end, s',
    'lost',
  ]
  const rows = scenarios.map(({ name, result: scenario }) => [
    name,
    thousands(scenario.maxLagSeconds),
    thousands(scenario.p99LagSeconds),
    thousands(Math.ceil(scenario.peakInboxBytes / 1e6)),
    thousands(scenario.peakAtClients),
    scenario.recoveredAfterSeconds === null ? 'not in time' : thousands(scenario.recoveredAfterSeconds),
    thousands(scenario.lost),
  ])
  return [SIMULATION_BEGIN, '', row(head), rule(head), ...rows.map(row), '', SIMULATION_END].join('\n')
}
