import { isRecord } from '../../wire/json.ts'
import type { Json, JsonObject } from '../../wire/json.ts'
import { isNonEmptyString } from '../../wire/is-non-empty-string.ts'

const TITLES: Readonly<Record<string, string>> = {
  TrendsQuery: 'Trend',
  FunnelsQuery: 'Funnel',
  RetentionQuery: 'Retention',
  PathsQuery: 'Paths',
  StickinessQuery: 'Stickiness',
  LifecycleQuery: 'Lifecycle',
}

/** Series that a name lists. */
const MAX_NAMES = 3

const nameOf = (node: Json): string => {
  if (!isRecord(node)) return ''
  return [node['custom_name'], node['name'], node['event']].find(isNonEmptyString) ?? 'all events'
}

/** A name for an insight that people have not named, from what it asks: `Trend of $pageview, buy`. Null for SQL. */
export const deriveInsightName = (query: JsonObject): string | null => {
  const { kind, source, series } = query
  if (isRecord(source)) return deriveInsightName(source)
  const title = typeof kind === 'string' && Object.hasOwn(TITLES, kind) ? TITLES[kind]! : null
  if (title === null || !Array.isArray(series) || series.length === 0) return title
  const names = (series as readonly Json[]).slice(0, MAX_NAMES).map(nameOf)
  return `${title} of ${names.join(', ')}${series.length > MAX_NAMES ? ', …' : ''}`
}
