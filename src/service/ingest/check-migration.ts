import { checkEvent } from '../../wire/check-event.ts'
import { isIsoMoment } from '../../wire/iso-moment.ts'
import { isRecord } from '../../wire/json.ts'
import { invalid } from '../refusal.ts'
import type { Refusal } from '../refusal.ts'
import type { IngestRequest } from './request.ts'

/**
 * Why a historical migration is refused (400), or null: an event that would be stored does not say when it happened, and
 * stored at the time of its arrival it could never be taken out again. Names the first such place. What is dropped is not
 * looked at.
 *
 * @param before Events of the request that stand before these.
 */
export const checkMigration = ({ events, isSingle }: IngestRequest, before = 0): Refusal | null => {
  for (const [index, event] of events.entries()) {
    if (!isRecord(event) || checkEvent(event).kind !== 'event' || isIsoMoment(event['timestamp'])) continue
    const place = isSingle ? 'timestamp' : `batch[${before + index}].timestamp`
    return invalid(
      'invalid_timestamp',
      `"${place}" must be a moment in ISO 8601, such as 2024-01-31T09:00:00Z, in a historical migration. Nothing of this request is stored.`,
      place,
    )
  }
  return null
}
