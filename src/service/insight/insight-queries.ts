import type { TSchema } from 'typebox'
import type { JsonObject } from '../../wire/json.ts'
import { answerActorsQuery } from './actors/answer-actors.ts'
import { answerEventsQuery } from './events/answer-events.ts'
import type { FilterContext } from './filter/filter-context.ts'
import { answerFunnels } from './funnel/answer-funnels.ts'
import type { Ask } from './question/questions.ts'
import { FunnelsQuerySchema } from './schema/funnels-query.ts'
import type { FunnelsQuery } from './schema/funnels-query.ts'
import { answerLifecycle } from './lifecycle/answer-lifecycle.ts'
import { answerRetention } from './retention/answer-retention.ts'
import { LifecycleQuerySchema } from './schema/lifecycle-query.ts'
import type { LifecycleQuery } from './schema/lifecycle-query.ts'
import { RetentionQuerySchema } from './schema/retention-query.ts'
import type { RetentionQuery } from './schema/retention-query.ts'
import { StickinessQuerySchema } from './schema/stickiness-query.ts'
import type { StickinessQuery } from './schema/stickiness-query.ts'
import { answerPathsQuery } from './paths/answer-paths.ts'
import { ActorsQuerySchema, narrowActorsQuery } from './schema/actors-query.ts'
import type { ActorsQuery } from './schema/actors-query.ts'
import { EventsQuerySchema } from './schema/events-query.ts'
import type { EventsQuery } from './schema/events-query.ts'
import { PathsQuerySchema } from './schema/paths-query.ts'
import type { PathsQuery } from './schema/paths-query.ts'
import { TrendsQuerySchema } from './schema/trends-query.ts'
import type { TrendsQuery } from './schema/trends-query.ts'
import { answerStickiness } from './stickiness/answer-stickiness.ts'
import { answerTrends } from './trends/answer-trends.ts'

/** How queries of one kind are checked and answered. */
export interface InsightKind<Query = never> {
  readonly schema: TSchema
  /** A schema with the alternatives of this one that a query chooses by their names, for better errors. */
  readonly narrow?: (query: JsonObject) => TSchema
  /** Whether an answer is an object with `results` and further fields of the response, instead of the results alone. */
  readonly hasFields?: boolean
  /** Answers a query that the schema allows. Throws `FilterError`; rejects with `QueryError`. */
  readonly answer: (query: Query, context: FilterContext, ask: Ask) => Promise<unknown>
}

const trends: InsightKind<TrendsQuery> = { schema: TrendsQuerySchema, answer: answerTrends }
const funnels: InsightKind<FunnelsQuery> = { schema: FunnelsQuerySchema, answer: answerFunnels }
const retention: InsightKind<RetentionQuery> = { schema: RetentionQuerySchema, answer: answerRetention }
const stickiness: InsightKind<StickinessQuery> = { schema: StickinessQuerySchema, answer: answerStickiness }
const lifecycle: InsightKind<LifecycleQuery> = { schema: LifecycleQuerySchema, answer: answerLifecycle }
const actors: InsightKind<ActorsQuery> = {
  schema: ActorsQuerySchema,
  narrow: narrowActorsQuery,
  hasFields: true,
  answer: answerActorsQuery,
}
const events: InsightKind<EventsQuery> = { schema: EventsQuerySchema, hasFields: true, answer: answerEventsQuery }
const paths: InsightKind<PathsQuery> = { schema: PathsQuerySchema, answer: answerPathsQuery }

/** The kinds of insights by their names in the protocol. */
export const INSIGHT_KINDS: ReadonlyMap<string, InsightKind> = new Map<string, InsightKind>([
  ['TrendsQuery', trends],
  ['FunnelsQuery', funnels],
  ['RetentionQuery', retention],
  ['StickinessQuery', stickiness],
  ['LifecycleQuery', lifecycle],
  ['PathsQuery', paths],
  ['ActorsQuery', actors],
  ['EventsQuery', events],
])
