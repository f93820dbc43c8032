import type { Json, JsonObject } from '../../wire/json.ts'
import type { StoredSurvey } from '../store/metadata/surveys.ts'

const DAY_MS = 86_400_000

/** A survey as pages read it. */
export type OfferedSurvey = JsonObject

/** True from a survey's start to its end. */
export const isRunning = ({ given: { start_date, end_date } }: StoredSurvey, now: number): boolean =>
  isPast(start_date, now) && !isPast(end_date, now)

const isPast = (moment: string | null | undefined, now: number): boolean =>
  moment !== null && moment !== undefined && Date.parse(moment) <= now

/** Which round of a repeated survey runs at `now`, counted from 1, and since when; undefined for one that is not repeated. */
const iterationOf = ({ given }: StoredSurvey, now: number): { number: number; start: string } | undefined => {
  const { start_date, iteration_count: count, iteration_frequency_days: days } = given
  if (!start_date || !count || !days || !isPast(start_date, now)) return undefined
  const start = Date.parse(start_date)
  const round = Math.min(count - 1, Math.floor((now - start) / (days * DAY_MS)))
  return { number: round + 1, start: new Date(start + round * days * DAY_MS).toISOString() }
}

/**
 * What pages are told of a survey. They ask a survey that has a start and no end, whenever these are: so a moment that is
 * still to come is told as null until then.
 *
 * @param flagKeys Keys of flags by their ids.
 * @param now Milliseconds since 1970.
 */
export const offeredSurvey = (
  survey: StoredSurvey,
  flagKeys: ReadonlyMap<number, string>,
  now: number,
): OfferedSurvey => {
  const { id, given } = survey
  const keyOf = (flagId: number | null | undefined): Json => flagKeys.get(flagId ?? 0) ?? null
  const told = (moment: string | null | undefined): Json => (isPast(moment, now) ? (moment ?? null) : null)
  const keys = {
    linked_flag_key: keyOf(given.linked_flag_id),
    targeting_flag_key: keyOf(given.targeting_flag_id),
    internal_targeting_flag_key: keyOf(given.internal_targeting_flag_id),
  }
  const iteration = iterationOf(survey, now)
  return {
    id,
    name: given.name,
    description: given.description ?? '',
    type: given.type,
    ...keys,
    feature_flag_keys: Object.entries(keys).map(([key, value]) => ({ key, value })),
    questions: given.questions,
    conditions: given.conditions ?? null,
    appearance: given.appearance ?? null,
    start_date: told(given.start_date),
    end_date: told(given.end_date),
    current_iteration: iteration?.number ?? null,
    current_iteration_start_date: iteration?.start ?? null,
    schedule: given.schedule ?? 'once',
    enable_partial_responses: given.enable_partial_responses ?? false,
    ...(given.translations && { translations: given.translations }),
  }
}
