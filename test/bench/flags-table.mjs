import { OURS } from './flags/names.mjs'

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
 * The committed results of the flags bench as the README's table, and a line for each goal.
 *
 * @param {any} flags What `npm run bench` has written to results.json under `flags`.
 */
export function flagsTable({ packages, sameValues, bytesPerCall: { evaluation, withContext } }) {
  const ours = packages.find(({ name, way }) => name === OURS && !way)
  const cells = (each) => [
    `${each.name} ${each.version}${each.way ? `, ${each.way}` : ''}`,
    ...COLUMNS.map(([, key]) => {
      const value = each.nanoseconds[key]
      const text = value.toLocaleString('en-US')
      return each.name === OURS ? text : `${text} (${times(value / ours.nanoseconds[key])})`
    }),
  ]
  const goals = COLUMNS.map(([what, key, bound]) => {
    const value = ours.nanoseconds[key]
    return `- ${what}: ${duration(value)}; goal ≤ ${duration(bound)}: **${value <= bound ? 'met' : 'not met'}**`
  })
  const bytes = ({ boolean, rollout, fiveFilters }) =>
    [boolean, rollout, fiveFilters].map((value) => Math.round(value)).join(' / ')
  const isBare = Object.values(evaluation).every((value) => value < 8)
  return [
    FLAGS_BEGIN,
    '',
    row(['nanoseconds per call', ...COLUMNS.map(([heading]) => heading)]),
    row(['---', ...COLUMNS.map(() => '---')]),
    ...packages.map((each) => row(cells(each))),
    '',
    `"(2.0x)": twice ours. ${sameValues.toLocaleString('en-US')} values of the packages that share our buckets were compared with ours; all were the same.`,
    '',
    ...goals,
    `- bytes left on the heap by one evaluation, in the order of the first three columns: ${bytes(evaluation)}; goal none: **${isBare ? 'met' : 'not met'}** (with the context made in the call: ${bytes(withContext)})`,
    '',
    FLAGS_END,
  ].join('\n')
}

function row(cells) {
  return `| ${cells.join(' | ')} |`
}

function duration(nanoseconds) {
  return nanoseconds < 1000 ? `${nanoseconds} ns` : `${(nanoseconds / 1000).toFixed(1)} µs`
}

function times(ratio) {
  return `${ratio < 10 ? ratio.toFixed(1) : Math.round(ratio).toLocaleString('en-US')}x`
}
