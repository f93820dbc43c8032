import { isDeepStrictEqual } from 'node:util'
import type { NewFlag } from '../../store/metadata/flags.ts'
import { DefinitionError } from './definition-error.ts'

/**
 * Refuses `negation: true` in the conditions of a flag that is saved: flags ignore it, so that the flag would be on for the opposite
 * persons. A stored filter that has it may stay as it is.
 *
 * @param stored The flag before the change.
 * @throws DefinitionError
 */
export const refuseNegation = (flag: NewFlag, stored?: NewFlag): void => {
  const kept = (stored?.filters.groups ?? []).flatMap(({ properties }) => properties ?? [])
  for (const [group, { properties }] of flag.filters.groups.entries())
    for (const [index, filter] of (properties ?? []).entries())
      if (filter.negation === true && !kept.some((each) => isDeepStrictEqual(each, filter)))
        throw new DefinitionError(
          `filters.groups[${group}].properties[${index}].negation`,
          'must be false or missing: flags do not invert filters. Use the opposite operator, such as "is_not" for "exact", or a cohort, ' +
            'whose filters may have it',
        )
}
