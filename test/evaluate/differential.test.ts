import { isDeepStrictEqual } from 'node:util'
import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { compile } from '../../src/evaluate/compile.ts'
import { evaluateFlag } from '../../src/evaluate/evaluate-flag.ts'
import { evaluationContext } from '../../src/evaluate/evaluation.ts'
import type { FlagDefinitions } from '../../src/wire/definition.ts'
import { definitionsArbitrary, now, subjectArbitrary } from './arbitraries.ts'
import { interpret } from './reference/interpret.ts'
import type { ReferenceEvaluation, Subject } from './reference/interpret.ts'
import type { Deviation } from './reference/deviation.ts'
import { startPosthogNode } from './posthog-node.ts'
import type { PosthogNode } from './posthog-node.ts'

/** Several seeds: with one seed, a rare deviation could be missing by chance. The test requires that each one occurs. */
const SEEDS = [570, 571, 99, 20_201]
const SETS_PER_SEED = 70
const FLAGS_PER_SET = 20
const PEOPLE_PER_SET = 10

/**
 * Why we keep a rule from which posthog-node 5.70 deviates. A difference is explained when our result follows the rules and one to
 * three deviations make the reference return the client's result.
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
  'an empty cohort in a cohort is a condition':
    'A cohort without conditions, `{}`, contains everyone, alone as well as inside another cohort.',
  'filters.bucketing_identifier is ignored':
    'Other clients of the protocol read it there. Our service and agents hash by the same id, wherever it stands.',
  'a dependency needs its chain':
    'The order in which flags depend on each other follows from the definitions, so `dependency_chain` may be missing.',
  'the rollout is checked last': 'A condition gives no value to those outside its rollout, so it cannot block others.',
}
const deviations = Object.keys(explanations) as readonly Deviation[]

interface Interpretation {
  readonly evaluation: ReferenceEvaluation
  /** Deviations that are not active but could change the result. */
  readonly inactive: readonly Deviation[]
}

/** Evaluates the reference with these deviations. */
const interpretWith = (
  definitions: FlagDefinitions,
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
  return { evaluation: interpret(definitions, key, person, { has }), inactive: [...inactive] }
}

/** Finds the fewest deviations that give the expected result; undefined when three are not enough. */
const findExplanation = (
  isMatch: (evaluation: ReferenceEvaluation) => boolean,
  definitions: FlagDefinitions,
  key: string,
  person: Subject,
): readonly Deviation[] | undefined => {
  let candidates: readonly { readonly active: readonly Deviation[]; readonly inactive: readonly Deviation[] }[] = [
    { active: [], inactive: interpretWith(definitions, key, person, []).inactive },
  ]
  for (let size = 1; size <= 3; size++) {
    const nextCandidates = []
    for (const { active, inactive } of candidates)
      for (const deviation of inactive) {
        const extended = [...active, deviation]
        const interpretation = interpretWith(definitions, key, person, extended)
        if (isMatch(interpretation.evaluation)) return extended
        nextCandidates.push({ active: extended, inactive: interpretation.inactive })
      }
    candidates = nextCandidates
  }
  return undefined
}

let posthogNode: PosthogNode
const originalTimeZone = process.env['TZ']

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
  if (originalTimeZone === undefined) delete process.env['TZ']
  else process.env['TZ'] = originalTimeZone
  vi.useRealTimers()
  vi.restoreAllMocks()
})

interface Case {
  readonly definitions: FlagDefinitions
  readonly people: readonly Subject[]
}

it('agrees with posthog-node in 56,000 cases except for explained deviations', { timeout: 120_000 }, async () => {
  const caseArbitrary: fc.Arbitrary<Case> = fc.record({
    definitions: definitionsArbitrary(FLAGS_PER_SET),
    people: fc.array(subjectArbitrary(false), { minLength: PEOPLE_PER_SET, maxLength: PEOPLE_PER_SET }),
  })
  const cases = SEEDS.flatMap((seed) => fc.sample(caseArbitrary, { numRuns: SETS_PER_SEED, seed }))
  const occurrenceCounts = new Map<Deviation, number>(deviations.map((deviation) => [deviation, 0]))
  const unexplained: unknown[] = []
  let caseCount = 0
  let decidedCount = 0
  let singleExplanations = 0
  let combinedExplanations = 0
  for (const { definitions, people } of cases) {
    const compiled = compile(definitions)
    await posthogNode.load(definitions)
    for (const person of people) {
      const context = evaluationContext(person)
      for (const { key } of definitions.flags) {
        const actual = evaluateFlag(compiled.flags.get(key)!, context)
        const expected = await posthogNode.evaluate(key, person)
        caseCount++
        if (expected.value !== undefined) decidedCount++
        const isExpected = (evaluation: { value: unknown; payload?: unknown }): boolean =>
          evaluation.value === expected.value &&
          isDeepStrictEqual(evaluation.payload ?? undefined, expected.payload ?? undefined)
        if (isExpected(actual)) continue
        const followsRules = interpret(definitions, key, person).value === actual.value
        const explanation = findExplanation(isExpected, definitions, key, person)
        if (!followsRules || !explanation) unexplained.push({ key, actual, expected, person, definitions })
        else {
          if (explanation.length === 1) singleExplanations++
          else combinedExplanations++
          for (const deviation of explanation) occurrenceCounts.set(deviation, occurrenceCounts.get(deviation)! + 1)
        }
      }
    }
  }
  expect(unexplained.slice(0, 3)).toEqual([])
  expect(caseCount).toBe(56_000)
  // Explanations by two or three deviations must stay rare, so that they do not hide mistakes.
  expect(combinedExplanations).toBeLessThan(singleExplanations / 20)
  expect(decidedCount).toBeGreaterThan(caseCount / 2)
  expect([...occurrenceCounts].filter(([, count]) => count === 0)).toEqual([])
})
