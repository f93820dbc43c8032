import { checkEvent } from '../../wire/check-event.ts'
import { isStorableIsoTime } from '../../wire/parse-iso-time.ts'
import { isRecord } from '../../wire/json.ts'
import { badRequest } from '../http-error.ts'
import type { HttpError } from '../http-error.ts'
import type { IngestRequest } from './parse-request.ts'

/**
 * Returns why a historical migration is rejected (400), or null. Every event to be stored needs a valid time: without
 * one it would be stored at the time of its arrival, and stored events can never be removed. The error names the first event
 * without a valid time; dropped events are not checked.
 *
 * @param precedingCount Number of events in the earlier chunks of the request.
 */
export const checkMigration = ({ events, isSingle }: IngestRequest, precedingCount = 0): HttpError | null => {
  for (const [index, event] of events.entries()) {
    if (!isRecord(event) || checkEvent(event).kind !== 'event' || isStorableIsoTime(event['timestamp'])) continue
    const path = isSingle ? 'timestamp' : `batch[${precedingCount + index}].timestamp`
    return badRequest(
      'invalid_timestamp',
      `"${path}" is missing or invalid; historical migrations need an ISO 8601 time, such as 2024-01-31T09:00:00Z. ` +
        'Nothing of this request is stored.',
      path,
    )
  }
  return null
}
