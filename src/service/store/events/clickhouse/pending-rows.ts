import type { EventBatch, PersonCopyUpdate, StoredEvent } from '../event-store.ts'
import { toStoredPosition } from '../../row-position.ts'
import { toWellFormed } from '../to-well-formed-json.ts'
import { encodeProperties } from './encode-json.ts'
import { encodeEvent, encodeRow, encodeTime, EVENT_COLUMNS } from './event-rows.ts'
import type { PERSON_TABLES } from './schema.ts'

/** Rows of one INSERT, in `JSONCompactEachRow`. The same events give the same bytes. */
export interface Block {
  readonly table: 'stored_events' | 'rejected' | (typeof PERSON_TABLES)[number]
  readonly columns: readonly string[]
  readonly rows: Buffer
}

/** The rows of the batches that are added and not committed. */
export interface PendingRows {
  /** Throws `RangeError` and `SyntaxError` as `encodeEvent` does; nothing is added then. */
  readonly add: (batch: EventBatch, revision: number) => void
  /** In the order in which they are written. `replacesAll`: all persons and groups are deleted before. */
  readonly take: () => { readonly blocks: readonly Block[]; readonly replacesAll: boolean }
  readonly clear: () => void
}

/** Most bytes of the events of one block: as ClickHouse advises, some ten thousand rows. */
const MAX_BLOCK_BYTES = 16 * 1024 * 1024

/** What rows are written for. */
export interface RowContext {
  /** See `createPersonIdCache`. */
  readonly deriveOriginId: (distinctId: string) => string
  /** The node whose inbox has the rows. */
  readonly node: string
}

export const createPendingRows = ({ deriveOriginId, node }: RowContext): PendingRows => {
  let events: string[] = []
  let rejected: string[] = []
  let replacesAll = false
  /** By their key, so that the last state of each one is written. */
  const persons = new Map<string, string>()
  const names = new Map<string, string>()
  const distinctIds = new Map<string, string>()
  const groups = new Map<string, string>()

  const clearPersons = (): void => {
    persons.clear()
    names.clear()
    distinctIds.clear()
    groups.clear()
  }

  const encodePersons = (update: PersonCopyUpdate, version: number): (() => void) => {
    const merged = [...update.distinctIds].flatMap(([distinctId, personId]) => {
      const originId = deriveOriginId(distinctId)
      return originId === personId ? [] : [originId]
    })
    const rows = update.persons.map(
      ({ id, properties, createdAt, isIdentified }) =>
        [
          id,
          encodeRow([id, encodeProperties(properties), encodeTime(createdAt), isIdentified, false, version]),
        ] as const,
    )
    const nameRows = update.persons.flatMap(({ id, publicId }) =>
      publicId === undefined ? [] : [[id, encodeRow([id, publicId, version])] as const],
    )
    const groupRows = update.groups.map(({ type, key, properties, createdAt }) => {
      const values = [
        toWellFormed(type),
        toWellFormed(key),
        encodeProperties(properties),
        encodeTime(createdAt),
        version,
      ]
      return [JSON.stringify([type, key]), encodeRow(values)] as const
    })
    return () => {
      if (update.replacesAll) {
        clearPersons()
        replacesAll = true
      }
      for (const [id, row] of rows) persons.set(id, row)
      for (const [id, row] of nameRows) names.set(id, row)
      // Persons who were merged into others.
      for (const id of merged) persons.set(id, encodeRow([id, '{}', encodeTime(0), false, true, version]))
      for (const [key, row] of groupRows) groups.set(key, row)
      for (const [distinctId, personId] of update.distinctIds) {
        const text = toWellFormed(distinctId)
        distinctIds.set(text, encodeRow([text, deriveOriginId(distinctId), personId, version]))
      }
    }
  }

  const clear = (): void => {
    events = []
    rejected = []
    replacesAll = false
    clearPersons()
  }

  return {
    add(batch, revision) {
      const encoded = batch.events.map((event: StoredEvent) => encodeEvent(event, deriveOriginId(event.distinctId)))
      const addPersons = encodePersons(batch.persons, revision)
      events.push(...encoded)
      addPersons()
      for (const { inboxRow, receivedAt, reason, form, body } of batch.rejected)
        rejected.push(
          encodeRow([node, inboxRow, encodeTime(receivedAt), reason, form, Buffer.from(body).toString('base64')]),
        )
    },
    take() {
      const blocks = [
        ...toBlocks(
          'stored_groups',
          ['group_type', 'group_key', 'properties', 'created_at', 'version'],
          groups.values(),
        ),
        ...toBlocks('stored_persons', PERSON_COLUMNS, persons.values()),
        ...toBlocks('stored_person_names', ['id', 'public_id', 'version'], names.values()),
        ...toBlocks('stored_distinct_ids', ['distinct_id', 'origin_id', 'person_id', 'version'], distinctIds.values()),
        ...toBlocks('rejected', ['node', 'inbox_row', 'received_at', 'reason', 'form', 'body'], rejected),
        // Last: after a failure, events that are stored are not read again, and so neither would their persons be.
        ...toBlocks('stored_events', EVENT_COLUMNS, events),
      ]
      const taken = { blocks, replacesAll }
      clear()
      return taken
    },
    clear,
  }
}

const PERSON_COLUMNS = ['id', 'properties', 'created_at', 'is_identified', 'is_deleted', 'version']

const toBlocks = (table: Block['table'], columns: readonly string[], rows: Iterable<string>): readonly Block[] => {
  const blocks: Block[] = []
  let part: string[] = []
  let bytes = 0
  const end = (): void => {
    if (part.length > 0) blocks.push({ table, columns, rows: Buffer.from(part.join('')) })
    part = []
    bytes = 0
  }
  for (const row of rows) {
    if (bytes + row.length > MAX_BLOCK_BYTES) end()
    part.push(row)
    bytes += row.length
  }
  end()
  return blocks
}

/** The columns of `progress`. */
export const PROGRESS_COLUMNS = ['node', 'inbox_row', 'events', 'person_revision', 'version'] as const

/** Where a node is. */
export interface Progress {
  readonly position: EventBatch['position']
  readonly revision: number
  /** Grows with each commit of the node. */
  readonly version: number
}

export const encodeProgress = (node: string, { position, revision, version }: Progress): Buffer => {
  const { inbox_row: inboxRow, events } = toStoredPosition(position)
  return Buffer.from(encodeRow([node, inboxRow, events, revision, version]))
}
