import { isRecord } from '../../wire/json.ts'
import { invalid } from '../refusal.ts'
import { checkEvent } from './event.ts'
import type { IngestRequest } from './request.ts'
import { isIsoMoment } from './timestamp.ts'

/**
 * Refuses a historical migration (400) in which an event that would be stored does not say when it happened: stored at
 * the time of its arrival it could never be taken out again. Names the first such place. What is dropped is not looked at.
 */
export const checkMigration = ({ events, isSingle }: IngestRequest): void => {
  for (const [index, event] of events.entries()) {
    if (!isRecord(event) || checkEvent(event).kind !== 'event' || isIsoMoment(event['timestamp'])) continue
    const place = isSingle ? 'timestamp' : `batch[${index}].timestamp`
    throw invalid(
      'invalid_timestamp',
      `"${place}" must be a moment in ISO 8601, such as 2024-01-31T09:00:00Z, in a historical migration. Nothing of this request is stored.`,
      place,
    )
  }
}
