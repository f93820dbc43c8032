import { compile } from '../../../evaluate/compile.ts'
import type { FlagDefinition } from '../../../wire/definition.ts'
import type { NewFlag } from '../../store/metadata/flags.ts'
import { dependenciesOf } from './check-links.ts'
import type { Links, Named } from './check-links.ts'
import { DefinitionError } from './definition-error.ts'

/** Switched off, no flag looks at anything. */
const switchedOn = (flag: NewFlag): FlagDefinition => ({ ...flag, id: 0, active: true })

/** What keeps each of these flags from being evaluated, were it switched on; by key. */
const problemsIn = (names: readonly Named[], links: Links): Map<string, string> => {
  const { flags, cohorts, groupTypes } = links
  const flagKeys = names.flatMap(({ kind, name }) => (kind === 'flag' && flags.has(name) ? [name] : []))
  const needed = dependenciesOf(
    flagKeys.map((name) => ({ kind: 'flag', name })),
    links,
  )
  const compiled = compile({
    flags: needed.flatMap(({ kind, name }) => (kind === 'flag' && flags.has(name) ? switchedOn(flags.get(name)!) : [])),
    cohorts: Object.fromEntries([...cohorts].map(([id, { filters }]) => [id, filters.properties])),
    group_type_mapping: groupTypes,
  })
  const problems = new Map<string, string>()
  for (const key of flagKeys) {
    const flag = compiled.flags.get(key)!
    const [problem] = flag.problems
    if (!compiled.chains.has(key)) problems.set(key, 'depends on more flags than can be evaluated for one value')
    else if (problem !== undefined) problems.set(key, `cannot be evaluated: ${problem}`)
  }
  return problems
}

/**
 * Checks that definitions which are good each by itself do not come to more, together, than the engine evaluates.
 *
 * @param names The definitions that are changed and those that depend on them: no others can have become too much.
 * @param fail Told the key of a flag that could be evaluated before, and why it cannot be afterwards; throws.
 */
export const checkEvaluable = (
  before: Links,
  after: Links,
  names: readonly Named[],
  fail: (key: string, error: DefinitionError) => never,
): void => {
  const problems = problemsIn(names, after)
  if (problems.size === 0) return
  const known = problemsIn(names, before)
  for (const [key, problem] of problems) if (!known.has(key)) fail(key, new DefinitionError('filters', problem))
}
