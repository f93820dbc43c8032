import type { TSchema } from 'typebox'
import type { FilterContext } from './filter/filter-context.ts'
import { answerPathsQuery } from './paths/answer-paths.ts'
import type { Ask } from './question/questions.ts'
import { PathsQuerySchema } from './schema/paths-query.ts'
import type { PathsQuery } from './schema/paths-query.ts'
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
const paths: InsightKind<PathsQuery> = { schema: PathsQuerySchema, answer: answerPathsQuery }

/** The kinds of insights by their names in the protocol. */
export const INSIGHT_KINDS: ReadonlyMap<string, InsightKind> = new Map<string, InsightKind>([
  ['TrendsQuery', trends],
  ['PathsQuery', paths],
])
