/** Cores of a server of PostgreSQL or ClickHouse of its own, as many as the machine of the bench has. */
const SERVER_CORES = 2

/** Events per second and core, if they take so much CPU time each. */
const perCore = (microsecondsPerEvent) => 1e6 / microsecondsPerEvent

/**
 * Events per second that one node takes: as many as its front acknowledges with a core, and not more than its indexer
 * has stored from a backlog while no client used the machine. The second includes the time for which the indexer waits for the stores.
 *
 * @param {any} scale The part `scale` of results.json.
 */
export const findNodeRate = ({ nodes: [alone] }) =>
  Math.min(perCore(alone.together.cpuPerEvent.front), alone.backlog.eventsPerSecond)

/**
 * Events per second that each part takes, if all have machines of their own: least first.
 *
 * @param {any} scale The part `scale` of results.json.
 * @param {number} nodeCount One that was measured.
 */
export const findLimits = (scale, nodeCount) => {
  const { cpuPerEvent } = scale.nodes.find(({ nodes }) => nodes === nodeCount).together
  return [
    { part: 'the fronts', eventsPerSecond: nodeCount * perCore(cpuPerEvent.front) },
    { part: 'the indexers', eventsPerSecond: nodeCount * scale.nodes[0].backlog.eventsPerSecond },
    { part: 'PostgreSQL', eventsPerSecond: SERVER_CORES * perCore(cpuPerEvent.postgres) },
    { part: 'ClickHouse', eventsPerSecond: SERVER_CORES * perCore(cpuPerEvent.clickHouse) },
  ].toSorted((a, b) => a.eventsPerSecond - b.eventsPerSecond)
}
