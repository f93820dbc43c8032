/**
 * The measured queries, as analysts write them. Goals are the p95 over 10 million events of 90 days.
 *
 * @typedef {object} BenchQuery
 * @property {string} name
 * @property {string | ((personId: string) => string)} sql
 * @property {number} goalMs
 */

const byProperty = (expression) => `SELECT ${expression} AS value, count(*) FROM events GROUP BY value ORDER BY 2 DESC`

/** Persons who did the steps in this order, each within a week after the step before. */
const FUNNEL = `
  WITH viewed AS (
    SELECT person_id, min(timestamp) AS viewed_at FROM events WHERE event = 'product viewed' GROUP BY person_id),
  changed AS (
    SELECT person_id, min(timestamp) AS changed_at FROM events JOIN viewed USING (person_id)
    WHERE event = 'cart changed' AND timestamp > viewed_at AND timestamp <= viewed_at + INTERVAL 7 DAY GROUP BY person_id),
  bought AS (
    SELECT person_id FROM events JOIN changed USING (person_id)
    WHERE event = 'bought' AND timestamp > changed_at AND timestamp <= changed_at + INTERVAL 7 DAY GROUP BY person_id)
  SELECT (SELECT count(*) FROM viewed), (SELECT count(*) FROM changed), (SELECT count(*) FROM bought)`

const PROPERTY_GOAL_MS = 200

/** @type {readonly BenchQuery[]} */
export const QUERIES = [
  {
    name: 'count by day',
    sql: "SELECT date_trunc('day', timestamp) AS day, count(*) FROM events GROUP BY day ORDER BY day",
    goalMs: 100,
  },
  {
    name: 'unique persons by day',
    sql: "SELECT date_trunc('day', timestamp) AS day, count(DISTINCT person_id) FROM events GROUP BY day ORDER BY day",
    goalMs: 700,
  },
  {
    name: "frequent property: `properties->>'$browser'`",
    sql: byProperty("properties->>'$browser'"),
    goalMs: PROPERTY_GOAL_MS,
  },
  {
    name: "the same: `json_extract_string(properties, '$browser')`",
    sql: byProperty("json_extract_string(properties, '$browser')"),
    goalMs: PROPERTY_GOAL_MS,
  },
  {
    name: 'the same: `properties->>\'$."$browser"\'`',
    sql: byProperty('properties->>\'$."$browser"\''),
    goalMs: PROPERTY_GOAL_MS,
  },
  {
    name: 'the same, in a CTE',
    sql: `WITH visits AS (SELECT properties AS fields FROM events) ${byProperty("fields->>'$browser'").replace('FROM events', 'FROM visits')}`,
    goalMs: PROPERTY_GOAL_MS,
  },
  { name: 'the same: its column `"$browser"`', sql: byProperty('"$browser"'), goalMs: PROPERTY_GOAL_MS },
  {
    name: "frequent property of the site: `properties->>'plan'`",
    sql: byProperty("properties->>'plan'"),
    goalMs: PROPERTY_GOAL_MS,
  },
  {
    name: "rare property: `properties->>'coupon'`",
    sql: `SELECT properties->>'coupon' AS value, count(*) FROM events WHERE (properties->>'coupon') IS NOT NULL GROUP BY value`,
    goalMs: 3000,
  },
  { name: 'funnel of three steps', sql: FUNNEL, goalMs: 800 },
  {
    name: "one person's timeline",
    sql: (personId) =>
      `SELECT timestamp, event, properties FROM events WHERE person_id = '${personId}' ORDER BY timestamp DESC LIMIT 100`,
    goalMs: 100,
  },
  {
    name: 'newest 100 events',
    sql: 'SELECT timestamp, event, distinct_id, properties FROM events ORDER BY timestamp DESC LIMIT 100',
    goalMs: 50,
  },
]
