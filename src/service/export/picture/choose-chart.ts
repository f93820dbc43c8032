import { isRecord } from '../../../wire/json.ts'
import type { Json, JsonObject } from '../../../wire/json.ts'
import type { Chart } from './chart.ts'
import { NO_DATA } from './chart.ts'
import { chooseFunnel } from './choice/choose-funnel.ts'
import { chooseLifecycle } from './choice/choose-lifecycle.ts'
import { choosePaths } from './choice/choose-paths.ts'
import { chooseRetention } from './choice/choose-retention.ts'
import { chooseStickiness } from './choice/choose-stickiness.ts'
import { chooseTable } from './choice/choose-table.ts'
import { chooseTrends } from './choice/choose-trends.ts'
import { toList, toRecord, toRecords, toText } from './choice/read-json.ts'
import type { InsightTile } from './picture.ts'

/** Chooses what to draw for the answer to a query. */
export const chooseChart = ({ query, answer, error }: InsightTile): Chart => {
  if (error !== undefined) return { kind: 'message', tone: 'error', text: error }
  const fields = toRecord(answer)
  const reason = toText(fields['error'])
  if (reason !== '') return { kind: 'message', tone: 'error', text: reason }
  const results = fields['results'] ?? fields['result']
  if (results === undefined || results === null) return NO_DATA
  const source = unwrap(query)
  switch (source['kind']) {
    case 'TrendsQuery':
      return chooseTrends(source, fields, toRecords(results))
    case 'FunnelsQuery':
      return chooseFunnel(source, fields, results)
    case 'RetentionQuery':
      return chooseRetention(source, toRecords(results))
    case 'StickinessQuery':
      return chooseStickiness(toRecords(results))
    case 'LifecycleQuery':
      return chooseLifecycle(source, toRecords(results))
    case 'PathsQuery':
      return choosePaths(toRecords(results))
    default:
      return chooseTable(fields, toList(results))
  }
}

/** Nodes of the protocol that tell how the answer to their `source` is shown. */
const WRAPPERS: ReadonlySet<unknown> = new Set(['InsightVizNode', 'DataTableNode', 'DataVisualizationNode'])

/** SQL alone is a string. */
const unwrap = (query: Json): JsonObject => {
  let node = toRecord(query)
  while (WRAPPERS.has(node['kind']) && isRecord(node['source'])) node = node['source']
  return node
}
