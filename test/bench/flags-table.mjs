import { OURS } from './flags/names.mjs'
import { row, rule, thousands, times, verdict } from './table.mjs'

/** The comparison of evaluators is between these two lines of the README. */
export const FLAGS_BEGIN = '<!-- flags: written by `npm run bench` -->'
export const FLAGS_END = '<!-- end of flags -->'

/**
 * Heading, key in the results, and the goal of the design in nanoseconds.
 *
 * @type {readonly [string, string, number][]}
 */
const COLUMNS = [
  ['boolean, 100 %', 'boolean', 250],
  ['rollout, 45 %', 'rollout', 700],
  ['five filters and variants', 'fiveFilters', 1500],
  ['all of 100 flags', 'allFlags', 70_000],
]

/**
 * Heading, key in the results, and whether the design counts it as the hot path, which must not allocate.
 *
 * @type {readonly [string, string, boolean][]}
 */
const KINDS = [
  ['boolean', 'boolean', true],
  ['rollout', 'rollout', true],
  ['five filters', 'fiveFilters', true],
  ['cohort', 'cohort', true],
  ['group', 'group', true],
  ['device', 'device', true],
  ['other flag', 'dependency', false],
  ['capitals', 'capitals', false],
  ['date', 'date', false],
  ['relative date', 'relativeDate', false],
  ['version', 'version', false],
  ['regex', 'regex', false],
]

/** Bytes per call below which the measurement cannot tell an allocation: every object is larger. */
const MEASUREMENT_ERROR_BYTES = 8

/**
 * Formats the committed results of the flags bench as the table of the README, with a line for each goal.
 *
 * @param {any} flags The part `flags` of results.json.
 */
export const flagsTable = ({ packages, sameValues, bytesPerCall: { evaluation, withContext } }) => {
  const ours = packages.find(({ name, way }) => name === OURS && !way)
  const cells = (each) => [
    `${each.name} ${each.version}${each.way ? `, ${each.way}` : ''}`,
    ...COLUMNS.map(([, key]) => {
      const value = each.nanoseconds[key]
      return each.name === OURS
        ? value.toLocaleString('en-US')
        : `${twoDigits(value)} (${times(value / ours.nanoseconds[key])})`
    }),
  ]
  const goals = COLUMNS.map(([name, key, limit]) => {
    const value = ours.nanoseconds[key]
    return `- ${name}: ${duration(value)}; goal ≤ ${duration(limit)}: ${verdict(value <= limit)}`
  })
  const maxSpread = (selected) => Math.round(100 * Math.max(...selected.flatMap(({ spread }) => Object.values(spread))))
  const [own, others] = [packages.filter(({ name }) => name === OURS), packages.filter(({ name }) => name !== OURS)]
  const bytes = (figures) => KINDS.map(([, key]) => Math.round(figures[key]).toLocaleString('en-US'))
  const isAllocationFree = KINDS.every(([, key, isHot]) => !isHot || evaluation[key] < MEASUREMENT_ERROR_BYTES)
  const hot = KINDS.filter(([, , isHot]) => isHot).map(([heading]) => heading)
  return [
    FLAGS_BEGIN,
    '',
    row(['nanoseconds per call', ...COLUMNS.map(([heading]) => heading)]),
    rule(['', ...COLUMNS]),
    ...packages.map((each) => row(cells(each))),
    '',
    `"(2.0x)": twice ours. ${thousands(sameValues)} values of the packages that share our buckets were compared with ours; all were the same. Half of the rounds lie within ${maxSpread(own)} % of one another for ours, ${maxSpread(others)} % for the others, at most.`,
    '',
    ...goals,
    `- nothing allocated by an evaluation on the hot path (${hot.join(', ')}): ${verdict(isAllocationFree)}`,
    '',
    row(['bytes left on the heap by one call', ...KINDS.map(([heading]) => heading)]),
    rule(['', ...KINDS]),
    row(['context made before', ...bytes(evaluation)]),
    row(['context made in the call', ...bytes(withContext)]),
    '',
    'Counted while nothing was collected. Off the hot path: flags that depend on another flag, and operators that read a string of the person or group: one with capitals, a date, a version, a string for a pattern.',
    '',
    FLAGS_END,
  ].join('\n')
}

const duration = (nanoseconds) => (nanoseconds < 1000 ? `${nanoseconds} ns` : `${nanoseconds / 1000} µs`)

/** Two significant digits, because repeated runs differ by more. */
const twoDigits = (value) => Number(value.toPrecision(2)).toLocaleString('en-US')
