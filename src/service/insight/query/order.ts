import { FilterError } from '../filter/filter-error.ts'

/** One key of an order. */
export interface FieldOrder<Field extends string> {
  readonly by: Field
  readonly isDescending: boolean
}

const ENTRY = /^\s*(\w+)(?:\s+(asc|desc))?\s*$/i

/**
 * Parses `orderBy`: names of fields, each with `ASC` or `DESC`. Throws `FilterError`.
 *
 * @param initial For an empty list.
 */
export const parseOrder = <Field extends string>(
  entries: readonly string[] | null | undefined,
  fields: readonly Field[],
  initial: FieldOrder<Field>,
): readonly FieldOrder<Field>[] => {
  if (!entries || entries.length === 0) return [initial]
  return entries.map((entry, index) => {
    const [, name = '', direction] = ENTRY.exec(entry) ?? []
    const by = fields.find((field) => field === name.toLowerCase())
    if (by === undefined)
      throw new FilterError(`query.orderBy[${index}]`, `must be one of ${fields.join(', ')}, with "ASC" or "DESC"`)
    return { by, isDescending: direction?.toLowerCase() === 'desc' }
  })
}
