import type { Json, JsonObject } from '../../wire/json.ts'
import type { StoredSurvey } from '../store/metadata/surveys.ts'

const DAY_MS = 86_400_000

/** A survey in the form that clients read. */
export type PublicSurvey = JsonObject

/** Whether `now` is between a survey's start and end. */
export const isRunning = ({ definition: { start_date, end_date } }: StoredSurvey, now: number): boolean =>
  isPast(start_date, now) && !isPast(end_date, now)

const isPast = (time: string | null | undefined, now: number): boolean =>
  time !== null && time !== undefined && Date.parse(time) <= now

/** The iteration of a recurring survey at `now`, counted from 1, and its start; undefined for a survey without iterations. */
const findIteration = ({ definition }: StoredSurvey, now: number): { number: number; start: string } | undefined => {
  const { start_date, iteration_count: count, iteration_frequency_days: days } = definition
  if (!start_date || !count || !days || !isPast(start_date, now)) return undefined
  const start = Date.parse(start_date)
  const index = Math.min(count - 1, Math.floor((now - start) / (days * DAY_MS)))
  return { number: index + 1, start: new Date(start + index * days * DAY_MS).toISOString() }
}

/**
 * Converts a survey to the form that clients read. Clients show a survey that has a start and no end, without comparing the
 * times with the clock. So a start or end in the future is null.
 *
 * @param flagKeys Flag keys by flag id.
 * @param now Milliseconds since 1970.
 */
export const toPublicSurvey = (
  survey: StoredSurvey,
  flagKeys: ReadonlyMap<number, string>,
  now: number,
): PublicSurvey => {
  const { id, definition } = survey
  const flagKey = (flagId: number | null | undefined): Json => flagKeys.get(flagId ?? 0) ?? null
  const pastTime = (time: string | null | undefined): Json => (isPast(time, now) ? (time ?? null) : null)
  const keys = {
    linked_flag_key: flagKey(definition.linked_flag_id),
    targeting_flag_key: flagKey(definition.targeting_flag_id),
    internal_targeting_flag_key: flagKey(definition.internal_targeting_flag_id),
  }
  const iteration = findIteration(survey, now)
  return {
    id,
    name: definition.name,
    description: definition.description ?? '',
    type: definition.type,
    ...keys,
    feature_flag_keys: Object.entries(keys).map(([key, value]) => ({ key, value })),
    questions: definition.questions,
    conditions: definition.conditions ?? null,
    appearance: definition.appearance ?? null,
    start_date: pastTime(definition.start_date),
    end_date: pastTime(definition.end_date),
    current_iteration: iteration?.number ?? null,
    current_iteration_start_date: iteration?.start ?? null,
    schedule: definition.schedule ?? 'once',
    enable_partial_responses: definition.enable_partial_responses ?? false,
    ...(definition.translations && { translations: definition.translations }),
  }
}
