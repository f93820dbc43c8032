import type { EventStore, PersonMirror } from '../store/events/event-store.ts'
import { NO_PERSONS } from '../store/events/event-store.ts'
import { allGroups, allPersons } from '../store/metadata/all-persons.ts'
import type { Metadata } from '../store/metadata/open.ts'
import { personPosition } from '../store/metadata/person-position.ts'
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

/**
 * Copies all persons and groups of a project into its event store once more, where the store is an earlier one than the
 * metadata (a backup was put back, or the file was moved away) and the inbox has not all rows any more that would bring it
 * up to date. Without that, people who were merged in between would count twice for ever. Call it when a store has been
 * opened, before anything else writes to it. Answers whether it was needed.
 */
export async function renewPersons({ firstInboxRow, ...copy }: Renewal): Promise<boolean> {
  const { metadata, store, projectId } = copy
  const known = await personPosition(metadata, projectId)
  const stored = store.position()
  if (!isBeyond(known, stored)) return false
  // What a process that was killed left undone is brought by the rows that wait.
  const first = firstInboxRow()
  const next = coversRow(stored, stored.inboxRow) ? stored.inboxRow + 1 : stored.inboxRow
  if (first !== undefined && first <= next) return false

  await copyPersons(copy)
  // Rows before the first one are gone: nobody will bring them.
  const position = after(first === undefined ? known.inboxRow : first - 1)
  await store.commit({ position, events: [], persons: NO_PERSONS, rejected: [] })
  return true
}

/** Copies all persons and groups of a project, as the metadata has them, into its event store; its position stays. */
export async function copyPersons({ metadata, store, projectId }: PersonCopy): Promise<void> {
  const write = (persons: Partial<PersonMirror>): Promise<void> =>
    store.commit({ position: store.position(), events: [], persons: { ...NO_PERSONS, ...persons }, rejected: [] })
  for await (const persons of allPersons(metadata, projectId)) {
    const ids = persons.map(({ id }) => id)
    await write({ persons, distinctIds: new Map(await distinctIdsOf(metadata, projectId, ids)) })
  }
  for await (const groups of allGroups(metadata, projectId)) await write({ groups })
}
