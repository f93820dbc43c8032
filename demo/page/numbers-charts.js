import { element, svg } from './element.js'

const WIDTH = 600
const HEIGHT = 150
/** Room above the highest point, in units of the chart. */
const MARGIN = 8

/**
 * Creates a line chart with a text alternative.
 *
 * @param {readonly { name: string, data: readonly number[], labels: readonly string[] }[]} lines
 */
export const createLineChart = (lines) => {
  const max = Math.max(1, ...lines.flatMap(({ data }) => data))
  const toPoint = (value, index, { length }) => {
    const x = length < 2 ? 0 : (index * WIDTH) / (length - 1)
    return `${x.toFixed(1)},${(HEIGHT - 1 - (value * (HEIGHT - MARGIN)) / max).toFixed(1)}`
  }
  const toPoints = (data) => {
    // A single point is a line across the chart, or nothing would be seen.
    const points = data.length === 1 ? [data[0], data[0]] : data
    return points.map(toPoint).join(' ')
  }
  const text = lines
    .map(({ name, data }) => `${name}: ${sum(data)}, at most ${Math.max(0, ...data)} an hour`)
    .join('. ')
  return element(
    'div',
    {},
    svg(
      'svg',
      {
        class: 'trend-lines',
        viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
        preserveAspectRatio: 'none',
        role: 'img',
        'aria-label': text,
      },
      ...[0.25, 0.5, 0.75].map((share) =>
        svg('line', { class: 'grid', x1: 0, x2: WIDTH, y1: HEIGHT * share, y2: HEIGHT * share }),
      ),
      ...lines.map(({ data }, index) => svg('polyline', { class: `line-${index}`, points: toPoints(data) })),
    ),
    element(
      'p',
      { class: 'axis', 'aria-hidden': 'true' },
      element('span', {}, lines[0].labels[0] ?? ''),
      element('span', {}, `at most ${max}`),
      element('span', {}, lines[0].labels.at(-1) ?? ''),
    ),
  )
}

/** Creates the entries of a legend, with the sum of each line. */
export const createLegend = (lines) =>
  lines.map(({ name, data }, index) =>
    element(
      'span',
      {},
      svg(
        'svg',
        { viewBox: '0 0 14 6', 'aria-hidden': 'true' },
        svg('line', { class: `line-${index}`, x1: 0, x2: 14, y1: 3, y2: 3 }),
      ),
      `${name}: ${sum(data)}`,
    ),
  )

/**
 * Creates the steps of a funnel.
 *
 * @param {readonly { name: string, count: number, average_conversion_time: number | null }[]} steps
 */
export const createFunnel = (steps) => {
  const first = steps[0]?.count ?? 0
  return steps.map(({ name, count, average_conversion_time: seconds }) => {
    const share = first === 0 ? 0 : count / first
    return element(
      'li',
      {},
      element(
        'div',
        { class: 'step' },
        element('span', {}, name),
        element('span', {}, `${count} (${formatShare(share)})`),
      ),
      svg(
        'svg',
        { viewBox: '0 0 100 6', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
        svg('rect', { class: 'all', width: 100, height: 6 }),
        svg('rect', { class: 'reached', width: share * 100, height: 6 }),
      ),
      ...(typeof seconds === 'number'
        ? [element('span', { class: 'took' }, `${formatSeconds(seconds)} later on average`)]
        : []),
    )
  })
}

/**
 * Creates the head and the rows of a table of retention.
 *
 * @param {readonly { date: string, values: readonly { count: number }[] }[]} cohorts
 */
export const createRetention = (cohorts) => {
  const columns = Math.max(0, ...cohorts.map(({ values }) => values.length))
  const head = element(
    'tr',
    {},
    element('th', { scope: 'col' }, 'Day'),
    element('th', { scope: 'col' }, 'Visitors'),
    ...Array.from({ length: Math.max(0, columns - 1) }, (_, index) => element('th', { scope: 'col' }, `+${index + 1}`)),
  )
  const rows = cohorts.map(({ date, values }) => {
    const [size = { count: 0 }, ...later] = values
    return element(
      'tr',
      {},
      element('th', { scope: 'row' }, date.slice(0, 10)),
      element('td', {}, String(size.count)),
      ...later.map(({ count }) => element('td', {}, size.count === 0 ? '–' : formatShare(count / size.count))),
    )
  })
  return { head, rows }
}

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0)

const formatShare = (share) => `${Math.round(share * 100)} %`

const formatSeconds = (seconds) => {
  if (seconds < 90) return `${Math.round(seconds)} s`
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`
}
