import type { Select } from './select.ts'

/** Reads the time of the earliest event. */
export const answerEarliestTime = async (select: Select): Promise<number | null> => {
  const [[time = null] = []] = await select('SELECT epoch_ms(min(timestamp)) FROM events')
  return time === null ? null : Number(time)
}
