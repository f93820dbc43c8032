import type { RejectedRow } from '../../store/events/event-store.ts'
import { NO_PERSONS } from '../../store/events/event-store.ts'
import type { InboxRow } from '../../store/inbox/inbox.ts'
import { personProgress } from '../../store/metadata/person-position.ts'
import { after, isBeyond } from '../../store/row-position.ts'
import { rejectedRow } from '../read-row.ts'
import { copyPersons } from '../renew-persons.ts'
import type { PersonCopy } from '../renew-persons.ts'

/**
 * Keeps a row for the operator without reading it, as the next one of its project: its events that are stored already stay,
 * the others are in what is kept.
 */
export const setAside = async ({ store, ...from }: PersonCopy, row: InboxRow, reason: string): Promise<RejectedRow> => {
  const { position: known, revision } = await personProgress(from.metadata, from.projectId)
  // Earlier tries may have changed persons, which only reading the row would tell.
  const isBehind = isBeyond(known, store.position())
  if (isBehind) await copyPersons({ store, ...from })
  const persons = isBehind ? { ...NO_PERSONS, revision } : NO_PERSONS
  const rejected = rejectedRow(row, reason)
  await store.commit({ position: after(row.id), events: [], persons, rejected: [rejected] })
  return rejected
}
