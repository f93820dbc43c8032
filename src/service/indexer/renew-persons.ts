import type { EventStore, PersonMirror } from '../store/events/event-store.ts'
import { NO_PERSONS } from '../store/events/event-store.ts'
import { allGroups, allPersons } from '../store/metadata/all-persons.ts'
import type { Metadata } from '../store/metadata/open.ts'
import { personProgress } from '../store/metadata/person-position.ts'
import { distinctIdsOf } from '../store/metadata/persons.ts'
import { after, coversRow, isBeyond } from '../store/row-position.ts'

/** What copying works with. */
export interface PersonCopy {
  readonly metadata: Metadata
  readonly store: EventStore
  readonly projectId: number
}

/** What renewing works with. */
export interface Renewal extends PersonCopy {
  /** The oldest row that the inbox still has, or undefined when it has none. */
  readonly firstInboxRow: () => number | undefined
}

/** Which of the two was an earlier state (a backup was put back, or a file was moved away). */
export type EarlierState = 'store' | 'metadata'

/**
 * Replaces all persons and groups in a project's event store by those of the metadata, where one of the two is an earlier
 * state. The store: where it is behind the metadata and the inbox has not all rows any more that would bring it up to date;
 * people who were merged in between would count twice for ever. The metadata: where the store has counted more of its
 * revisions; flags and queries would speak of different people for ever. Call it when a store has been opened, before
 * anything else writes to it. Answers which of them was earlier, or null when neither was.
 */
export const renewPersons = async ({ firstInboxRow, ...copy }: Renewal): Promise<EarlierState | null> => {
  const { metadata, store, projectId } = copy
  const { position: known, revision } = await personProgress(metadata, projectId)
  const stored = store.position()
  const isBehind = isBeyond(known, stored)
  const isAhead = store.personRevision() > revision
  if (!isBehind && !isAhead) return null
  // What a process that was killed left undone is brought by the rows that wait.
  const first = firstInboxRow()
  const next = coversRow(stored, stored.inboxRow) ? stored.inboxRow + 1 : stored.inboxRow
  const isComing = !isBehind || (first !== undefined && first <= next)
  if (isComing && !isAhead) return null

  await store.commit({ position: stored, events: [], persons: { ...NO_PERSONS, isWhole: true }, rejected: [] })
  await copyPersons(copy)
  // Last, so that it begins anew where it is ended before. Rows before the first one are gone: nobody will bring them.
  const position = isComing ? stored : after(first === undefined ? known.inboxRow : first - 1)
  await store.commit({ position, events: [], persons: { ...NO_PERSONS, revision }, rejected: [] })
  return isAhead ? 'metadata' : 'store'
}

/** Copies all persons and groups of a project, as the metadata has them, into its event store; its position stays. */
export const copyPersons = async ({ metadata, store, projectId }: PersonCopy): Promise<void> => {
  const write = (persons: Partial<PersonMirror>): Promise<void> =>
    store.commit({ position: store.position(), events: [], persons: { ...NO_PERSONS, ...persons }, rejected: [] })
  for await (const persons of allPersons(metadata, projectId)) {
    const ids = persons.map(({ id }) => id)
    await write({ persons, distinctIds: new Map(await distinctIdsOf(metadata, projectId, ids)) })
  }
  for await (const groups of allGroups(metadata, projectId)) await write({ groups })
}
