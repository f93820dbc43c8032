import type { IngestedEvent } from '../ingest/events.ts'
import { readEvents } from '../ingest/events.ts'
import type { Change } from '../persons/change.ts'
import { changeOf, cleanId } from '../persons/change.ts'
import { hashedUuid } from '../persons/person-id.ts'
import type { PersonRegister, RowChange } from '../persons/register.ts'
import type { EventBatch, EventStore, RejectedRow, StoredEvent } from '../store/events/event-store.ts'
import { UnstorableError } from '../store/events/event-store.ts'
import { jsonText } from '../store/events/json-text.ts'
import type { InboxRow } from '../store/inbox/inbox.ts'

/**
 * Bytes of events after which rows are committed: a body may be a thousand times as large as what was received, and a few
 * such in one transaction would take the memory of the process.
 */
const COMMIT_BYTES = 8 * 1024 * 1024

/** What an event takes beside its texts: its uuid, its numbers, and its objects in memory. */
const EVENT_BYTES = 300

/** How often a row alone may need more memory than there is before it is set aside: other work may have held the memory. */
const MEMORY_TRIES = 3

/** Places of refused events that a reason names. */
const MOST_PLACES = 20

/** What indexing works with; kept from one call to the next. */
export interface Indexing {
  readonly register: PersonRegister
  readonly store: EventStore
  readonly projectId: number
  /** Inbox row to how often it alone needed too much memory. */
  readonly memoryFailures: Map<number, number>
  /** Told of every row that was set aside, once it is. */
  readonly onRejected: (row: RejectedRow) => void
}

/**
 * Brings inbox rows of one project into its store: reads the events, leaves out duplicates, carries out their changes to
 * persons, and commits. Rows that the store already covers are passed over, so it may be called again with the same rows
 * after any failure. What cannot be read or stored is set aside with a reason, and the other events of its row are kept.
 */
export async function indexRows(indexing: Indexing, rows: readonly InboxRow[]): Promise<void> {
  const fresh = rows.filter((row) => row.id > indexing.store.position())
  for (let from = 0; from < fresh.length;) {
    const part = readPart(fresh, from)
    from += part.rows.length
    await indexPart(indexing, part)
  }
}

/** Rows that go into one commit. */
interface Part {
  readonly rows: readonly InboxRow[]
  readonly read: readonly ReadEvent[]
  readonly rejected: readonly RejectedRow[]
}

function readPart(rows: readonly InboxRow[], from: number): Part {
  const read: ReadEvent[] = []
  const rejected: RejectedRow[] = []
  let bytes = 0
  let to = from
  while (to < rows.length && bytes < COMMIT_BYTES) {
    const row = rows[to++]!
    for (const one of readRow(row)) {
      if ('reason' in one) {
        rejected.push(one)
        continue
      }
      read.push(one)
      bytes += EVENT_BYTES + one.event.event.length + one.event.distinctId.length + one.event.properties.length
    }
  }
  return { rows: rows.slice(from, to), read, rejected }
}

async function indexPart(indexing: Indexing, part: Part): Promise<void> {
  const { register, store, projectId, memoryFailures } = indexing
  const { rows, read } = part
  const position = rows.at(-1)!.id
  // An event without a uuid of its own is new whenever its row is: the position covers it.
  const duplicates = await store.duplicates(read.filter(({ isNamed }) => isNamed).map(({ event }) => event))
  const kept = read.filter(({ event }) => !duplicates.has(event))
  const persons = await register.apply(projectId, changesIn(kept), position)
  const events = kept.map(({ event }) => event)
  try {
    await commit(indexing, { position, events, persons, rejected: part.rejected })
  } catch (error) {
    if (!(error instanceof UnstorableError)) throw error
    // Perhaps one row is at fault, or all are too much at once. Persons are done, which each of these calls will find.
    if (rows.length > 1) {
      for (const row of rows) await indexRows(indexing, [row])
      return
    }
    const failures = (memoryFailures.get(position) ?? 0) + 1
    if (error.reason === 'memory' && failures < MEMORY_TRIES) {
      memoryFailures.set(position, failures)
      throw error
    }
    await commitStorable(indexing, { position, events, persons, rejected: part.rejected }, rows[0]!, error)
    memoryFailures.delete(position)
  }
}

/** Commits what the store can hold of a row, and sets the rest aside. */
async function commitStorable(
  indexing: Indexing,
  batch: EventBatch,
  row: InboxRow,
  error: UnstorableError,
): Promise<void> {
  const refused = new Set(await refusedEvents(indexing.store, batch.events))
  const places = [...refused].slice(0, MOST_PLACES).map(({ index }) => index)
  const reason = `${refused.size} events cannot be stored (places ${places.join(', ')}): ${error.message}`
  try {
    if (refused.size === 0) throw error
    const events = batch.events.filter((event) => !refused.has(event))
    await commit(indexing, { ...batch, events, rejected: [...batch.rejected, rejectedRow(row, reason)] })
  } catch (second) {
    if (!(second instanceof UnstorableError)) throw second
    const persons = { persons: [], distinctIds: new Map<string, string>(), groups: [] }
    await commit(indexing, { ...batch, events: [], persons, rejected: [rejectedRow(row, second)] })
  }
}

/** The events that the store cannot hold, each found by halving. */
async function refusedEvents(store: EventStore, events: readonly StoredEvent[]): Promise<StoredEvent[]> {
  if (events.length === 0 || (await store.holds(events))) return []
  if (events.length === 1) return [...events]
  const middle = events.length >> 1
  return [
    ...(await refusedEvents(store, events.slice(0, middle))),
    ...(await refusedEvents(store, events.slice(middle))),
  ]
}

async function commit({ store, onRejected }: Indexing, batch: EventBatch): Promise<void> {
  await store.commit(batch)
  for (const row of batch.rejected) onRejected(row)
}

/** The changes of events, in order, without those that only say once more that a distinct id exists, and not for longer. */
function changesIn(read: readonly ReadEvent[]): RowChange[] {
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

function isPlain({ join, identifies, set, setOnce, unset }: Extract<Change, { kind: 'person' }>): boolean {
  const properties = Object.keys(set).length + Object.keys(setOnce).length + unset.length
  return join === null && !identifies && properties === 0
}

interface ReadEvent {
  readonly event: StoredEvent
  /** Whether its uuid was sent with it. */
  readonly isNamed: boolean
  readonly change: RowChange | null
}

/** The events of a row; in the place of what cannot be read stands the row, with the reason. */
function readRow(row: InboxRow): (ReadEvent | RejectedRow)[] {
  return attempt(row, () => readEvents(row).flatMap((given) => attempt(row, () => [readEvent(row, given)])))
}

function attempt<Item>(row: InboxRow, read: () => Item[]): (Item | RejectedRow)[] {
  try {
    return read()
  } catch (error) {
    return [rejectedRow(row, error)]
  }
}

function readEvent(row: InboxRow, given: IngestedEvent): ReadEvent {
  const distinctId = cleanId(given.distinctId) ?? ''
  const change = changeOf({ event: given.event, distinctId, properties: given.properties })
  return {
    event: {
      // What has no uuid is told apart by where it stands: the same at every reading of the row.
      uuid: given.uuid ?? hashedUuid(`event:${row.projectId}:${row.id}:${row.receivedAt}:${given.index}`),
      inboxRow: row.id,
      index: given.index,
      event: cleanId(given.event) ?? '',
      distinctId,
      timestamp: given.timestamp,
      receivedAt: row.receivedAt,
      // Throws where the nesting is deeper than the stack.
      properties: jsonText(given.properties),
    },
    isNamed: given.uuid !== undefined,
    change: change.kind === 'none' ? null : { change, inboxRow: row.id, at: given.timestamp },
  }
}

function rejectedRow(row: InboxRow, error: unknown): RejectedRow {
  return {
    inboxRow: row.id,
    receivedAt: row.receivedAt,
    reason: error instanceof Error ? error.message : String(error),
    form: row.form,
    body: row.body,
  }
}
