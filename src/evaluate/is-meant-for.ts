import type { FlagDefinition } from '../wire/definition.ts'

/**
 * Returns whether a flag is meant for an environment with this runtime and these evaluation contexts.
 *
 * @param runtime `client` or `server`; undefined: any runtime.
 * @param contexts Contexts of the environment. A flag that lists contexts is meant only for these; undefined: any context.
 */
export const isMeantFor = (
  { evaluation_runtime, evaluation_contexts, evaluation_tags }: FlagDefinition,
  runtime: string | undefined,
  contexts: ReadonlySet<string> | undefined,
): boolean => {
  if (runtime && evaluation_runtime && evaluation_runtime !== 'all' && evaluation_runtime !== runtime) return false
  const flagContexts = evaluation_contexts ?? evaluation_tags ?? []
  // Definitions are not validated: a newer release may store another type here.
  return (
    !contexts ||
    !Array.isArray(flagContexts) ||
    flagContexts.length === 0 ||
    flagContexts.some((context) => contexts.has(context))
  )
}
