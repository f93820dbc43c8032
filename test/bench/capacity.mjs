import { row, rule } from './table.mjs'

/** The lines around the texts in the READMEs. */
export const CAPACITY_BEGIN = '<!-- capacity: written by `npm run bench` -->'
export const CAPACITY_END = '<!-- end of capacity -->'

/** Times the mean of a day that its busiest hour may have. */
export const BUSIEST_HOUR_FACTOR = 4

const SECONDS_PER_DAY = 86_400
const DAYS_PER_MONTH = 30

export const SECONDS_PER_MONTH = SECONDS_PER_DAY * DAYS_PER_MONTH

/**
 * Derives what a machine takes from the measured rates.
 *
 * - 2 cores, measured: what the indexer stores while the front acknowledges as much as it can and the clients share the machine, and not
 *   more than from a backlog of all events, which takes much longer.
 * - 4 cores, estimated: front and indexer have cores of their own, so each reaches the rate at which it works alone on two cores. The slower
 *   one counts.
 * - 8 cores: no more, because one indexer stores all events of a machine.
 *
 * @param {any} results The contents of results.json.
 */
export const deriveCapacity = ({ service: { site } }) => {
  const { acknowledged, backlog } = site
  const shared = Math.min(acknowledged.eventsPerSecond, acknowledged.indexedPerSecond, backlog.eventsPerSecond)
  const separate = Math.max(shared, Math.min(backlog.acknowledgedPerSecond, backlog.eventsPerSecond))
  const ratesByCores = { 2: shared, 4: separate, 8: separate }
  return Object.entries(ratesByCores).map(([cores, eventsPerSecond]) => {
    const eventsPerDay = (eventsPerSecond * SECONDS_PER_DAY) / BUSIEST_HOUR_FACTOR
    return {
      cores,
      eventsPerSecond,
      eventsPerDay,
      eventsPerMonth: eventsPerDay * DAYS_PER_MONTH,
      diskBytesPerMonth: eventsPerDay * DAYS_PER_MONTH * backlog.bytesPerEvent,
    }
  })
}

/**
 * Formats the capacity as the table of the service's README.
 *
 * @param {any} results The contents of results.json.
 */
export const capacityTable = (results) => {
  const head = ['cores', 'sustained events/s', 'events per day', 'events per month', 'disk per month']
  const rows = deriveCapacity(results).map((machine) => [
    machine.cores,
    inWords(machine.eventsPerSecond),
    inWords(machine.eventsPerDay),
    inWords(machine.eventsPerMonth),
    `${inWords(machine.diskBytesPerMonth / 1e9)} GB`,
  ])
  return [CAPACITY_BEGIN, '', row(head), rule(head), ...rows.map(row), '', CAPACITY_END].join('\n')
}

/**
 * The same in a sentence, for the root README.
 *
 * @param {any} results The contents of results.json.
 */
export const capacitySentence = (results) => {
  const [{ cores, eventsPerDay }] = deriveCapacity(results)
  const sentence = `A machine of ${cores} cores takes about ${inWords(eventsPerDay)} events per day:\n[capacity](src/service/README.md#capacity).`
  return [CAPACITY_BEGIN, sentence, CAPACITY_END].join('\n')
}

/** Rounds down to two digits, because the figures differ between machines by much more than the rest. */
export const inWords = (value) => {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(value)) - 1)
  const rounded = Math.floor(value / unit) * unit
  if (rounded >= 1e9) return `${rounded / 1e9} billion`
  return rounded >= 1e6 ? `${rounded / 1e6} million` : rounded.toLocaleString('en-US')
}
