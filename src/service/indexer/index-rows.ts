import type { Change, RowChange } from '../persons/change.ts'
import type { PersonRegister } from '../persons/register.ts'
import type { EventBatch, EventStore, RejectedRow, StoredEvent } from '../store/events/event-store.ts'
import { NO_PERSONS, UnstorableError } from '../store/events/event-store.ts'
import type { InboxRow } from '../store/inbox/inbox.ts'
import { covers } from '../store/row-position.ts'
import { commitPersons } from './commit-persons.ts'
import type { AddressUse } from './event-address.ts'
import type { Part } from './parts.ts'
import { cutPart, partsOf } from './parts.ts'
import type { ReadEvent } from './read-row.ts'
import { rejectedRow } from './read-row.ts'

/** How often a row alone may need more memory than there is before it is set aside: other work may have held the memory. */
const MEMORY_TRIES = 3

/** Places of refused events that a reason names. */
const MOST_PLACES = 20

/** What indexing works with; kept from one call to the next. */
export interface Indexing {
  readonly register: PersonRegister
  readonly store: EventStore
  readonly projectId: number
  readonly addresses: AddressUse
  /** Inbox row to how often it alone needed too much memory. */
  readonly memoryFailures: Map<number, number>
  /** Told of every row that was set aside, once it is. */
  readonly onRejected: (row: RejectedRow) => void
}

/**
 * Brings inbox rows of one project into its store: reads the events, leaves out duplicates, carries out their changes to
 * persons, and commits. What the store already covers is passed over, so it may be called again with the same rows after
 * any failure. What cannot be read or stored is set aside with a reason, and the other events of its row are kept. However
 * large the rows are, only a part of their events is held at once.
 */
export const indexRows = async (indexing: Indexing, rows: readonly InboxRow[]): Promise<void> => {
  for (const part of partsOf(rows, indexing.store.position(), indexing.addresses)) await indexPart(indexing, part)
}

const indexPart = async (indexing: Indexing, part: Part): Promise<void> => {
  const { register, store, projectId } = indexing
  // An event without a uuid of its own is new whenever its row is: the position covers it.
  const named = part.flatMap(({ read }) => read.filter(({ isNamed }) => isNamed).map(({ event }) => event))
  const duplicates = await store.duplicates(named)
  let left: Part | null = part.map((stretch) => ({
    ...stretch,
    read: stretch.read.filter(({ event }) => !duplicates.has(event)),
  }))
  let changes = changesIn(left.flatMap(({ read }) => read))
  while (left !== null) {
    const { persons, position } = await register.apply(projectId, changes, left.at(-1)!.end)
    const [now, later]: readonly [Part, Part | null] = cutPart(left, position)
    const events = now.flatMap(({ read }) => read.map(({ event }) => event))
    await commitPart(indexing, now, { position, events, persons, rejected: now.flatMap(({ rejected }) => rejected) })
    changes = changes.filter((change) => !covers(position, change))
    left = later
  }
}

const commitPart = async (indexing: Indexing, part: Part, batch: EventBatch): Promise<void> => {
  const { memoryFailures } = indexing
  const { row } = part.at(-1)!
  try {
    await commit(indexing, batch)
  } catch (error) {
    if (!(error instanceof UnstorableError)) throw error
    // Perhaps one row is at fault, or all are too much at once. Persons are done, which each of these calls will find.
    if (part.length > 1) {
      for (const stretch of part) await indexPart(indexing, [stretch])
      return
    }
    const failures = (memoryFailures.get(row.id) ?? 0) + 1
    if (error.reason === 'memory' && failures < MEMORY_TRIES) {
      memoryFailures.set(row.id, failures)
      throw error
    }
    await commitStorable(indexing, batch, row, error)
  }
  memoryFailures.delete(row.id)
}

/** Commits what the store can hold of a row, and sets the rest aside. */
const commitStorable = async (
  indexing: Indexing,
  batch: EventBatch,
  row: InboxRow,
  error: UnstorableError,
): Promise<void> => {
  const refused = new Set(await refusedEvents(indexing.store, batch.events))
  const events = batch.events.filter((event) => !refused.has(event))
  const places = [...refused].slice(0, MOST_PLACES).map(({ index }) => index)
  const reasons =
    refused.size === 0
      ? []
      : [`${refused.size} events cannot be stored (places ${places.join(', ')}): ${error.message}`]
  const rejected = (): RejectedRow[] =>
    reasons.length === 0 ? [...batch.rejected] : [...batch.rejected, rejectedRow(row, reasons.join('. '))]
  if (refused.size > 0 && (await tryCommit(indexing, { ...batch, events, rejected: rejected() })) === null) return
  // The metadata tells of these persons once: a merge that the store does not hear of now, it never does.
  const left = await commitPersons(indexing.store, batch.persons)
  if (left.length > 0) reasons.push(`Not stored: ${left.slice(0, MOST_PLACES).join(', ')}: ${error.message}`)
  const alone = { ...batch, persons: NO_PERSONS }
  const second = await tryCommit(indexing, { ...alone, events, rejected: rejected() })
  if (second === null) return
  await commit(indexing, {
    ...alone,
    events: [],
    rejected: [rejectedRow(row, [...reasons, second.message].join('. '))],
  })
}

/** Commits a batch, or answers why the store cannot take it. */
const tryCommit = async (indexing: Indexing, batch: EventBatch): Promise<UnstorableError | null> => {
  try {
    await commit(indexing, batch)
    return null
  } catch (error) {
    if (error instanceof UnstorableError) return error
    throw error
  }
}

/** The events that the store cannot hold, each found by halving. */
const refusedEvents = async (store: EventStore, events: readonly StoredEvent[]): Promise<StoredEvent[]> => {
  if (events.length === 0 || (await store.holds(events))) return []
  if (events.length === 1) return [...events]
  const middle = events.length >> 1
  return [
    ...(await refusedEvents(store, events.slice(0, middle))),
    ...(await refusedEvents(store, events.slice(middle))),
  ]
}

const commit = async ({ store, onRejected }: Indexing, batch: EventBatch): Promise<void> => {
  await store.commit(batch)
  for (const row of batch.rejected) onRejected(row)
}

/** The changes of events, in order, without those that only say once more that a distinct id exists, and not for longer. */
const changesIn = (read: readonly ReadEvent[]): RowChange[] => {
  const changes: RowChange[] = []
  const since = new Map<string, number>()
  for (const { change: given } of read) {
    if (given === null) continue
    const { change } = given
    if (change.kind === 'person') {
      const known = since.get(change.distinctId)
      if (known !== undefined && known <= given.at && isPlain(change)) continue
      since.set(change.distinctId, Math.min(known ?? given.at, given.at))
    }
    changes.push(given)
  }
  return changes
}

const isPlain = ({ join, identifies, set, setOnce, unset }: Extract<Change, { kind: 'person' }>): boolean => {
  const properties = Object.keys(set).length + Object.keys(setOnce).length + unset.length
  return join === null && !identifies && properties === 0
}
