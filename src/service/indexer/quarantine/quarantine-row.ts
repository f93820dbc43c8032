import type { RejectedRow } from '../../store/events/event-store.ts'
import { NO_PERSON_UPDATE } from '../../store/events/event-store.ts'
import type { InboxRow } from '../../store/inbox/inbox.ts'
import { ONLY_NODE } from '../../store/metadata/node-id.ts'
import { readPersonProgress } from '../../store/metadata/person-progress.ts'
import { positionAfterRow, isBeyond } from '../../store/row-position.ts'
import { createRejectedRow } from '../read-row.ts'
import { copyPersons } from '../refresh-persons.ts'
import type { CopyContext } from '../refresh-persons.ts'

/**
 * Rejects the next row of a project without parsing it. Events of the row that are already stored stay; the body of the row is
 * kept for the operator.
 */
export const quarantineRow = async (
  { store, ...source }: CopyContext,
  row: InboxRow,
  reason: string,
): Promise<RejectedRow> => {
  const { metadata, nodeId = ONLY_NODE, projectId } = source
  const { position: personPosition, revision } = await readPersonProgress(metadata, nodeId, projectId)
  // Earlier attempts may have changed persons in the metadata. The row is not parsed, so all persons are copied to the store.
  const isStoreBehind = isBeyond(personPosition, store.position())
  if (isStoreBehind) await copyPersons({ store, ...source }, revision)
  const persons = isStoreBehind ? { ...NO_PERSON_UPDATE, revision } : NO_PERSON_UPDATE
  const rejected = createRejectedRow(row, reason)
  await store.commit({ position: positionAfterRow(row.id), events: [], persons, rejected: [rejected] })
  return rejected
}
