import type { TSchema } from 'typebox'
import type { FilterContext } from './filter/filter-context.ts'
import { answerFunnels } from './funnel/answer-funnels.ts'
import type { Ask } from './question/questions.ts'
import { FunnelsQuerySchema } from './schema/funnels-query.ts'
import type { FunnelsQuery } from './schema/funnels-query.ts'
import { TrendsQuerySchema } from './schema/trends-query.ts'
import type { TrendsQuery } from './schema/trends-query.ts'
import { answerTrends } from './trends/answer-trends.ts'

/** How queries of one kind are checked and answered. */
export interface InsightKind<Query = never> {
  readonly schema: TSchema
  /** Answers a query that the schema allows. Throws `FilterError`; rejects with `QueryError`. */
  readonly answer: (query: Query, context: FilterContext, ask: Ask) => Promise<unknown>
}

const trends: InsightKind<TrendsQuery> = { schema: TrendsQuerySchema, answer: answerTrends }
const funnels: InsightKind<FunnelsQuery> = { schema: FunnelsQuerySchema, answer: answerFunnels }

/** The kinds of insights by their names in the protocol. */
export const INSIGHT_KINDS: ReadonlyMap<string, InsightKind> = new Map<string, InsightKind>([
  ['TrendsQuery', trends],
  ['FunnelsQuery', funnels],
])
