import type { FlagDefinition } from '../../wire/definition.ts'
import type { DecideSubject } from './decide-subject.ts'

/** Whether a request wants to hear of a flag: by its key, the runtime it is for and the contexts it names. */
export const isWanted = (
  { key, evaluation_runtime: runtime, evaluation_contexts, evaluation_tags }: FlagDefinition,
  subject: Pick<DecideSubject, 'keys' | 'runtime' | 'contexts'>,
): boolean => {
  if (subject.keys && !subject.keys.has(key)) return false
  if (subject.runtime && runtime && runtime !== 'all' && runtime !== subject.runtime) return false
  const { contexts } = subject
  const named = evaluation_contexts ?? evaluation_tags ?? []
  // A definition that a newer release has written may have anything there.
  return !contexts || !Array.isArray(named) || named.length === 0 || named.some((context) => contexts.has(context))
}
