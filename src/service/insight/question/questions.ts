import type { QueryControl } from '../../indexer/query-control.ts'
import type { QueryResult } from '../../indexer/query-result.ts'
import type { DateRange } from '../time/date-range.ts'
import type { FunnelAnswer, FunnelQuestion } from './funnel.ts'
import type { EventName, PropertyName, PropertyOwner } from './names.ts'
import type { NumberRange } from './number-bins.ts'
import type { NumberRangeQuestion } from './number-range.ts'
import type { LifecycleAnswer, LifecycleQuestion } from './lifecycle.ts'
import type { RetentionAnswer, RetentionQuestion } from './retention.ts'
import type { StickinessAnswer, StickinessQuestion } from './stickiness.ts'
import type { ActorsAnswer, ActorsQuestion } from './actors.ts'
import type { EventsAnswer, EventsQuestion } from './events.ts'
import type { PathsAnswer, PathsQuestion } from './paths.ts'
import type { TrendAnswer, TrendGroupsAnswer, TrendGroupsQuestion, TrendQuestion } from './trend.ts'

/** One SELECT over `events`, `persons`, `person_distinct_ids` and `groups`. */
export interface SqlQuestion {
  /** At most `MAX_SQL_BYTES`. */
  readonly sql: string
  /** Maximum number of rows in the result; `hasMore` says whether there were more. */
  readonly maxRows: number
}

/** The rows of a SELECT as text, so that a large result is passed on between processes without a stop. */
export interface SqlLines extends Omit<QueryResult, 'rows'> {
  /** A JSON array in each line, in UTF-8. */
  readonly lines: Uint8Array
}

/** What an event store can be asked. Questions and answers are plain data, which can be sent to another process. */
export interface Questions {
  readonly query: { readonly question: SqlQuestion; readonly answer: QueryResult }
  readonly queryLines: { readonly question: SqlQuestion; readonly answer: SqlLines }
  /** The time of the earliest event since a time; null without such an event. Milliseconds since 1970. */
  readonly earliestTime: { readonly question: { readonly since: number }; readonly answer: number | null }
  /** The number of events in a range of times. */
  readonly countEvents: { readonly question: { readonly range: DateRange }; readonly answer: number }
  /** The names of events, most frequent first; at most 10,000. */
  readonly eventNames: { readonly question: object; readonly answer: readonly EventName[] }
  /** The names of properties, most frequent first; at most 10,000. */
  readonly propertyNames: {
    readonly question: { readonly owner: PropertyOwner }
    readonly answer: readonly PropertyName[]
  }
  /** Null without numbers. */
  readonly numberRange: { readonly question: NumberRangeQuestion; readonly answer: NumberRange | null }
  readonly trendGroups: { readonly question: TrendGroupsQuestion; readonly answer: TrendGroupsAnswer }
  readonly trend: { readonly question: TrendQuestion; readonly answer: TrendAnswer }
  readonly funnel: { readonly question: FunnelQuestion; readonly answer: FunnelAnswer }
  readonly retention: { readonly question: RetentionQuestion; readonly answer: RetentionAnswer }
  readonly stickiness: { readonly question: StickinessQuestion; readonly answer: StickinessAnswer }
  readonly lifecycle: { readonly question: LifecycleQuestion; readonly answer: LifecycleAnswer }
  readonly actors: { readonly question: ActorsQuestion; readonly answer: ActorsAnswer }
  readonly events: { readonly question: EventsQuestion; readonly answer: EventsAnswer }
  readonly paths: { readonly question: PathsQuestion; readonly answer: PathsAnswer }
}

/** A kind of question: the method of `EventStore` that answers it. */
export type QuestionName = keyof Questions

export type QuestionOf<Name extends QuestionName> = Questions[Name]['question']
export type AnswerOf<Name extends QuestionName> = Questions[Name]['answer']

/** When a question is given up. */
export interface AskLimits {
  /** Milliseconds until the question is interrupted; one that cannot be interrupted is ended with its process. */
  readonly timeoutMs: number
}

/** Answers questions of one kind. Rejects with `QueryError`. */
export type AnswerQuestion<Name extends QuestionName> = (
  question: QuestionOf<Name> & AskLimits,
  control?: QueryControl,
) => Promise<AnswerOf<Name>>

/** One method for each kind of question. */
export type QuestionMethods = { readonly [Name in QuestionName]: AnswerQuestion<Name> }

/** Answers questions of all kinds. Rejects with `QueryError`. */
export type AskAny = <Name extends QuestionName>(
  name: Name,
  question: QuestionOf<Name> & AskLimits,
  control?: QueryControl,
) => Promise<AnswerOf<Name>>

/** Asks a question with the limits that the asker has. Rejects with `QueryError`. */
export type Ask = <Name extends QuestionName>(name: Name, question: QuestionOf<Name>) => Promise<AnswerOf<Name>>

/** The methods that call one function for all kinds of questions. */
export const createQuestionMethods = (ask: AskAny): QuestionMethods => ({
  query: (question, control) => ask('query', question, control),
  queryLines: (question, control) => ask('queryLines', question, control),
  earliestTime: (question, control) => ask('earliestTime', question, control),
  countEvents: (question, control) => ask('countEvents', question, control),
  eventNames: (question, control) => ask('eventNames', question, control),
  propertyNames: (question, control) => ask('propertyNames', question, control),
  numberRange: (question, control) => ask('numberRange', question, control),
  trendGroups: (question, control) => ask('trendGroups', question, control),
  trend: (question, control) => ask('trend', question, control),
  funnel: (question, control) => ask('funnel', question, control),
  retention: (question, control) => ask('retention', question, control),
  stickiness: (question, control) => ask('stickiness', question, control),
  lifecycle: (question, control) => ask('lifecycle', question, control),
  actors: (question, control) => ask('actors', question, control),
  events: (question, control) => ask('events', question, control),
  paths: (question, control) => ask('paths', question, control),
})

/** The function that calls the method for the kind of a question. */
export const askWith =
  (methods: QuestionMethods): AskAny =>
  (name, question, control) =>
    methods[name](question, control)
