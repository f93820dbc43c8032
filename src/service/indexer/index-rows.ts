import type { IngestedEvent } from '../ingest/events.ts'
import { readEvents } from '../ingest/events.ts'
import { changeOf, cleanId } from '../persons/change.ts'
import { hashedUuid } from '../persons/person-id.ts'
import type { PersonRegister, RowChange } from '../persons/register.ts'
import type { EventStore, RejectedRow, StoredEvent } from '../store/events/event-store.ts'
import { UnstorableError } from '../store/events/event-store.ts'
import { jsonText } from '../store/events/json-text.ts'
import type { InboxRow } from '../store/inbox/inbox.ts'

/**
 * Bytes of event properties after which rows are committed: a body may be a thousand times as large as what was received,
 * and a few such in one transaction would take the memory of the process.
 */
const COMMIT_BYTES = 8 * 1024 * 1024

/**
 * Brings inbox rows of one project into its store: reads the events, leaves out duplicates, carries out their changes to
 * persons, and commits. Rows that the store already covers are passed over, so it may be called again with the same rows
 * after any failure. Rows that cannot be read or stored are set aside with a reason.
 */
export async function indexRows(
  register: PersonRegister,
  store: EventStore,
  projectId: number,
  rows: readonly InboxRow[],
): Promise<void> {
  const fresh = rows.filter((row) => row.id > store.position())
  for (let from = 0; from < fresh.length;) {
    const part = readPart(fresh, from)
    from += part.rows.length
    await indexPart(register, store, projectId, part)
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
      bytes += one.event.properties.length
    }
  }
  return { rows: rows.slice(from, to), read, rejected }
}

async function indexPart(
  register: PersonRegister,
  store: EventStore,
  projectId: number,
  { rows, read, rejected }: Part,
): Promise<void> {
  const position = rows.at(-1)!.id
  const duplicates = await store.duplicates(read.map(({ event }) => event))
  const kept = read.filter(({ event }) => !duplicates.has(event))
  const changes = kept.flatMap(({ change }) => change ?? [])
  const persons = await register.apply(projectId, changes, position)
  try {
    await store.commit({ position, events: kept.map(({ event }) => event), persons, rejected })
  } catch (error) {
    if (!(error instanceof UnstorableError)) throw error
    // Perhaps one row is at fault, or all are too much at once. Persons are done, which each of these calls will find.
    if (rows.length > 1) {
      for (const row of rows) await indexRows(register, store, projectId, [row])
      return
    }
    if (error.reason === 'memory') throw error
    const nothing = { persons: [], distinctIds: new Map<string, string>(), groups: [] }
    await store.commit({
      position,
      events: [],
      persons: nothing,
      rejected: rows.map((row) => rejectedRow(row, error)),
    })
  }
}

interface ReadEvent {
  readonly event: StoredEvent
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
