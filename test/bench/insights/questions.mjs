/**
 * The measured questions, as clients ask the service and as a user of ClickHouse writes them. Goals are the p95 over 10 million events of
 * 90 days.
 *
 * @typedef {object} BenchQuestion
 * @property {string} name
 * @property {object} query For the service.
 * @property {(results: any[]) => readonly Row[]} toRows Brings the service's results to the rows of the SELECT, in any order.
 * @property {string} sql For ClickHouse.
 * @property {number} goalMs
 *
 * @typedef {readonly (string | number | null)[]} Row
 */

const DAY_MS = 86_400_000

/** How long a person may take from the first step of the funnel to the last. */
const WINDOW_DAYS = 7

/** Any 90 days have as many whole weeks. */
const WEEKS = 12

/** The pause in milliseconds that ends a path. */
const PATH_PAUSE_MS = 30 * 60_000

const PATH_STEPS = 5
const PATH_EDGES = 50

/** The service's name for events without the property of a breakdown. */
const NO_VALUE = '$$_posthog_breakdown_null_$$'

const ALL_EVENTS = { kind: 'EventsNode', event: null }
const FUNNEL_STEPS = ['product viewed', 'cart changed', 'bought']

/** The products by their first digit. */
const PAGE_GROUPS = Array.from({ length: 10 }, (_, digit) => `https://shop.example/products/${digit}*`)

/**
 * @param {number} startMs Midnight (UTC) of the first day of the events.
 * @param {number} days
 * @returns {readonly BenchQuestion[]}
 */
export const createQuestions = (startMs, days) => {
  const dateRange = { date_from: toDay(startMs), date_to: toDay(startMs + (days - 1) * DAY_MS) }
  const isInRange = writeRange(startMs, days)
  const trend = (more) => ({ kind: 'TrendsQuery', series: [ALL_EVENTS], dateRange, interval: 'day', ...more })
  const breakdown = (name) =>
    // More values than there are, because a SELECT has no "other".
    trend({ breakdownFilter: { breakdown: name, breakdown_type: 'event', breakdown_limit: 100 } })
  const countByDay = (value) =>
    `SELECT toDate(timestamp) AS day, ${value} AS value, count() FROM events WHERE ${isInRange} GROUP BY day, value`
  return [
    {
      name: 'trend: events by day',
      query: trend({}),
      toRows: toTrendRows,
      sql: `SELECT toDate(timestamp) AS day, count() FROM events WHERE ${isInRange} GROUP BY day`,
      goalMs: 100,
    },
    {
      name: 'trend: unique users by day',
      query: trend({ series: [{ ...ALL_EVENTS, math: 'dau' }] }),
      toRows: toTrendRows,
      sql: `SELECT toDate(timestamp) AS day, uniqExact(person_id) FROM events WHERE ${isInRange} GROUP BY day`,
      goalMs: 700,
    },
    {
      name: 'trend by a frequent property: `$browser`',
      query: breakdown('$browser'),
      toRows: toBreakdownRows,
      sql: countByDay('"$browser"'),
      goalMs: 200,
    },
    {
      name: 'trend by a rare property: `coupon`',
      query: breakdown('coupon'),
      toRows: toBreakdownRows,
      sql: countByDay("nullIf(JSONExtractString(properties, 'coupon'), '')"),
      goalMs: 3000,
    },
    {
      name: 'funnel of three steps within a week',
      query: {
        kind: 'FunnelsQuery',
        series: FUNNEL_STEPS.map((event) => ({ kind: 'EventsNode', event })),
        dateRange,
        funnelsFilter: { funnelWindowInterval: WINDOW_DAYS, funnelWindowIntervalUnit: 'day' },
      },
      toRows: (steps) => [steps.map(({ count }) => count)],
      sql: writeFunnel(isInRange),
      goalMs: 800,
    },
    ...createRetention('retention by week: page views', '$pageview', '$pageview', startMs, days),
    ...createRetention('retention by week: from views to purchases', 'product viewed', 'bought', startMs, days),
    {
      name: 'paths of events',
      query: createPaths({ includeEventTypes: ['custom_event'] }, dateRange),
      toRows: toPathRows,
      sql: writePaths('event', `NOT startsWith(event, '$') AND ${isInRange}`),
      goalMs: 2000,
    },
    {
      name: 'paths of pages, in ten groups',
      query: createPaths({ includeEventTypes: ['$pageview'], pathGroupings: PAGE_GROUPS }, dateRange),
      toRows: toPathRows,
      sql: writePaths(
        `concat(extract("$current_url", '^https://shop\\\\.example/products/[0-9]'), '*')`,
        `event = '$pageview' AND ${isInRange}`,
      ),
      goalMs: 2000,
    },
  ]
}

const toDay = (timeMs) => new Date(timeMs).toISOString().slice(0, 10)

const writeRange = (startMs, days) =>
  `timestamp >= toDateTime64('${toDay(startMs)}', 3, 'UTC') AND timestamp < toDateTime64('${toDay(startMs + days * DAY_MS)}', 3, 'UTC')`

const toTrendRows = ([{ days, data }]) => days.map((day, index) => [day, data[index]]).filter(([, count]) => count > 0)

const toBreakdownRows = (lines) =>
  lines.flatMap((line) => {
    const value = line.breakdown_value === NO_VALUE ? null : line.breakdown_value
    return toTrendRows([line]).map(([day, count]) => [day, value, count])
  })

/** The service also answers the average and median time of each step, which this leaves out. */
const writeFunnel = (isInRange) => {
  const events = FUNNEL_STEPS.map((event) => `event = '${event}'`)
  const levels = FUNNEL_STEPS.map((_, index) => `countIf(level > ${index})`)
  const level = `windowFunnel(${WINDOW_DAYS * DAY_MS})(toUInt64(toUnixTimestamp64Milli(timestamp)), ${events.join(', ')})`
  return `SELECT ${levels.join(', ')} FROM (
    SELECT person_id, ${level} AS level FROM events WHERE (${events.join(' OR ')}) AND ${isInRange} GROUP BY person_id)`
}

/** Who did `target` in one of the last whole weeks (from Sunday), and did `returning` in a later one. */
const createRetention = (name, target, returning, startMs, days) => {
  const daysAfterSunday = new Date(startMs + days * DAY_MS).getUTCDay()
  const endMs = startMs + (days - daysAfterSunday) * DAY_MS
  const isInWeeks = writeRange(endMs - WEEKS * 7 * DAY_MS, WEEKS * 7)
  return [
    {
      name,
      query: {
        kind: 'RetentionQuery',
        dateRange: { date_to: toDay(endMs - DAY_MS) },
        retentionFilter: {
          targetEntity: { id: target },
          returningEntity: { id: returning },
          period: 'Week',
          totalIntervals: WEEKS,
        },
      },
      toRows: toRetentionRows,
      sql: `
        SELECT arrayJoin(starts) AS start, arrayJoin(arrayConcat([start], arrayFilter(week -> week > start, returns))) AS period, count()
        FROM (
          SELECT person_id, groupUniqArrayIf(toStartOfWeek(timestamp), event = '${target}') AS starts,
            groupUniqArrayIf(toStartOfWeek(timestamp), event = '${returning}') AS returns
          FROM events WHERE event IN ('${target}', '${returning}') AND ${isInWeeks} GROUP BY person_id)
        GROUP BY start, period`,
      goalMs: 2000,
    },
  ]
}

const toRetentionRows = (cohorts) => {
  const weeks = cohorts.map(({ date }) => date.slice(0, 10))
  return cohorts.flatMap(({ values }, start) =>
    values
      .map(({ count }, after) => [weeks[start], weeks[start + after], count])
      .filter(([, , count]) => Number(count) > 0),
  )
}

const createPaths = (pathsFilter, dateRange) => ({
  kind: 'PathsQuery',
  dateRange,
  pathsFilter: { ...pathsFilter, stepLimit: PATH_STEPS, edgeLimit: PATH_EDGES },
})

/** Each person's items in order, divided at pauses, without repetitions, and cut to the first steps. */
const writePaths = (item, condition) => `
  SELECT edge.1 AS source, edge.2 AS target, count() AS paths, avg(edge.3)
  FROM (
    SELECT arraySort(groupArray((toUnixTimestamp64Milli(timestamp), UUIDToNum(uuid), ${item}))) AS items,
      arraySplit((item, place) -> place > 1 AND item.1 - items[place - 1].1 >= ${PATH_PAUSE_MS}, items, arrayEnumerate(items)) AS parts,
      arrayJoin(parts) AS part,
      arrayFilter((item, place) -> place = 1 OR item.3 != part[place - 1].3, part, arrayEnumerate(part)) AS changes,
      arraySlice(changes, 1, ${PATH_STEPS}) AS path,
      arrayJoin(arrayMap(
        (step, item, next) -> (concat(toString(step), '_', item.3), concat(toString(step + 1), '_', next.3), next.1 - item.1),
        range(1, length(path)), arrayPopBack(path), arrayPopFront(path))) AS edge
    FROM events WHERE ${condition} GROUP BY person_id)
  GROUP BY source, target ORDER BY paths DESC, source, target LIMIT ${PATH_EDGES}`

const toPathRows = (edges) =>
  edges.map(({ source, target, value, average_conversion_time: averageMs }) => [source, target, value, averageMs])
