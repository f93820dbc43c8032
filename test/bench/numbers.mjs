/** Where the README holds the table: between these two lines. */
export const NUMBERS_BEGIN = '<!-- numbers: written by `npm run bench` -->'
export const NUMBERS_END = '<!-- end of numbers -->'

/**
 * The committed results as the README's table.
 *
 * @param {any} results What `npm run bench` has written to results.json.
 */
export function numbersTable({ machine, browser, service, indexer }) {
  const { single, batch, acknowledgedToQueryable } = service
  const steady = indexer.queryableAfterMsAt5000PerSecond
  const rows = [
    ['eval + init of the script, 4x CPU throttle', `${round(browser.initMsAt4xThrottle, 1)} ms`],
    ['`capture()`, mean', `${round(browser.captureMeanMicroseconds, 1)} µs`],
    [
      '5,000 captures, 50 per task',
      `${browser.burst.longTasks} long tasks, ${thousands(browser.burst.delivered)} of ${thousands(browser.burst.captured)} delivered`,
    ],
    ['body bytes per event on the wire', `${round(browser.wireBytesPerEvent, 0)}`],
    [
      `single events acknowledged, ${single.connections} connections, indexer running`,
      `${thousands(single.durable.eventsPerSecond)}/s (${single.ratio} of the same without durability)`,
    ],
    [
      `events acknowledged in gzip batches of ${batch.eventsPerBatch}, ${batch.connections} connections, indexer running`,
      `${thousands(batch.durable.eventsPerSecond)}/s (${batch.ratio} of the same without durability)`,
    ],
    ['acknowledged to queryable', `p50 ${acknowledgedToQueryable.p50Ms} ms, p99 ${acknowledgedToQueryable.p99Ms} ms`],
    ['the same at 5,000 events/s', `p50 ${steady.p50} ms, p99 ${steady.p99} ms`],
    ['indexer, working off a backlog', `${thousands(indexer.eventsPerSecond)} events/s`],
  ]
  const lines = rows.map(([what, value]) => `| ${what} | ${value} |`)
  const where = `| measured on ${machine.cores} cores, ${machine.memoryGiB} GiB, Node ${machine.node} | |`
  return [NUMBERS_BEGIN, '', where, '| --- | --- |', ...lines, '', NUMBERS_END].join('\n')
}

/** The README with the table put in its place. */
export function withNumbers(readme, results) {
  const begin = readme.indexOf(NUMBERS_BEGIN)
  const end = readme.indexOf(NUMBERS_END)
  if (begin < 0 || end < begin) throw new Error('The README has no place for the numbers.')
  return readme.slice(0, begin) + numbersTable(results) + readme.slice(end + NUMBERS_END.length)
}

function round(value, digits) {
  return value.toFixed(digits)
}

function thousands(value) {
  return Math.round(value).toLocaleString('en-US')
}
