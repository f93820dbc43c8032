import type { FlagDefinition } from '../wire/definition.ts'

/**
 * Whether a flag is meant for a place: by the runtime that it is for and the contexts that it names.
 *
 * @param runtime `client` or `server`; undefined: whatever the flag says.
 * @param contexts A flag that names contexts is meant for those alone; undefined: whatever the flag says.
 */
export const isMeantFor = (
  { evaluation_runtime, evaluation_contexts, evaluation_tags }: FlagDefinition,
  runtime: string | undefined,
  contexts: ReadonlySet<string> | undefined,
): boolean => {
  if (runtime && evaluation_runtime && evaluation_runtime !== 'all' && evaluation_runtime !== runtime) return false
  const named = evaluation_contexts ?? evaluation_tags ?? []
  // A definition that a newer release has written may have anything there.
  return !contexts || !Array.isArray(named) || named.length === 0 || named.some((context) => contexts.has(context))
}
