import { svg } from './element.js'

/**
 * Creates a bar chart of counts per minute; the latest minute is on the right.
 *
 * @param {readonly number[]} counts
 * @returns {SVGElement} An SVG with a text alternative.
 */
export const createMinuteChart = (counts) => {
  const maxCount = Math.max(1, ...counts)
  const sum = counts.reduce((total, count) => total + count, 0)
  const step = 300 / counts.length
  return svg(
    'svg',
    {
      viewBox: '0 0 300 80',
      preserveAspectRatio: 'none',
      role: 'img',
      'aria-label': `Events per minute: ${sum} in the last ${counts.length} minutes, ${maxCount} in the busiest, ${counts.at(-1)} in this one.`,
    },
    ...[20, 50].map((y) => svg('line', { class: 'grid', x1: 0, x2: 300, y1: y, y2: y })),
    ...counts.map((count, index) => {
      // At least 2 units high, so that one event is visible next to thousands.
      const height = count && Math.max(2, (74 * count) / maxCount)
      return svg('rect', { x: index * step + 1, y: 80 - height, width: step - 2, height })
    }),
  )
}
