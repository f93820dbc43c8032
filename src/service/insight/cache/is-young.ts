import type { InsightAnswer } from '../insight-work.ts'

/** The times of an answer until which it may be given again, although it may not hold any more. */
export type YoungUntil = 'next_allowed_client_refresh' | 'cache_target_age'

/**
 * Whether an answer was computed so recently that a client takes it whatever has arrived since.
 *
 * @param now Milliseconds since 1970; an answer from after it does not count, because the clock was set back.
 */
export const isYoung = (
  answer: Pick<InsightAnswer, 'last_refresh' | YoungUntil>,
  until: YoungUntil,
  now: number,
): boolean => Date.parse(answer.last_refresh) <= now && now < Date.parse(answer[until])
