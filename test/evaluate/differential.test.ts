import { isDeepStrictEqual } from 'node:util'
import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { compile } from '../../src/evaluate/compile.ts'
import { evaluateFlag } from '../../src/evaluate/evaluate-flag.ts'
import { evaluationContext } from '../../src/evaluate/evaluation.ts'
import type { FlagDefinitions } from '../../src/wire/definition.ts'
import { definitions, now, subject } from './arbitraries.ts'
import { interpret } from './reference/interpret.ts'
import type { ReferenceEvaluation, Subject } from './reference/interpret.ts'
import type { Deviation } from './reference/deviation.ts'
import { startPosthogNode } from './posthog-node.ts'
import type { PosthogNode } from './posthog-node.ts'

/** Several seeds, so that the check for deviations that never occur does not depend on one. */
const seeds = [570, 571, 99, 20_201]
const sets = 70
const flagsOfSet = 20
const subjectsOfSet = 10

/**
 * Why we keep to the rule where posthog-node 5.70 deviates from it. A difference counts as explained when our result follows the
 * rules and one to three deviations make the reference give the client's result.
 */
const explanations: Readonly<Record<Deviation, string>> = {
  'enrolment is ignored':
    'A person who enrolled for a feature gets it, whatever the conditions say; the service knows the enrolment.',
  'every integer is inconclusive':
    'Between two numbers it does not matter whether the service prints 1 or 1.0; in a list another element may match.',
  'String() prints lists and objects': 'The service prints JSON: "[object Object]" would match nothing there.',
  'anything can be ordered': 'Being greater than null or true is meaningless: such a definition is not supported.',
  'null fails an unknown operator': 'The meaning of an unknown operator is unknown for null too.',
  'a string with a carriage return is not searched':
    'A carriage return means the same in our patterns as in the service.',
  'a date is what Date accepts': 'What Date accepts beyond ISO 8601 depends on the engine.',
  'a date without a zone is local': 'A definition has one meaning, wherever it is evaluated: UTC.',
  'a static cohort counts in written order':
    'The order of ANDed conditions does not matter: a failing one decides, otherwise the service does.',
  'a cohort is all cohorts or all conditions': 'A cohort may mix both.',
  'the rollout is checked last': 'A condition gives no value to those outside its rollout, so it cannot block others.',
}
const deviations = Object.keys(explanations) as readonly Deviation[]

interface Interpretation {
  readonly evaluation: ReferenceEvaluation
  /** Deviations that are not active but would change the result. */
  readonly inactive: readonly Deviation[]
}

/** Evaluates the reference with these deviations. */
const interpretWith = (
  set: FlagDefinitions,
  key: string,
  person: Subject,
  active: readonly Deviation[],
): Interpretation => {
  const inactive = new Set<Deviation>()
  const has = (deviation: Deviation): boolean => {
    if (active.includes(deviation)) return true
    inactive.add(deviation)
    return false
  }
  return { evaluation: interpret(set, key, person, { has }), inactive: [...inactive] }
}

/** The fewest deviations that give the wanted result; undefined when three are not enough. */
const findExplanation = (
  isMatch: (evaluation: ReferenceEvaluation) => boolean,
  set: FlagDefinitions,
  key: string,
  person: Subject,
): readonly Deviation[] | undefined => {
  let candidates: readonly { readonly active: readonly Deviation[]; readonly inactive: readonly Deviation[] }[] = [
    { active: [], inactive: interpretWith(set, key, person, []).inactive },
  ]
  for (let size = 1; size <= 3; size++) {
    const next = []
    for (const { active, inactive } of candidates)
      for (const deviation of inactive) {
        const extended = [...active, deviation]
        const interpretation = interpretWith(set, key, person, extended)
        if (isMatch(interpretation.evaluation)) return extended
        next.push({ active: extended, inactive: interpretation.inactive })
      }
    candidates = next
  }
  return undefined
}

let posthogNode: PosthogNode
const zone = process.env['TZ']

beforeAll(async () => {
  // Neither side may depend on the date or the time zone of the test.
  vi.useFakeTimers({ toFake: ['Date'], now })
  process.env['TZ'] = 'America/St_Johns'
  // The client warns about each definition that it does not support.
  vi.spyOn(console, 'warn').mockReturnValue()
  posthogNode = await startPosthogNode()
})

afterAll(async () => {
  await posthogNode.stop()
  if (zone === undefined) delete process.env['TZ']
  else process.env['TZ'] = zone
  vi.useRealTimers()
  vi.restoreAllMocks()
})

interface Case {
  readonly set: FlagDefinitions
  readonly people: readonly Subject[]
}

it('agrees with posthog-node in 56,000 cases except for explained deviations', { timeout: 120_000 }, async () => {
  const caseArbitrary: fc.Arbitrary<Case> = fc.record({
    set: definitions(flagsOfSet),
    people: fc.array(subject(false), { minLength: subjectsOfSet, maxLength: subjectsOfSet }),
  })
  const cases = seeds.flatMap((seed) => fc.sample(caseArbitrary, { numRuns: sets, seed }))
  const occurred = new Map<Deviation, number>(deviations.map((deviation) => [deviation, 0]))
  const unexplained: unknown[] = []
  let caseCount = 0
  let decided = 0
  let explainedByOne = 0
  let explainedByMore = 0
  for (const { set, people } of cases) {
    const compiled = compile(set)
    await posthogNode.load(set)
    for (const person of people) {
      const context = evaluationContext(person)
      for (const { key } of set.flags) {
        const actual = evaluateFlag(compiled.flags.get(key)!, context)
        const expected = await posthogNode.evaluate(key, person)
        caseCount++
        if (expected.value !== undefined) decided++
        const isExpected = (evaluation: { value: unknown; payload?: unknown }): boolean =>
          evaluation.value === expected.value &&
          isDeepStrictEqual(evaluation.payload ?? undefined, expected.payload ?? undefined)
        if (isExpected(actual)) continue
        const followsRules = interpret(set, key, person).value === actual.value
        const explanation = findExplanation(isExpected, set, key, person)
        if (!followsRules || !explanation) unexplained.push({ key, actual, expected, person, set })
        else {
          if (explanation.length === 1) explainedByOne++
          else explainedByMore++
          for (const deviation of explanation) occurred.set(deviation, occurred.get(deviation)! + 1)
        }
      }
    }
  }
  expect(unexplained.slice(0, 3)).toEqual([])
  expect(caseCount).toBe(56_000)
  // Explanations by two or three deviations must stay rare, so that they do not hide mistakes.
  expect(explainedByMore).toBeLessThan(explainedByOne / 20)
  expect(decided).toBeGreaterThan(caseCount / 2)
  expect([...occurred].filter(([, count]) => count === 0)).toEqual([])
})
