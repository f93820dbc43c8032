import { createHash } from 'node:crypto'
import type { JsonObject } from '../../wire/json.ts'
import type { QueryWork } from '../query/query-work.ts'
import type { Metadata } from '../store/metadata/open.ts'
import type { AnswerCache, CachedAnswer, EventCount } from './cache/answer-cache.ts'
import { findEnd } from './cache/find-end.ts'
import { GRACE_MS, isFresh, MAX_AGE_MS } from './cache/is-fresh.ts'
import { hasRelativeDate } from './cache/has-relative-date.ts'
import type { FilterContext } from './filter/filter-context.ts'
import { loadFilterContext } from './filter/load-filter-context.ts'
import type { InsightKind } from './insight-queries.ts'
import { findWarnings } from './names/find-warnings.ts'
import type { Ask } from './question/questions.ts'
import { spanOf } from './question/span-of.ts'
import { toIsoTime } from '../to-iso-time.ts'

/** The answer to a query of an insight. */
export interface InsightAnswer {
  /** Depends on the kind. */
  readonly results: unknown
  /** Name of the time zone whose days are meant. */
  readonly timezone: string
  readonly is_cached: boolean
  /** When it was computed, in ISO 8601, as the times below. */
  readonly last_refresh: string
  /** When it is computed again at the latest. */
  readonly cache_target_age: string
  /** Before that it is not computed again, unless that is forced. */
  readonly next_allowed_client_refresh: string
  /** Identifies the query with the settings that it depends on. */
  readonly cache_key: string
  /** Events and properties that the query names and the project never had, each in a sentence; missing without one. */
  readonly warnings?: readonly string[]
}

/** What an insight's query is answered from. */
export interface InsightWorkOptions {
  readonly metadata: Metadata
  readonly cache: AnswerCache
  readonly projectId: number
  /** Whether an answer is computed even if a cached one still holds. */
  readonly isForced: boolean
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** @param query Must be what the schema of the kind allows. */
export const createInsightWork = (
  kind: InsightKind,
  query: JsonObject,
  { metadata, cache, projectId, isForced, now }: InsightWorkOptions,
): QueryWork<InsightAnswer> => {
  const answerIn = async (context: FilterContext, ask: Ask): Promise<InsightAnswer> => {
    const key = createKeys(context)(query)
    if (kind.hasFields === true) {
      // A list of what there is now is not kept.
      const fields = (await kind.answer(query as never, context, ask)) as Pick<InsightAnswer, 'results'>
      const computed = { results: null, computedAt: context.now, validBefore: context.now, counts: [] }
      return { ...toAnswer(computed, key, context, false), ...fields }
    }
    const cached = isForced ? undefined : cache.find(key)
    if (cached !== undefined && (await isFresh(cached, context.now, (range) => ask('countEvents', { range }))))
      return toAnswer(cached, key, context, true)
    const { ask: askWatched, counts, isRelative } = watchQuestions(ask)
    const results = await kind.answer(query as never, context, askWatched)
    const validBefore = Math.min(findEnd(query, context), isRelative() ? context.now + GRACE_MS : Infinity)
    const computed = { results, computedAt: context.now, validBefore, counts }
    cache.add(key, computed)
    return toAnswer(computed, key, context, false)
  }
  return {
    // A job that may give a cached answer does not stand for one that must not.
    text: `${isForced ? 'forced ' : ''}${JSON.stringify(query)}`,
    async answer(ask) {
      const context = await loadFilterContext(metadata, projectId, now())
      const answer = await answerIn(context, ask)
      return withWarnings(answer, await findWarnings({ query, context, cache, ask, isForced }))
    },
  }
}

const withWarnings = (answer: InsightAnswer, warnings: readonly string[]): InsightAnswer =>
  warnings.length === 0 ? answer : { ...answer, warnings }

/** Finds the answer that is cached for a query, whether or not it still holds; null for none. */
export type FindCachedAnswer = (query: JsonObject) => Promise<InsightAnswer | null>

/** Creates a function that finds cached answers by what their queries refer to now. It is for one request. */
export const createCachedAnswerFinder = async ({
  metadata,
  cache,
  projectId,
  now,
}: Omit<InsightWorkOptions, 'isForced'>): Promise<FindCachedAnswer> => {
  const context = await loadFilterContext(metadata, projectId, now())
  const toKey = createKeys(context)
  return async (query) => {
    const key = toKey(query)
    const cached = cache.find(key)
    if (cached === undefined) return null
    const warnings = await findWarnings({ query, context, cache, ask: null, isForced: false })
    return withWarnings(toAnswer(cached, key, context, true), warnings)
  }
}

const hash = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex')

/** Creates the function from queries to their keys. What queries refer to is in a key, so that a change of it makes another one. */
const createKeys = (context: FilterContext): ((query: JsonObject) => string) => {
  const settings = hash({ ...context, now: null })
  return (query) => hash([settings, query])
}

/** What an answer depends on, as far as its questions tell. */
interface WatchedQuestions {
  readonly ask: Ask
  readonly counts: readonly EventCount[]
  /** Whether a filter has a date that counts from now, so that other events match it with each millisecond. */
  readonly isRelative: () => boolean
}

/** Counts the events that each question depends on before it is asked: those that arrive meanwhile then make the count wrong. */
const watchQuestions = (ask: Ask): WatchedQuestions => {
  const counts: EventCount[] = []
  let isRelative = false
  return {
    counts,
    isRelative: () => isRelative,
    async ask(name, question) {
      isRelative ||= hasRelativeDate(question)
      const range = spanOf(name, question)
      const isCounted = counts.some(({ range: { from, before } }) => from === range.from && before === range.before)
      if (!isCounted) counts.push({ range, count: await ask('countEvents', { range }) })
      return ask(name, question)
    },
  }
}

const toAnswer = (
  { results, computedAt, validBefore }: CachedAnswer,
  key: string,
  { calendar }: FilterContext,
  isCached: boolean,
): InsightAnswer => ({
  results,
  timezone: calendar.timeZone,
  is_cached: isCached,
  last_refresh: toIsoTime(computedAt),
  cache_target_age: toIsoTime(Math.min(computedAt + MAX_AGE_MS, Math.max(validBefore, computedAt + GRACE_MS))),
  next_allowed_client_refresh: toIsoTime(computedAt + GRACE_MS),
  cache_key: key,
})
