import { isRecord } from '../../../wire/json.ts'
import type { JsonObject } from '../../../wire/json.ts'

/** Nodes of the protocol that show the answer to their `source`. */
const WRAPPERS: ReadonlySet<unknown> = new Set(['InsightVizNode', 'DataTableNode', 'DataVisualizationNode'])

/** The query that is asked, without the nodes that only show its answer. */
export const unwrapQuery = (query: JsonObject): JsonObject => {
  let asked = query
  // No recursion: a client chooses how many nodes there are.
  while (WRAPPERS.has(asked['kind']) && isRecord(asked['source'])) asked = asked['source']
  return asked
}
