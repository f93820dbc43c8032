import { FilterError } from '../filter/filter-error.ts'
import type { ActorOrder } from '../question/actors.ts'

const ORDER = /^\s*(created_at|id)(?:\s+(asc|desc))?\s*$/i

/** Parses `orderBy`: `created_at DESC`, which is the default. Throws `FilterError`. */
export const parseOrder = (entries: readonly string[] | null | undefined): readonly ActorOrder[] => {
  if (!entries || entries.length === 0) return [{ by: 'created_at', isDescending: true }]
  return entries.map((entry, index) => {
    const [, by, direction] = ORDER.exec(entry) ?? []
    if (by === undefined)
      throw new FilterError(`query.orderBy[${index}]`, 'must be "created_at" or "id", with "ASC" or "DESC"')
    return { by: by.toLowerCase() as ActorOrder['by'], isDescending: direction?.toLowerCase() === 'desc' }
  })
}
