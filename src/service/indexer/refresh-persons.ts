import type { EventStore, PersonCopyUpdate } from '../store/events/event-store.ts'
import { NO_PERSON_UPDATE } from '../store/events/event-store.ts'
import { streamGroups, streamPersons } from '../store/metadata/stream-persons.ts'
import { ONLY_NODE } from '../store/metadata/node-id.ts'
import type { Metadata } from '../store/metadata/open.ts'
import { readPersonProgress, savePersonProgress } from '../store/metadata/person-progress.ts'
import { listDistinctIds } from '../store/metadata/persons.ts'
import { positionAfterRow, coversRow, isBeyond } from '../store/row-position.ts'

/** What copying persons needs. */
export interface CopyContext {
  readonly metadata: Metadata
  /** The node whose inbox and store these are. Default: the only one. */
  readonly nodeId?: string
  readonly store: EventStore
  readonly projectId: number
}

/** What `refreshPersons` needs. */
export interface RefreshContext extends CopyContext {
  /** The id of the oldest row in the inbox, or undefined when the inbox is empty. */
  readonly firstInboxRow: () => number | undefined
}

/** The file that is older than the other, after a backup was restored or a file was removed. */
export type OlderFile = 'store' | 'metadata'

/**
 * Replaces all persons and groups in a project's event store by those of the metadata when one of the two is older.
 *
 * The store is older when it is behind the metadata and the inbox no longer has the rows in between: without those rows,
 * persons merged in them would count twice. The metadata is older when the store has a higher person revision: queries and
 * flags would then use different persons. Call it after opening a store and before any other write to it.
 *
 * @returns the older file, or null when neither is older.
 */
export const refreshPersons = async ({ firstInboxRow, ...context }: RefreshContext): Promise<OlderFile | null> => {
  const { metadata, nodeId = ONLY_NODE, store, projectId } = context
  const { position: personPosition, revision } = await readPersonProgress(metadata, nodeId, projectId)
  const storePosition = store.position()
  const isStoreBehind = isBeyond(personPosition, storePosition)
  const isMetadataOlder = store.personRevision() > revision
  if (!isStoreBehind && !isMetadataOlder) return null
  // A store that is behind because its process was killed catches up from the waiting rows.
  const firstRow = firstInboxRow()
  const nextRow = coversRow(storePosition, storePosition.inboxRow) ? storePosition.inboxRow + 1 : storePosition.inboxRow
  const canCatchUp = !isStoreBehind || (firstRow !== undefined && firstRow <= nextRow)
  if (canCatchUp && !isMetadataOlder) return null

  await store.commit({
    position: storePosition,
    events: [],
    persons: { ...NO_PERSON_UPDATE, replacesAll: true },
    rejected: [],
  })
  // Never lower than before: the next change must replace what is copied here.
  const copiedRevision = Math.max(revision, store.personRevision())
  await copyPersons(context, copiedRevision)
  // The position skips rows that are deleted.
  const position = canCatchUp
    ? storePosition
    : positionAfterRow(firstRow === undefined ? personPosition.inboxRow : firstRow - 1)
  await store.commit({ position, events: [], persons: NO_PERSON_UPDATE, rejected: [] })
  // Written last, so that an interrupted copy starts again.
  if (isMetadataOlder)
    await savePersonProgress(metadata, nodeId, projectId, { position: personPosition, revision: copiedRevision })
  return isMetadataOlder ? 'metadata' : 'store'
}

/**
 * Copies all persons and groups of a project from the metadata into its event store, whose position does not change.
 *
 * @param revision That of the persons, or an earlier one when others change them meanwhile: their copies then replace these.
 */
export const copyPersons = async ({ metadata, store, projectId }: CopyContext, revision: number): Promise<void> => {
  const write = (copied: Partial<PersonCopyUpdate>): Promise<void> => {
    const persons = { ...NO_PERSON_UPDATE, revision, ...copied }
    return store.commit({ position: store.position(), events: [], persons, rejected: [] })
  }
  for await (const persons of streamPersons(metadata, projectId)) {
    const ids = persons.map(({ id }) => id)
    await write({ persons, distinctIds: new Map(await listDistinctIds(metadata, projectId, ids)) })
  }
  for await (const groups of streamGroups(metadata, projectId)) await write({ groups })
}
