import type { JsonObject } from '../../wire/json.ts'
import type { QueryWork } from '../query/query-work.ts'
import type { Metadata } from '../store/metadata/open.ts'
import { loadFilterContext } from './filter/load-filter-context.ts'
import type { InsightKind } from './insight-queries.ts'

/** The answer to a query of an insight. */
export interface InsightAnswer {
  /** Depends on the kind. */
  readonly results: unknown
  /** Name of the time zone whose days are meant. */
  readonly timezone: string
  readonly is_cached: boolean
  /** When the answer was computed, in ISO 8601. */
  readonly last_refresh: string
}

/** What an insight's query is answered from. */
export interface InsightWorkOptions {
  readonly metadata: Metadata
  readonly projectId: number
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** @param query Must be what the schema of the kind allows. */
export const createInsightWork = (
  kind: InsightKind,
  query: JsonObject,
  { metadata, projectId, now }: InsightWorkOptions,
): QueryWork<InsightAnswer> => ({
  text: JSON.stringify(query),
  async answer(ask) {
    const context = await loadFilterContext(metadata, projectId, now())
    const answer = await kind.answer(query as never, context, ask)
    const fields = kind.hasFields === true ? (answer as Pick<InsightAnswer, 'results'>) : { results: answer }
    const lastRefresh = new Date(context.now).toISOString()
    return { ...fields, timezone: context.calendar.timeZone, is_cached: false, last_refresh: lastRefresh }
  },
})
