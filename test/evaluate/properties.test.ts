import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bucket } from '../../src/evaluate/bucket.ts'
import { compile } from '../../src/evaluate/compile.ts'
import { evaluateFlag } from '../../src/evaluate/evaluate-flag.ts'
import { evaluationContext } from '../../src/evaluate/evaluation.ts'
import type { Evaluation } from '../../src/evaluate/evaluation.ts'
import type { FlagDefinition, FlagDefinitions } from '../../src/wire/definition.ts'
import { definitionsArbitrary, subjectArbitrary } from './arbitraries.ts'
import { interpret } from './reference/interpret.ts'
import type { ReferenceEvaluation, Subject } from './reference/interpret.ts'

/** Fixed, so that each run generates the same cases. */
const seed = 20_201
/** Flags of each generated set. */
const flagCount = 8

const anyDefinitions = definitionsArbitrary(flagCount)
const anyPerson = fc.boolean().chain(subjectArbitrary)

/** Evaluates all flags of a set for one person, each in its own context. */
const evaluateAll = (definitions: FlagDefinitions, subject: Subject): Map<string, Evaluation> =>
  new Map([...compile(definitions).flags].map(([key, flag]) => [key, evaluateFlag(flag, evaluationContext(subject))]))

/** Returns an evaluation without its detail text, which the reference does not have. */
const withoutDetail = (evaluation: Evaluation): object => {
  if (evaluation.value !== undefined) return evaluation
  const { value, reason, requiresServer = false, blocks = false } = evaluation
  return { value, reason, requiresServer, blocks }
}

/** Returns a result of the reference in the form of `withoutDetail`. */
const fromReference = ({
  value,
  reason,
  requiresServer = false,
  blocks = false,
  ...otherFields
}: ReferenceEvaluation): object =>
  value === undefined ? { value, reason, requiresServer, blocks } : { value, reason, ...otherFields }

/** Freezes a value deeply and returns it. */
const deepFreeze = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze)
  return value
}

/** Hundreds of generated cases take many seconds on a busy machine. */
const SLOW_TEST = { timeout: 60_000 }

describe('compiled definitions', SLOW_TEST, () => {
  it.each([
    ['a local evaluator', false],
    ['the service', true],
  ])('agree with the reference for %s', (_, complete) => {
    fc.assert(
      fc.property(
        anyDefinitions,
        fc.array(subjectArbitrary(complete), { minLength: 3, maxLength: 3 }),
        (definitions, people) => {
          for (const person of people)
            for (const [key, evaluation] of evaluateAll(definitions, person))
              expect([key, withoutDetail(evaluation)]).toEqual([
                key,
                fromReference(interpret(definitions, key, person)),
              ])
        },
      ),
      { seed, numRuns: 600 },
    )
  })

  it('give the same result each time and do not modify their input', () => {
    fc.assert(
      fc.property(anyDefinitions, anyPerson, (definitions, person) => {
        deepFreeze(definitions)
        deepFreeze(person)
        const { flags } = compile(definitions)
        for (const flag of flags.values()) {
          const first = evaluateFlag(flag, evaluationContext(person))
          expect(evaluateFlag(flag, evaluationContext(person))).toEqual(first)
        }
      }),
      { seed, numRuns: 100 },
    )
  })

  it('give the same result in any order of the flags, in a shared context', () => {
    const order = fc.shuffledSubarray(
      Array.from({ length: flagCount }, (_, index) => index),
      { minLength: flagCount },
    )
    fc.assert(
      fc.property(anyDefinitions, anyPerson, order, (definitions, person, indexes) => {
        const expected = evaluateAll(definitions, person)
        const { flags } = compile({ ...definitions, flags: indexes.map((index) => definitions.flags[index]!) })
        const context = evaluationContext(person)
        for (const [key, flag] of flags) expect([key, evaluateFlag(flag, context)]).toEqual([key, expected.get(key)])
      }),
      { seed, numRuns: 100 },
    )
  })

  it('give the same result without the flags that a flag does not depend on', () => {
    fc.assert(
      fc.property(anyDefinitions, anyPerson, (definitions, person) => {
        const evaluations = evaluateAll(definitions, person)
        for (const flag of definitions.flags) {
          const neededKeys = collectDependencies(definitions, flag)
          const flags = definitions.flags.filter(({ key }) => neededKeys.has(key))
          expect([flag.key, evaluateAll({ ...definitions, flags }, person).get(flag.key)]).toEqual([
            flag.key,
            evaluations.get(flag.key),
          ])
        }
      }),
      { seed, numRuns: 60 },
    )
  })

  it('give the same result for flags that do not depend on a damaged flag', () => {
    fc.assert(
      fc.property(
        anyDefinitions,
        anyPerson,
        fc.nat({ max: flagCount - 1 }),
        damage,
        (definitions, person, index, { path, value }) => {
          const damagedFlag = definitions.flags[index]!
          const evaluations = evaluateAll(definitions, person)
          const flags = definitions.flags.map((flag) => (flag === damagedFlag ? applyDamage(flag, path, value) : flag))
          const evaluationsAfterDamage = evaluateAll({ ...definitions, flags: flags as FlagDefinition[] }, person)
          for (const flag of definitions.flags)
            if (!collectDependencies(definitions, flag).has(damagedFlag.key))
              expect([flag.key, evaluationsAfterDamage.get(flag.key)]).toEqual([flag.key, evaluations.get(flag.key)])
        },
      ),
      { seed, numRuns: 500 },
    )
  })
})

/** The keys of a flag and of all its dependencies, through cohorts too. */
const collectDependencies = (
  definitions: FlagDefinitions,
  flag: FlagDefinition,
  keys = new Set<string>(),
): Set<string> => {
  if (keys.has(flag.key)) return keys
  keys.add(flag.key)
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    const { type, key, value } = node as Record<string, unknown>
    if (type === 'cohort') walk(definitions.cohorts?.[String(value)])
    const dependency = type === 'flag' ? definitions.flags.find((flag) => flag.key === key) : undefined
    if (dependency) collectDependencies(definitions, dependency, keys)
    Object.values(node).forEach(walk)
  }
  walk(flag.filters)
  return keys
}

/** A path in a JSON tree and the value to put there. */
const damage = fc.record({
  path: fc.array(fc.nat({ max: 9 }), { minLength: 1, maxLength: 7 }),
  value: fc.oneof(
    fc.constantFrom<unknown>(null, -1, 1e300, '', 'x', [], {}, [null], [[]], true, { key: 1 }, [{ properties: 1 }]),
    fc.jsonValue({ maxDepth: 2 }),
  ),
})

/** Copies a tree with the value at a path; each number of the path selects a key, modulo their count. A flag's key is kept. */
const applyDamage = (tree: unknown, [firstStep = 0, ...otherSteps]: readonly number[], value: unknown): unknown => {
  if (typeof tree !== 'object' || tree === null) return value
  const keys = Object.keys(tree).filter((key) => key !== 'key' || !('filters' in tree))
  const pickedKey = keys[firstStep % Math.max(keys.length, 1)]
  if (pickedKey === undefined) return value
  const childTree = (tree as Record<string, unknown>)[pickedKey]
  const newValue = otherSteps.length > 0 ? applyDamage(childTree, otherSteps, value) : value
  return Array.isArray(tree) ? tree.with(Number(pickedKey), newValue) : { ...tree, [pickedKey]: newValue }
}

describe('a rollout', SLOW_TEST, () => {
  it('keeps the variant of each person when its percentage grows', () => {
    const share = fc.integer({ min: 0, max: 10_000 }).map((hundredths) => hundredths / 100)
    fc.assert(
      fc.property(
        anyDefinitions,
        subjectArbitrary(true),
        share,
        share,
        (definitions, person, firstShare, secondShare) => {
          const evaluateAt = (rollout_percentage: number, flag: FlagDefinition): Evaluation => {
            const [group] = flag.filters.groups
            const groups = group ? [{ ...group, rollout_percentage }] : []
            const flagWithRollout = { ...flag, filters: { ...flag.filters, groups } }
            const flags = definitions.flags.map((candidate) => (candidate === flag ? flagWithRollout : candidate))
            return evaluateAll({ ...definitions, flags }, person).get(flag.key)!
          }
          for (const flag of definitions.flags.slice(0, 3)) {
            // A person without a device id is inside a full rollout only.
            if (flag.bucketing_identifier === 'device_id') continue
            const before = evaluateAt(Math.min(firstShare, secondShare), flag)
            if (before.value)
              expect([flag.key, evaluateAt(Math.max(firstShare, secondShare), flag).value]).toEqual([
                flag.key,
                before.value,
              ])
          }
        },
      ),
      { seed, numRuns: 100 },
    )
  })
})

describe('the hash', SLOW_TEST, () => {
  const personCount = 50_000
  const hash = (prefix: string, id: string, salt: '' | 'variant'): number => bucket(prefix, id, salt)[0]!
  const ids = Array.from({ length: personCount }, (_, index) => `user-${index}`)
  /** Sum of (count - expected)² / expected; all expected counts are equal. */
  const chiSquare = (counts: readonly number[], total: number): number => {
    const expected = total / counts.length
    return counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
  }
  const countBuckets = (buckets: number, getBucket: (id: string) => number): number[] => {
    const counts = Array.from({ length: buckets }, () => 0)
    for (const id of ids) counts[getBucket(id)]!++
    return counts
  }
  const toBucket = (buckets: number, position: number): number => Math.min(Math.floor(position * buckets), buckets - 1)

  it.each([
    ['rollouts', 'checkout.', ''],
    ['rollouts of another flag', 'beta-banner.', ''],
    ['variants', 'checkout.', 'variant'],
    ['holdouts', 'holdout-', ''],
  ] as const)('distributes ids evenly over the percents of %s', (_, prefix, salt) => {
    const counts = countBuckets(100, (id) => toBucket(100, hash(prefix, id, salt)))
    // 99 degrees of freedom: one in a thousand even hashes exceeds the upper bound; below the lower bound is too even.
    expect(chiSquare(counts, personCount)).toBeLessThan(148.2)
    expect(chiSquare(counts, personCount)).toBeGreaterThan(60)
  })

  it.each([
    ['the variant is independent of the rollout', 'checkout.', '', 'checkout.', 'variant'],
    ['one flag is independent of another flag', 'checkout.', '', 'beta-banner.', ''],
    ['a flag is independent of the holdout', 'checkout.', '', 'holdout-', ''],
  ] as const)('is uncorrelated: %s', (_, prefix, salt, otherPrefix, otherSalt) => {
    const pairs = countBuckets(
      100,
      (id) => toBucket(10, hash(prefix, id, salt)) * 10 + toBucket(10, hash(otherPrefix, id, otherSalt)),
    )
    // 99 degrees of freedom, as each pair of tenths is equally likely.
    expect(chiSquare(pairs, personCount)).toBeLessThan(148.2)
    const [x, y] = [ids.map((id) => hash(prefix, id, salt)), ids.map((id) => hash(otherPrefix, id, otherSalt))]
    const covariance = x.reduce((sum, position, index) => sum + (position - 0.5) * (y[index]! - 0.5), 0) / personCount
    // Uniform variance is 1/12; the correlation of independent samples is within 3.3/√n in 999 of 1,000.
    expect(Math.abs(covariance * 12)).toBeLessThan(3.3 / Math.sqrt(personCount))
  })
})
