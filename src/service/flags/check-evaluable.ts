import { compile } from '../../evaluate/compile.ts'
import type { FlagDefinition } from '../../wire/definition.ts'
import type { NewFlag } from '../store/metadata/flags.ts'
import type { Links } from './check-links.ts'
import { DefinitionError } from './definition-error.ts'

/** Switched off, no flag looks at anything. */
const switchedOn = (flag: NewFlag): FlagDefinition => ({ ...flag, id: 0, active: true })

/** What keeps each flag from being evaluated, were it switched on; by key. */
const problemsIn = ({ flags, cohorts, groupTypes }: Links): Map<string, string> => {
  const compiled = compile({
    flags: [...flags.values()].map(switchedOn),
    cohorts: Object.fromEntries([...cohorts].map(([id, { filters }]) => [id, filters.properties])),
    group_type_mapping: groupTypes,
  })
  const problems = new Map<string, string>()
  for (const [key, flag] of compiled.flags) {
    const [problem] = flag.problems
    if (!compiled.chains.has(key)) problems.set(key, 'depends on more flags than can be evaluated for one value')
    else if (problem !== undefined) problems.set(key, `cannot be evaluated: ${problem}`)
  }
  return problems
}

/**
 * Checks that definitions which are good each by itself do not come to more, together, than the engine evaluates.
 *
 * @param fail Told the key of a flag that could be evaluated before, and why it cannot be afterwards; throws.
 */
export const checkEvaluable = (
  before: Links,
  after: Links,
  fail: (key: string, error: DefinitionError) => never,
): void => {
  const problems = problemsIn(after)
  if (problems.size === 0) return
  const known = problemsIn(before)
  for (const [key, problem] of problems) if (!known.has(key)) fail(key, new DefinitionError('filters', problem))
}
