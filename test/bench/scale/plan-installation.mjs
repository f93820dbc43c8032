import { BUSIEST_HOUR_FACTOR, deriveCapacity, SECONDS_PER_MONTH } from '../capacity.mjs'
import { findNodeRate } from './find-limits.mjs'

/** Part of its rate that each part of an installation uses in the busiest hour: a backlog is then worked off as fast as it has grown. */
export const USED_SHARE = 0.5

/** Two that work while one is replaced. */
const MIN_NODES = 3

/** How long the stores may be away in the busiest hours until a node refuses events. */
export const OUTAGE_HOURS = 4

/** Share of the events that are the first of a new person, in the events of the bench. */
const NEW_PERSONS_PER_EVENT = 0.02

/** Bytes that an event takes in the inbox while it waits. */
export const readInboxBytesPerEvent = ({ service: { site } }) =>
  (site.backlog.inboxReusableMb * 2 ** 20) / site.eventCount

/**
 * The cores that a store uses: for each event, and for each node, whose commits cost something however few events they have. The first is that
 * of one node, which stores a backlog in large blocks. The second is what each further node has added at the same rate of events.
 */
const readCost = ({ nodes }, store) => {
  const [first, last] = [nodes[0], nodes.at(-1)]
  const added = (last.steady.cores[store] - first.steady.cores[store]) / (last.nodes - first.nodes)
  return {
    coresPerEvent: first.backlog.cpuPerEvent[store] / 1e6,
    coresPerNode: last === first ? 0 : Math.max(0, added),
  }
}

/**
 * Derives from the measured figures what a number of events per month needs.
 *
 * @param {any} results The contents of results.json.
 * @param {number} eventsPerMonth
 */
export const planInstallation = (results, eventsPerMonth) => {
  const { scale } = results
  const { stored } = scale
  const eventsPerSecond = (eventsPerMonth / SECONDS_PER_MONTH) * BUSIEST_HOUR_FACTOR
  const nodes = Math.max(MIN_NODES, Math.ceil(eventsPerSecond / (findNodeRate(scale) * USED_SHARE)) + 1)
  const coresOf = (store) => {
    const { coresPerEvent, coresPerNode } = readCost(scale, store)
    return (eventsPerSecond * coresPerEvent + nodes * coresPerNode) / USED_SHARE
  }
  const newPersons = eventsPerMonth * NEW_PERSONS_PER_EVENT
  return {
    eventsPerSecond,
    fitsOneMachine: eventsPerMonth <= deriveCapacity(results)[0].eventsPerMonth,
    nodes,
    // All but one share the events while one is away.
    inboxBytesPerNode: (eventsPerSecond / (nodes - 1)) * readInboxBytesPerEvent(results) * OUTAGE_HOURS * 3600,
    clickHouseCores: coresOf('clickHouse'),
    clickHouseBytesPerMonth:
      eventsPerMonth * stored.clickHouseBytesPerEvent + newPersons * stored.clickHouseBytesPerPerson,
    postgresCores: coresOf('postgres'),
    newPersons,
    postgresBytesPerMonth: newPersons * stored.postgresBytesPerPerson,
  }
}

/** The measured figures of the formula, for its text. */
export const readPlanFigures = (results) => {
  const { scale } = results
  return {
    nodeRate: findNodeRate(scale),
    inboxBytesPerEvent: readInboxBytesPerEvent(results),
    clickHouse: readCost(scale, 'clickHouse'),
    postgres: readCost(scale, 'postgres'),
    ...scale.stored,
  }
}
