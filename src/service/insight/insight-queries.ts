import type { TSchema } from 'typebox'
import { answerActorsQuery } from './actors/answer-actors.ts'
import { answerEventsQuery } from './events/answer-events.ts'
import type { FilterContext } from './filter/filter-context.ts'
import { answerPathsQuery } from './paths/answer-paths.ts'
import type { Ask } from './question/questions.ts'
import { ActorsQuerySchema } from './schema/actors-query.ts'
import type { ActorsQuery } from './schema/actors-query.ts'
import { EventsQuerySchema } from './schema/events-query.ts'
import type { EventsQuery } from './schema/events-query.ts'
import { PathsQuerySchema } from './schema/paths-query.ts'
import type { PathsQuery } from './schema/paths-query.ts'
import { TrendsQuerySchema } from './schema/trends-query.ts'
import type { TrendsQuery } from './schema/trends-query.ts'
import { answerTrends } from './trends/answer-trends.ts'

/** How queries of one kind are checked and answered. */
export interface InsightKind<Query = never> {
  readonly schema: TSchema
  /** Whether an answer is an object with `results` and further fields of the response, instead of the results alone. */
  readonly hasFields?: boolean
  /** Answers a query that the schema allows. Throws `FilterError`; rejects with `QueryError`. */
  readonly answer: (query: Query, context: FilterContext, ask: Ask) => Promise<unknown>
}

const trends: InsightKind<TrendsQuery> = { schema: TrendsQuerySchema, answer: answerTrends }
const actors: InsightKind<ActorsQuery> = { schema: ActorsQuerySchema, hasFields: true, answer: answerActorsQuery }
const events: InsightKind<EventsQuery> = { schema: EventsQuerySchema, hasFields: true, answer: answerEventsQuery }
const paths: InsightKind<PathsQuery> = { schema: PathsQuerySchema, answer: answerPathsQuery }

/** The kinds of insights by their names in the protocol. */
export const INSIGHT_KINDS: ReadonlyMap<string, InsightKind> = new Map<string, InsightKind>([
  ['TrendsQuery', trends],
  ['PathsQuery', paths],
  ['ActorsQuery', actors],
  ['EventsQuery', events],
])
