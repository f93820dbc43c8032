import { OURS } from './flags/names.mjs'
import { row, rule, thousands, times, verdict } from './table.mjs'

/** Where the README holds the comparison of evaluators: between these two lines. */
export const FLAGS_BEGIN = '<!-- flags: written by `npm run bench` -->'
export const FLAGS_END = '<!-- end of flags -->'

/**
 * Heading, key in the results, and the most nanoseconds that the design allows.
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
 * Heading, key in the results, and whether it is what the design calls the hot path: nothing may be allocated there.
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

/** Bytes of a call that are the measurement's own: an object takes more. */
const NOTHING_BYTES = 8

/**
 * The committed results of the flags bench as the README's table, and a line for each goal.
 *
 * @param {any} flags What `npm run bench` has written to results.json under `flags`.
 */
export const flagsTable = ({ packages, sameValues, bytesPerCall: { evaluation, withContext } }) => {
  const ours = packages.find(({ name, way }) => name === OURS && !way)
  const cells = (each) => [
    `${each.name} ${each.version}${each.way ? `, ${each.way}` : ''}`,
    ...COLUMNS.map(([, key]) => {
      const value = each.nanoseconds[key]
      return each.name === OURS
        ? value.toLocaleString('en-US')
        : `${rough(value)} (${times(value / ours.nanoseconds[key])})`
    }),
  ]
  const goals = COLUMNS.map(([what, key, bound]) => {
    const value = ours.nanoseconds[key]
    return `- ${what}: ${duration(value)}; goal ≤ ${duration(bound)}: ${verdict(value <= bound)}`
  })
  const spreadOf = (chosen) => Math.round(100 * Math.max(...chosen.flatMap(({ spread }) => Object.values(spread))))
  const [own, others] = [packages.filter(({ name }) => name === OURS), packages.filter(({ name }) => name !== OURS)]
  const bytes = (figures) => KINDS.map(([, key]) => Math.round(figures[key]).toLocaleString('en-US'))
  const isBare = KINDS.every(([, key, isHot]) => !isHot || evaluation[key] < NOTHING_BYTES)
  const hot = KINDS.filter(([, , isHot]) => isHot).map(([heading]) => heading)
  return [
    FLAGS_BEGIN,
    '',
    row(['nanoseconds per call', ...COLUMNS.map(([heading]) => heading)]),
    rule(['', ...COLUMNS]),
    ...packages.map((each) => row(cells(each))),
    '',
    `"(2.0x)": twice ours. ${thousands(sameValues)} values of the packages that share our buckets were compared with ours; all were the same. Half of the rounds lie within ${spreadOf(own)} % of one another for ours, ${spreadOf(others)} % for the others, at most.`,
    '',
    ...goals,
    `- nothing allocated by an evaluation on the hot path (${hot.join(', ')}): ${verdict(isBare)}`,
    '',
    row(['bytes left on the heap by one call', ...KINDS.map(([heading]) => heading)]),
    rule(['', ...KINDS]),
    row(['context made before', ...bytes(evaluation)]),
    row(['context made in the call', ...bytes(withContext)]),
    '',
    'Counted while nothing was collected. Off the hot path: flags that depend on another flag, and operators that read a text of the person or group: one with capitals, a date, a version, one for a pattern.',
    '',
    FLAGS_END,
  ].join('\n')
}

const duration = (nanoseconds) => (nanoseconds < 1000 ? `${nanoseconds} ns` : `${nanoseconds / 1000} µs`)

/** No more digits than such a figure can be had with again. */
const rough = (value) => Number(value.toPrecision(2)).toLocaleString('en-US')
