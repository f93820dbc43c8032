import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bucket } from '../../src/evaluate/bucket.ts'
import { compile } from '../../src/evaluate/compile.ts'
import { evaluateFlag } from '../../src/evaluate/evaluate-flag.ts'
import { evaluationContext } from '../../src/evaluate/evaluation.ts'
import type { Evaluation } from '../../src/evaluate/evaluation.ts'
import type { FlagDefinition, FlagDefinitions } from '../../src/wire/definition.ts'
import { definitions, subject } from './arbitraries.ts'
import { interpret } from './reference/interpret.ts'
import type { Answer, Subject } from './reference/interpret.ts'

const seed = 20_201
const count = 8

const set = definitions(count)
const person = fc.boolean().chain(subject)

/** All flags of a set for one person, each in a context of its own. */
const evaluated = (given: FlagDefinitions, whom: Subject): Map<string, Evaluation> =>
  new Map([...compile(given).flags].map(([key, flag]) => [key, evaluateFlag(flag, evaluationContext(whom))]))

/** All of an evaluation but the words for people. */
const told = (evaluation: Evaluation): object => {
  if (evaluation.value !== undefined) return evaluation
  const { value, reason, requiresServer = false, blocks = false } = evaluation
  return { value, reason, requiresServer, blocks }
}

const toldByReference = ({ value, reason, requiresServer = false, regex = false, ...rest }: Answer): object =>
  value === undefined ? { value, reason, requiresServer, blocks: regex } : { value, reason, ...rest }

/** The same with lists and objects that cannot be written to. */
const frozen = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(frozen)
  return value
}

/** Generated sets take time on a busy machine. */
const slow = { timeout: 60_000 }

describe('compiled definitions', slow, () => {
  it.each([
    ['a local evaluator', false],
    ['the service', true],
  ])('say for %s what the definitions say when read one by one', (_, complete) => {
    fc.assert(
      fc.property(set, fc.array(subject(complete), { minLength: 3, maxLength: 3 }), (given, people) => {
        for (const one of people)
          for (const [key, evaluation] of evaluated(given, one))
            expect([key, told(evaluation)]).toEqual([key, toldByReference(interpret(given, key, one))])
      }),
      { seed, numRuns: 600 },
    )
  })

  it('say the same each time, and leave what they were made from as it was', () => {
    fc.assert(
      fc.property(set, person, (given, one) => {
        frozen(given)
        frozen(one)
        const { flags } = compile(given)
        for (const flag of flags.values()) {
          const first = evaluateFlag(flag, evaluationContext(one))
          expect(evaluateFlag(flag, evaluationContext(one))).toEqual(first)
        }
      }),
      { seed, numRuns: 100 },
    )
  })

  it('say the same in whatever order the flags are written, and are evaluated in one context', () => {
    const order = fc.shuffledSubarray(
      Array.from({ length: count }, (_, index) => index),
      { minLength: count },
    )
    fc.assert(
      fc.property(set, person, order, (given, one, places) => {
        const expected = evaluated(given, one)
        const { flags } = compile({ ...given, flags: places.map((place) => given.flags[place]!) })
        const context = evaluationContext(one)
        for (const [key, flag] of flags) expect([key, evaluateFlag(flag, context)]).toEqual([key, expected.get(key)])
      }),
      { seed, numRuns: 100 },
    )
  })

  it('say of a flag what they say without the flags it does not ask for', () => {
    fc.assert(
      fc.property(set, person, (given, one) => {
        const all = evaluated(given, one)
        for (const flag of given.flags) {
          const asked = reached(given, flag)
          const flags = given.flags.filter(({ key }) => asked.has(key))
          expect([flag.key, evaluated({ ...given, flags }, one).get(flag.key)]).toEqual([flag.key, all.get(flag.key)])
        }
      }),
      { seed, numRuns: 60 },
    )
  })

  it('take any damage to one flag without a throw, and without harm to flags that do not ask for it', () => {
    fc.assert(
      fc.property(set, person, fc.nat({ max: count - 1 }), damage, (given, one, place, { at, value }) => {
        const broken = given.flags[place]!
        const all = evaluated(given, one)
        const flags = given.flags.map((flag) => (flag === broken ? damaged(flag, at, value) : flag))
        const after = evaluated({ ...given, flags: flags as FlagDefinition[] }, one)
        for (const flag of given.flags)
          if (!reached(given, flag).has(broken.key))
            expect([flag.key, after.get(flag.key)]).toEqual([flag.key, all.get(flag.key)])
      }),
      { seed, numRuns: 500 },
    )
  })
})

/** The keys of a flag and of all it asks for, through cohorts too. */
const reached = (given: FlagDefinitions, flag: FlagDefinition, keys = new Set<string>()): Set<string> => {
  if (keys.has(flag.key)) return keys
  keys.add(flag.key)
  const walk = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return
    const { type, key, value } = part as Record<string, unknown>
    if (type === 'cohort') walk(given.cohorts?.[String(value)])
    const asked = type === 'flag' ? given.flags.find((one) => one.key === key) : undefined
    if (asked) reached(given, asked, keys)
    Object.values(part).forEach(walk)
  }
  walk(flag.filters)
  return keys
}

/** A place in a tree of JSON, and what to put there. */
const damage = fc.record({
  at: fc.array(fc.nat({ max: 9 }), { minLength: 1, maxLength: 7 }),
  value: fc.oneof(
    fc.constantFrom<unknown>(null, -1, 1e300, '', 'x', [], {}, [null], [[]], true, { key: 1 }, [{ properties: 1 }]),
    fc.jsonValue({ maxDepth: 2 }),
  ),
})

/** A copy with the value at a place; each number of the place picks one of as many keys as there are. The key stays. */
const damaged = (tree: unknown, [first = 0, ...rest]: readonly number[], value: unknown): unknown => {
  if (typeof tree !== 'object' || tree === null) return value
  const keys = Object.keys(tree).filter((key) => key !== 'key' || !('filters' in tree))
  const picked = keys[first % Math.max(keys.length, 1)]
  if (picked === undefined) return value
  const inner = (tree as Record<string, unknown>)[picked]
  const put = rest.length > 0 ? damaged(inner, rest, value) : value
  return Array.isArray(tree) ? tree.with(Number(picked), put) : { ...tree, [picked]: put }
}

describe('a rollout', slow, () => {
  it('keeps everybody it had when it grows, each with the variant they had', () => {
    const share = fc.integer({ min: 0, max: 10_000 }).map((hundredths) => hundredths / 100)
    fc.assert(
      fc.property(set, subject(true), share, share, (given, one, a, b) => {
        const at = (rollout_percentage: number, flag: FlagDefinition): Evaluation => {
          const [group] = flag.filters.groups
          const groups = group ? [{ ...group, rollout_percentage }] : []
          const only = { ...flag, filters: { ...flag.filters, groups } }
          const flags = given.flags.map((other) => (other === flag ? only : other))
          return evaluated({ ...given, flags }, one).get(flag.key)!
        }
        for (const flag of given.flags.slice(0, 3)) {
          // Someone without a device id is in no rollout but the full one.
          if (flag.bucketing_identifier === 'device_id') continue
          const before = at(Math.min(a, b), flag)
          if (before.value) expect([flag.key, at(Math.max(a, b), flag).value]).toEqual([flag.key, before.value])
        }
      }),
      { seed, numRuns: 100 },
    )
  })
})

describe('the hash', slow, () => {
  const people = 50_000
  const hash = (prefix: string, id: string, salt: '' | 'variant'): number => bucket(prefix, id, salt)[0]!
  const ids = Array.from({ length: people }, (_, index) => `user-${index}`)
  /** Sum of (found - expected)² / expected; every expected count is the same. */
  const chiSquare = (counts: readonly number[], total: number): number => {
    const expected = total / counts.length
    return counts.reduce((sum, found) => sum + (found - expected) ** 2 / expected, 0)
  }
  const counted = (buckets: number, place: (id: string) => number): number[] => {
    const counts = Array.from({ length: buckets }, () => 0)
    for (const id of ids) counts[place(id)]!++
    return counts
  }
  const nth = (buckets: number, position: number): number => Math.min(Math.floor(position * buckets), buckets - 1)

  it.each([
    ['rollouts', 'checkout.', ''],
    ['rollouts of another flag', 'beta-banner.', ''],
    ['variants', 'checkout.', 'variant'],
    ['holdouts', 'holdout-', ''],
  ] as const)('spreads people evenly over the percents of %s', (_, prefix, salt) => {
    const counts = counted(100, (id) => nth(100, hash(prefix, id, salt)))
    // 99 degrees of freedom: above in one of a thousand even hashes; far below would be too even.
    expect(chiSquare(counts, people)).toBeLessThan(148.2)
    expect(chiSquare(counts, people)).toBeGreaterThan(60)
  })

  it.each([
    ['the variant, of the rollout', 'checkout.', '', 'checkout.', 'variant'],
    ['one flag, of another', 'checkout.', '', 'beta-banner.', ''],
    ['a flag, of the holdout', 'checkout.', '', 'holdout-', ''],
  ] as const)('is independent: %s', (_, prefix, salt, otherPrefix, otherSalt) => {
    const pairs = counted(100, (id) => nth(10, hash(prefix, id, salt)) * 10 + nth(10, hash(otherPrefix, id, otherSalt)))
    // 99 degrees of freedom, as each pair of tenths is equally likely.
    expect(chiSquare(pairs, people)).toBeLessThan(148.2)
    const [x, y] = [ids.map((id) => hash(prefix, id, salt)), ids.map((id) => hash(otherPrefix, id, otherSalt))]
    const covariance = x.reduce((sum, one, at) => sum + (one - 0.5) * (y[at]! - 0.5), 0) / people
    // Uniform variance is 1/12; the correlation of independent samples is within 3.3/√n in 999 of 1,000.
    expect(Math.abs(covariance * 12)).toBeLessThan(3.3 / Math.sqrt(people))
  })
})
