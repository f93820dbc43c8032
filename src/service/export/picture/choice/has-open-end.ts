import type { Json, JsonObject } from '../../../../wire/json.ts'
import { toList, toText } from './read-json.ts'

const DAY_MS = 86_400_000

/** How much of a time names its period: `2026-01-31 14:05:00`. */
const NAME_LENGTHS: Readonly<Record<string, number>> = { minute: 16, hour: 13, day: 10, month: 7 }

/** Whether the last period was not over when the answer was computed, as far as the answer tells. */
export const hasOpenEnd = (answer: JsonObject, days: Json | undefined, interval: string): boolean => {
  const computedAt = Date.parse(toText(answer['last_refresh']))
  const last = toText(toList(days).at(-1))
  if (Number.isNaN(computedAt) || last === '') return false
  const now = toLocalText(computedAt, toText(answer['timezone']))
  if (now === null) return false
  if (interval === 'week') return (Date.parse(now.slice(0, 10)) - Date.parse(last.slice(0, 10))) / DAY_MS < 7
  const length = NAME_LENGTHS[interval] ?? 10
  // Also for a period that begins later.
  return now.slice(0, length) <= last.slice(0, length)
}

/** `2026-01-31 14:05:00` in a time zone; null for an unknown one. */
const toLocalText = (time: number, timeZone: string): string | null => {
  try {
    // Swedish writes dates as ISO 8601 does.
    return new Intl.DateTimeFormat('sv-SE', {
      timeZone: timeZone || 'UTC',
      dateStyle: 'short',
      timeStyle: 'medium',
    }).format(time)
  } catch {
    return null
  }
}
