import { checkEvent } from '../../wire/check-event.ts'
import { isStorableIsoTime } from '../../wire/parse-iso-time.ts'
import { isRecord } from '../../wire/json.ts'
import { badRequest } from '../http-error.ts'
import type { HttpError } from '../http-error.ts'
import type { IngestRequest } from './parse-request.ts'

/**
 * Returns why a historical migration is rejected (400), or null. Every event that would be stored needs a time of its own:
 * stored at the time of its arrival, it could never be removed again. Names the first such event; dropped events are skipped.
 *
 * @param before Number of events in the request before these.
 */
export const checkMigration = ({ events, isSingle }: IngestRequest, before = 0): HttpError | null => {
  for (const [index, event] of events.entries()) {
    if (!isRecord(event) || checkEvent(event).kind !== 'event' || isStorableIsoTime(event['timestamp'])) continue
    const path = isSingle ? 'timestamp' : `batch[${before + index}].timestamp`
    return badRequest(
      'invalid_timestamp',
      `"${path}" is missing or invalid; historical migrations need an ISO 8601 time, such as 2024-01-31T09:00:00Z. Nothing of this request is stored.`,
      path,
    )
  }
  return null
}
