import { MAX_COMPARED_LENGTH } from '../closest-name.ts'
import type { Ask } from '../insight/question/questions.ts'
import type { ProjectNames } from './question.ts'

/** Maximum number of names of each kind. */
const MAX_NAMES = 1_000

const keepNames = (named: readonly { readonly name: string }[]): readonly string[] =>
  named
    .map(({ name }) => name)
    .filter(({ length }) => length <= MAX_COMPARED_LENGTH)
    .slice(0, MAX_NAMES)

/**
 * Reads the names of a project's events and properties. Longer names than those that can be compared are left out.
 *
 * @param ask Its errors are passed on.
 */
export const readProjectNames = async (ask: Ask): Promise<ProjectNames> => ({
  events: keepNames(await ask('eventNames', {})),
  eventProperties: keepNames(await ask('propertyNames', { owner: { of: 'event' } })),
  personProperties: keepNames(await ask('propertyNames', { owner: { of: 'person' } })),
})
