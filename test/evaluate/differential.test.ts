import { isDeepStrictEqual } from 'node:util'
import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { compile } from '../../src/evaluate/compile.ts'
import { evaluateFlag } from '../../src/evaluate/evaluate-flag.ts'
import { evaluationContext } from '../../src/evaluate/evaluation.ts'
import type { FlagDefinitions } from '../../src/wire/definition.ts'
import { definitions, now, subject } from './arbitraries.ts'
import { interpret } from './reference/interpret.ts'
import type { Answer, Subject } from './reference/interpret.ts'
import type { Deviation } from './reference/deviation.ts'
import { startPosthogNode } from './posthog-node.ts'
import type { PosthogNode } from './posthog-node.ts'

/** Several, so that what never occurs does not hang on one. */
const seeds = [570, 571, 99, 20_201]
const sets = 70
const flagsOfSet = 20
const subjectsOfSet = 10

/**
 * Why we keep to the rule where posthog-node 5.70 deviates from it. A difference is explained by what it takes to make the
 * reference answer as that client does: one deviation, or else two, or three, of those that the flag and the person give rise to; and only
 * where our answer is that of the rules.
 */
const explanations: Readonly<Record<Deviation, string>> = {
  'enrolment is not looked at':
    'Who enrolled for a feature gets it, whatever the conditions say; the service knows of them.',
  'every integer is open':
    'Of two numbers it does not matter whether the service prints 1 or 1.0; one that is in a list may match by another element.',
  'String() prints lists and objects': 'The service prints JSON: "[object Object]" would match nothing there.',
  'anything can be ordered': 'To be more than null or true means nothing: such a definition is not supported.',
  'null fails an unknown operator': 'What an operator means that is not known is not known for null either.',
  'no text with a carriage return is searched': 'A carriage return means the same in our patterns as in the service.',
  'a date is what Date reads': 'What Date reads beyond ISO 8601 depends on the engine.',
  'a date without a zone is local': 'A definition has one meaning, wherever it is evaluated: UTC.',
  'a static cohort counts where it is met':
    'The order of conditions that hold together does not matter: what fails decides, else the service must.',
  'a cohort is all cohorts or all conditions': 'A cohort may mix both.',
  'the rollout is asked last':
    'Whom the rollout keeps out, a condition gives no value, so it cannot stand in the way of others.',
}
const deviations = Object.keys(explanations) as readonly Deviation[]

interface Reading {
  readonly answer: Answer
  /** Deviations that are not among those named, but would change what was read. */
  readonly others: readonly Deviation[]
}

/** What the reference says with these deviations. */
const read = (set: FlagDefinitions, key: string, person: Subject, named: readonly Deviation[]): Reading => {
  const others = new Set<Deviation>()
  const has = (deviation: Deviation): boolean => {
    if (named.includes(deviation)) return true
    others.add(deviation)
    return false
  }
  return { answer: interpret(set, key, person, { has }), others: [...others] }
}

/** The fewest deviations with which the reference says what is wanted; undefined when three are not enough. */
const explained = (
  isWanted: (answer: Answer) => boolean,
  set: FlagDefinitions,
  key: string,
  person: Subject,
): readonly Deviation[] | undefined => {
  let tried: readonly { readonly why: readonly Deviation[]; readonly others: readonly Deviation[] }[] = [
    { why: [], others: read(set, key, person, []).others },
  ]
  for (let size = 1; size <= 3; size++) {
    const next = []
    for (const { why, others } of tried)
      for (const other of others) {
        const more = [...why, other]
        const reading = read(set, key, person, more)
        if (isWanted(reading.answer)) return more
        next.push({ why: more, others: reading.others })
      }
    tried = next
  }
  return undefined
}

let theirs: PosthogNode
const zone = process.env['TZ']

beforeAll(async () => {
  // Neither side may depend on the day or the place of the test.
  vi.useFakeTimers({ toFake: ['Date'], now })
  process.env['TZ'] = 'America/St_Johns'
  // It warns of each definition that it cannot run.
  vi.spyOn(console, 'warn').mockReturnValue()
  theirs = await startPosthogNode()
})

afterAll(async () => {
  await theirs.stop()
  if (zone === undefined) delete process.env['TZ']
  else process.env['TZ'] = zone
  vi.useRealTimers()
  vi.restoreAllMocks()
})

interface Given {
  readonly set: FlagDefinitions
  readonly people: readonly Subject[]
}

it('agrees with posthog-node in 56,000 cases, but for what is explained', { timeout: 120_000 }, async () => {
  const one: fc.Arbitrary<Given> = fc.record({
    set: definitions(flagsOfSet),
    people: fc.array(subject(false), { minLength: subjectsOfSet, maxLength: subjectsOfSet }),
  })
  const given = seeds.flatMap((seed) => fc.sample(one, { numRuns: sets, seed }))
  const occurred = new Map<Deviation, number>(deviations.map((one) => [one, 0]))
  const unexplained: unknown[] = []
  let cases = 0
  let decided = 0
  let explainedByOne = 0
  let explainedByMore = 0
  for (const { set, people } of given) {
    const ours = compile(set)
    await theirs.load(set)
    for (const person of people) {
      const context = evaluationContext(person)
      for (const { key } of set.flags) {
        const our = evaluateFlag(ours.flags.get(key)!, context)
        const their = await theirs.evaluate(key, person)
        cases++
        if (their.value !== undefined) decided++
        const isTheirs = (answer: { value: unknown; payload?: unknown }): boolean =>
          answer.value === their.value && isDeepStrictEqual(answer.payload ?? undefined, their.payload ?? undefined)
        if (isTheirs(our)) continue
        const isByTheRules = interpret(set, key, person).value === our.value
        const why = explained(isTheirs, set, key, person)
        if (!isByTheRules || !why) unexplained.push({ key, our, their, person, set })
        else {
          if (why.length === 1) explainedByOne++
          else explainedByMore++
          for (const deviation of why) occurred.set(deviation, occurred.get(deviation)! + 1)
        }
      }
    }
  }
  expect(unexplained.slice(0, 3)).toEqual([])
  expect(cases).toBe(56_000)
  // Two or three together are rare: an explanation is not put together from whatever there is.
  expect(explainedByMore).toBeLessThan(explainedByOne / 20)
  expect(decided).toBeGreaterThan(cases / 2)
  expect([...occurred].filter(([, count]) => count === 0)).toEqual([])
})
