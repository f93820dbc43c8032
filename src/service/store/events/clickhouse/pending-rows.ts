import { groupKey } from '../../../persons/person.ts'
import type { EventBatch, PersonCopyUpdate, StoredEvent } from '../event-store.ts'
import { toStoredPosition } from '../../row-position.ts'
import { toWellFormed } from '../to-well-formed-json.ts'
import { encodeEvent, encodeRow, encodeTime, EVENT_COLUMNS } from './event-rows.ts'
import { createOwnerRows } from './owner-rows.ts'
import { CHANGED_GROUPS, CHANGED_PERSONS, replaceOutdated } from './property-changes.ts'
import type { PERSON_TABLES } from './schema.ts'
import type { WrittenBases } from './written-bases.ts'
import { createPendingBases } from './written-bases.ts'

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
  /** Call `onWritten` when all was written, or `clear`. */
  readonly take: () => PendingWrite
  readonly onWritten: () => void
  readonly clear: () => void
}

/** What one commit writes. */
export interface PendingWrite {
  /** Whether all persons and groups are deleted first. */
  readonly replacesAll: boolean
  readonly personBlocks: readonly Block[]
  /** Statements that follow these blocks (`replaceOutdated`). */
  readonly statements: readonly string[]
  /** Last: after a failure, events that are stored are not read again, and so neither would their persons be. */
  readonly eventBlocks: readonly Block[]
}

/** Most bytes of the events of one block: as ClickHouse advises, some ten thousand rows. */
const MAX_BLOCK_BYTES = 16 * 1024 * 1024

/** What rows are written for. */
export interface RowContext {
  /** See `createPersonIdCache`. */
  readonly deriveOriginId: (distinctId: string) => string
  /** The node whose inbox has the rows. */
  readonly node: string
  readonly projectId: number
  readonly bases: WrittenBases
}

export const createPendingRows = ({ deriveOriginId, node, projectId, bases }: RowContext): PendingRows => {
  let events: string[] = []
  let rejected: string[] = []
  let replacesAll = false
  const persons = createOwnerRows(createPendingBases(bases, `person ${projectId} `))
  const groups = createOwnerRows(createPendingBases(bases, `group ${projectId} `))
  /** By their key, so that the last state of each one is written. */
  const names = new Map<string, string>()
  const distinctIds = new Map<string, string>()

  const encodePersons = (update: PersonCopyUpdate, version: number): (() => void) => {
    const { changedBefore } = update
    const changedNames = update.replacesAll ? undefined : update.changedNames
    const mayHaveChanges = (key: string): boolean => changedBefore?.has(key) ?? true
    const merged = [...update.distinctIds].flatMap(([distinctId, personId]) => {
      const originId = deriveOriginId(distinctId)
      return originId === personId ? [] : [originId]
    })
    const adders = update.persons.map(({ id, properties, stored, createdAt, isIdentified }) => {
      const others = [encodeTime(createdAt), isIdentified]
      return persons.encode({
        key: id,
        columns: [id],
        properties,
        stored,
        version,
        names: changedNames?.get(id),
        mayHaveChanges: mayHaveChanges(id),
        encodeAll: (json) => encodeRow([id, json, ...others, false, version]),
        encodeOne: (name, value) => encodeRow([id, name, value, ...others, version]),
      })
    })
    const nameRows = update.persons.flatMap(({ id, publicId }) =>
      publicId === undefined ? [] : [[id, encodeRow([id, publicId, version])] as const],
    )
    const groupAdders = update.groups.map(({ type, key, properties, stored, createdAt }) => {
      const place = groupKey(type, key)
      const [columns, time] = [[toWellFormed(type), toWellFormed(key)], encodeTime(createdAt)]
      return groups.encode({
        key: place,
        columns,
        properties,
        stored,
        version,
        names: changedNames?.get(place),
        mayHaveChanges: mayHaveChanges(place),
        encodeAll: (json) => encodeRow([...columns, json, time, version]),
        encodeOne: (name, value) => encodeRow([...columns, name, value, time, version]),
      })
    })
    return () => {
      if (update.replacesAll) {
        for (const owners of [persons, groups]) owners.onReplaced()
        for (const rows of [names, distinctIds]) rows.clear()
        replacesAll = true
      }
      for (const add of adders) add()
      for (const [id, row] of nameRows) names.set(id, row)
      // Persons who were merged into others.
      for (const id of merged) {
        const deleted = encodeRow([id, '{}', encodeTime(0), false, true, version])
        persons.addDeleted({ key: id, columns: [id], mayHaveChanges: mayHaveChanges(id), version }, deleted)
      }
      for (const add of groupAdders) add()
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
    for (const rows of [names, distinctIds]) rows.clear()
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
      const [takenGroups, takenPersons] = [groups.take(), persons.take()]
      const taken: PendingWrite = {
        replacesAll,
        personBlocks: [
          ...toBlocks('stored_groups', GROUP_COLUMNS, takenGroups.rows),
          ...toBlocks('stored_group_changes', GROUP_CHANGE_COLUMNS, takenGroups.changes),
          ...toBlocks('stored_persons', PERSON_COLUMNS, takenPersons.rows),
          ...toBlocks('stored_person_changes', PERSON_CHANGE_COLUMNS, takenPersons.changes),
          ...toBlocks('stored_person_names', ['id', 'public_id', 'version'], names.values()),
          ...toBlocks(
            'stored_distinct_ids',
            ['distinct_id', 'origin_id', 'person_id', 'version'],
            distinctIds.values(),
          ),
        ],
        statements: replacesAll
          ? []
          : [
              ...replaceOutdated(CHANGED_GROUPS, takenGroups.outdated),
              ...replaceOutdated(CHANGED_PERSONS, takenPersons.outdated),
            ],
        eventBlocks: [
          ...toBlocks('rejected', ['node', 'inbox_row', 'received_at', 'reason', 'form', 'body'], rejected),
          ...toBlocks('stored_events', EVENT_COLUMNS, events),
        ],
      }
      clear()
      return taken
    },
    onWritten() {
      for (const owners of [persons, groups]) owners.onWritten()
    },
    clear() {
      clear()
      for (const owners of [persons, groups]) owners.discard()
    },
  }
}

const PERSON_COLUMNS = ['id', 'properties', 'created_at', 'is_identified', 'is_deleted', 'version']
const GROUP_COLUMNS = ['group_type', 'group_key', 'properties', 'created_at', 'version']
const PERSON_CHANGE_COLUMNS = ['id', 'name', 'value', 'created_at', 'is_identified', 'version']
const GROUP_CHANGE_COLUMNS = ['group_type', 'group_key', 'name', 'value', 'created_at', 'version']

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
