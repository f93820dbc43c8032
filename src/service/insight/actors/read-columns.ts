import type { FilterContext } from '../filter/filter-context.ts'
import { FilterError } from '../filter/filter-error.ts'
import type { ActorRecord } from '../question/actors.ts'
import { toIsoTime } from '../../to-iso-time.ts'

/** Reads the columns of a row. */
type ReadRow = (actor: ActorRecord) => readonly unknown[]

const idOf = (actor: ActorRecord): string => (actor.of === 'person' ? actor.id : actor.key)

const createdAtOf = ({ createdAt }: ActorRecord): string => toIsoTime(createdAt)

/** Creates a function that reads columns of actors as clients of the protocol read them. Throws `FilterError`. */
export const readColumns = (columns: readonly string[], { groupTypes }: FilterContext): ReadRow => {
  const toObject = (actor: ActorRecord): object => {
    const { properties } = actor
    const created_at = createdAtOf(actor)
    if (actor.of === 'person') {
      const { id, isIdentified, distinctIds } = actor
      return { id, uuid: id, properties, is_identified: isIdentified, created_at, distinct_ids: distinctIds }
    }
    const { type, key } = actor
    const index = Object.entries(groupTypes).find(([, name]) => name === type)?.[0]
    const group_type_index = index === undefined ? null : Number(index)
    return { id: key, type: 'group', group_key: key, group_type_index, properties, created_at }
  }
  const readers = new Map<string, (actor: ActorRecord) => unknown>([
    ['person', toObject],
    ['actor', toObject],
    ['group', toObject],
    ['id', idOf],
    ['created_at', createdAtOf],
  ])
  const chosen = columns.map((column, index) => {
    const reader = readers.get(column)
    if (reader === undefined)
      throw new FilterError(`query.select[${index}]`, `must be one of ${[...readers.keys()].join(', ')}`)
    return reader
  })
  return (actor) => chosen.map((read) => read(actor))
}
