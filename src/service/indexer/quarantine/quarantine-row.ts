import type { RejectedRow } from '../../store/events/event-store.ts'
import { NO_PERSONS } from '../../store/events/event-store.ts'
import type { InboxRow } from '../../store/inbox/inbox.ts'
import { readPersonProgress } from '../../store/metadata/person-progress.ts'
import { positionAfterRow, isBeyond } from '../../store/row-position.ts'
import { createRejectedRow } from '../read-row.ts'
import { copyPersons } from '../refresh-persons.ts'
import type { CopyContext } from '../refresh-persons.ts'

/**
 * Rejects the next row of a project without parsing it. Events of the row that are already stored stay; the body is kept
 * for the operator.
 */
export const quarantineRow = async (
  { store, ...source }: CopyContext,
  row: InboxRow,
  reason: string,
): Promise<RejectedRow> => {
  const { position: personPosition, revision } = await readPersonProgress(source.metadata, source.projectId)
  // Earlier attempts may have changed persons in the metadata. Without parsing the row, only a full copy brings them over.
  const isStoreBehind = isBeyond(personPosition, store.position())
  if (isStoreBehind) await copyPersons({ store, ...source })
  const persons = isStoreBehind ? { ...NO_PERSONS, revision } : NO_PERSONS
  const rejected = createRejectedRow(row, reason)
  await store.commit({ position: positionAfterRow(row.id), events: [], persons, rejected: [rejected] })
  return rejected
}
