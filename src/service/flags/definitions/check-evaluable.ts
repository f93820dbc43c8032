import { compile } from '../../../evaluate/compile.ts'
import type { FlagDefinition } from '../../../wire/definition.ts'
import type { NewFlag } from '../../store/metadata/flags.ts'
import { findDependencies } from './check-references.ts'
import type { LiveDefinitions, DefinitionRef } from './check-references.ts'
import { DefinitionError } from './definition-error.ts'

/** An inactive flag would compile without its conditions, so it is checked as an active one. */
const activate = (flag: NewFlag): FlagDefinition => ({ ...flag, id: 0, active: true })

/** Why each of these flags could not be evaluated if it were active, by flag key. */
const findProblems = (refs: readonly DefinitionRef[], definitions: LiveDefinitions): Map<string, string> => {
  const { flags, cohorts, groupTypes } = definitions
  const flagKeys = refs.flatMap(({ kind, name }) => (kind === 'flag' && flags.has(name) ? [name] : []))
  const needed = findDependencies(
    flagKeys.map((name) => ({ kind: 'flag', name })),
    definitions,
  )
  const compiled = compile({
    flags: needed.flatMap(({ kind, name }) => (kind === 'flag' && flags.has(name) ? activate(flags.get(name)!) : [])),
    cohorts: Object.fromEntries([...cohorts].map(([id, { filters }]) => [id, filters.properties])),
    group_type_mapping: groupTypes,
  })
  const problems = new Map<string, string>()
  for (const key of flagKeys) {
    const flag = compiled.flags.get(key)!
    const [problem] = flag.problems
    if (!compiled.chains.has(key))
      problems.set(key, 'depends on too many other flags to be evaluated; remove some of the dependencies')
    else if (problem !== undefined) problems.set(key, `cannot be evaluated: ${problem}`)
  }
  return problems
}

/**
 * Checks that definitions which are valid individually do not exceed the limits of the engine when they are combined.
 *
 * @param refs The changed definitions and those that depend on them: only these can have become too large.
 * @param fail Called with the key of a flag that could be evaluated before the change, and why it cannot be now. Throws.
 */
export const checkEvaluable = (
  before: LiveDefinitions,
  after: LiveDefinitions,
  refs: readonly DefinitionRef[],
  fail: (key: string, error: DefinitionError) => never,
): void => {
  const problems = findProblems(refs, after)
  if (problems.size === 0) return
  const previous = findProblems(refs, before)
  for (const [key, problem] of problems) if (!previous.has(key)) fail(key, new DefinitionError('filters', problem))
}
