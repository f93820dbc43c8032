import type { Json } from '../../../wire/json.ts'
import type { FilterContext } from './filter-context.ts'
import { FilterError } from './filter-error.ts'

/**
 * The type of the groups with an index.
 *
 * @param path Path of the index, for errors.
 * @throws FilterError
 */
export const parseGroupType = (
  index: Json | undefined,
  path: string,
  { groupTypes }: Pick<FilterContext, 'groupTypes'>,
): string => {
  const type = typeof index === 'number' && Object.hasOwn(groupTypes, index) ? groupTypes[index] : undefined
  if (type !== undefined) return type
  const known = Object.entries(groupTypes).map(([number, name]) => `${number} (${name})`)
  throw new FilterError(
    path,
    known.length > 0 ? `must be one of ${known.join(', ')}` : 'cannot be used: this project has no group types',
  )
}
