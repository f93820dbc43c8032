import type { FilterContext } from '../filter/filter-context.ts'
import { FilterError } from '../filter/filter-error.ts'
import { toSelection } from '../query/base.ts'
import { parseOrder } from '../query/order.ts'
import { ACTOR_ORDERS, actorOf } from '../question/actors.ts'
import type { ActorRecord, ActorSelection, ActorsQuestion } from '../question/actors.ts'
import type { Ask } from '../question/questions.ts'
import type { ActorsQuery } from '../schema/actors-query.ts'
import { askShorter, endPage, showProperties } from '../show-page.ts'
import { findPoint } from './find-point.ts'
import { parsePersonFilters } from './parse-person-filters.ts'
import { readColumns } from './read-columns.ts'

/** The answer to a query of actors, as clients of the protocol read it. */
export interface ActorsResult {
  readonly results: readonly (readonly unknown[])[]
  readonly columns: readonly string[]
  readonly limit: number
  readonly offset: number
  readonly hasMore: boolean
  readonly missing_actors_count: number
}

const DEFAULT_LIMIT = 100

/** Answers a query of actors. Throws `FilterError`; rejects with `QueryError`. */
export const answerActorsQuery = async (
  query: ActorsQuery,
  context: FilterContext,
  ask: Ask,
): Promise<ActorsResult> => {
  const of = await findSelection(query, context, ask)
  const isOfPersons = actorOf(of).of === 'person'
  const columns = query.select ?? [isOfPersons ? 'person' : 'actor', 'id']
  const readRow = readColumns(columns, context)
  const limit = query.limit ?? DEFAULT_LIMIT
  const offset = query.offset ?? 0
  const question: Omit<ActorsQuestion, 'limit'> = {
    of,
    persons: toSelection(parsePersonFilters(query.properties, isOfPersons, context), context),
    search: query.search?.trim() || null,
    order: parseOrder(query.orderBy, ACTOR_ORDERS, { by: 'created_at', isDescending: true }),
    offset,
  }
  const answer = await askShorter(limit, (rows) => ask('actors', { ...question, limit: rows }))
  const shown = answer.actors.map((actor) => readRow(showActor(actor)))
  const results = endPage(shown)
  const hasMore = answer.hasMore || results.length < shown.length
  return {
    results,
    columns,
    // Clients ask for the next page from `offset` and `limit`.
    limit: hasMore ? results.length : limit,
    offset,
    hasMore,
    missing_actors_count: answer.missingCount,
  }
}

/** A person or group with long values cut. */
export const showActor = <Actor extends ActorRecord>(actor: Actor): Actor => ({
  ...actor,
  properties: showProperties(actor.properties),
})

const findSelection = async ({ source }: ActorsQuery, context: FilterContext, ask: Ask): Promise<ActorSelection> => {
  if (!source) return { kind: 'all', actor: { of: 'person' } }
  try {
    return await findPoint(source, context, ask)
  } catch (error) {
    throw error instanceof FilterError ? moveInside(error) : error
  }
}

/** The errors of an insight have its paths as if it were the query. */
const moveInside = (error: FilterError): FilterError => {
  const { path, message } = error
  if (path.startsWith('query.source.')) return error
  return new FilterError(path.replace(/^query\b/, 'query.source.source'), message.slice(path.length + 1))
}
