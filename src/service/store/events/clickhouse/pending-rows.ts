import type { JsonObject } from '../../../../wire/json.ts'
import { groupKey } from '../../../persons/person.ts'
import { MIN_BASE_BYTES } from '../../../persons/plan-write.ts'
import type { EventBatch, PersonCopyUpdate, StoredEvent } from '../event-store.ts'
import { toStoredPosition } from '../../row-position.ts'
import { writeInLines } from '../properties-in-lines.ts'
import { toWellFormed } from '../to-well-formed-json.ts'
import { encodeJson } from './encode-json.ts'
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
  const personChanges = new Map<string, Changes>()
  const groupChanges = new Map<string, Changes>()

  const clearPersons = (): void => {
    for (const rows of [persons, names, distinctIds, groups, personChanges, groupChanges]) rows.clear()
  }

  const encodePersons = (update: PersonCopyUpdate, version: number): (() => void) => {
    const merged = [...update.distinctIds].flatMap(([distinctId, personId]) => {
      const originId = deriveOriginId(distinctId)
      return originId === personId ? [] : [originId]
    })
    const personRows = update.persons.map(({ id, properties, createdAt, isIdentified }) => {
      const others = [encodeTime(createdAt), isIdentified]
      const write = encodeWrite(properties, update.changedNames?.get(id), {
        all: (json) => encodeRow([id, json, ...others, false, version]),
        one: (name, value) => encodeRow([id, name, value, ...others, version]),
      })
      return [id, write] as const
    })
    const nameRows = update.persons.flatMap(({ id, publicId }) =>
      publicId === undefined ? [] : [[id, encodeRow([id, publicId, version])] as const],
    )
    const groupRows = update.groups.map(({ type, key, properties, createdAt }) => {
      const place = groupKey(type, key)
      const [keys, time] = [[toWellFormed(type), toWellFormed(key)], encodeTime(createdAt)]
      const write = encodeWrite(properties, update.changedNames?.get(place), {
        all: (json) => encodeRow([...keys, json, time, version]),
        one: (name, value) => encodeRow([...keys, name, value, time, version]),
      })
      return [place, write] as const
    })
    return () => {
      if (update.replacesAll) {
        clearPersons()
        replacesAll = true
      }
      for (const [id, write] of personRows) addWrite({ rows: persons, changes: personChanges }, id, write)
      for (const [id, row] of nameRows) names.set(id, row)
      // Persons who were merged into others.
      for (const id of merged) {
        const deleted = encodeRow([id, '{}', encodeTime(0), false, true, version])
        addWrite({ rows: persons, changes: personChanges }, id, deleted)
      }
      for (const [key, write] of groupRows) addWrite({ rows: groups, changes: groupChanges }, key, write)
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
        ...toBlocks('stored_group_changes', GROUP_CHANGE_COLUMNS, rowsOf(groupChanges)),
        ...toBlocks('stored_persons', PERSON_COLUMNS, persons.values()),
        ...toBlocks('stored_person_changes', PERSON_CHANGE_COLUMNS, rowsOf(personChanges)),
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
const PERSON_CHANGE_COLUMNS = ['id', 'name', 'value', 'created_at', 'is_identified', 'version']
const GROUP_CHANGE_COLUMNS = ['group_type', 'group_key', 'name', 'value', 'created_at', 'version']

/** Rows of changed properties by the JSON of their names (`CHANGE_TABLES`). */
type Changes = Map<string, string>

/** How a row of a person or group is written, of all properties or of one. */
interface RowWriters {
  readonly all: (json: string) => string
  readonly one: (name: string, value: string) => string
}

/** The row of all properties; or the rows of those with these names. */
const encodeWrite = (
  properties: JsonObject,
  names: ReadonlySet<string> | undefined,
  { all, one }: RowWriters,
): string | Changes => {
  if (names === undefined) {
    const json = encodeJson(properties)
    return all(json.length < MIN_BASE_BYTES ? json : writeInLines(properties, encodeJson))
  }
  const changes: Changes = new Map([['', one('', '')]])
  for (const name of names) {
    const json = encodeJson(name)
    changes.set(json, one(json, Object.hasOwn(properties, name) ? encodeJson(properties[name]!) : ''))
  }
  return changes
}

/** The last state of each person or group that is written. */
interface Owners {
  readonly rows: Map<string, string>
  readonly changes: Map<string, Changes>
}

const addWrite = ({ rows, changes }: Owners, key: string, write: string | Changes): void => {
  if (typeof write === 'string') {
    rows.set(key, write)
    changes.delete(key)
    return
  }
  const earlier = changes.get(key)
  if (earlier === undefined) changes.set(key, write)
  else for (const [name, row] of write) earlier.set(name, row)
}

const rowsOf = (changes: ReadonlyMap<string, Changes>): readonly string[] =>
  [...changes.values()].flatMap((rows) => Array.from(rows.values()))

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
