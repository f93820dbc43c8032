import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ActorEvents, Chain, FunnelRules, Positions } from '../../../../src/service/insight/funnel/actor-events.ts'
import { SKIPPED } from '../../../../src/service/insight/funnel/actor-events.ts'
import { createFollower } from '../../../../src/service/insight/funnel/create-follower.ts'
import { FUNNEL_ORDERS } from '../../../../src/service/insight/question/funnel.ts'
import { findConversion } from '../../../contract/questions/reference/conversion.ts'

const toEvents = (list: readonly (readonly [time: number, mask: number])[]): ActorEvents => ({
  count: list.length,
  times: Float64Array.from(list, ([time]) => time),
  masks: Int32Array.from(list, ([, mask]) => mask),
})

const followSteps = (
  events: ActorEvents,
  rules: FunnelRules,
  starts: Positions = { from: 0, before: events.count },
): Chain => {
  const follower = createFollower(rules)
  follower.begin(events, starts)
  while (follower.advance());
  return follower.chain()
}

const [A, B, C] = [1, 2, 4]
const STEPS: FunnelRules = { stepCount: 3, optionalSteps: [], order: 'ordered', windowMs: 100, exclusions: [] }
const NOT_BETWEEN_FIRST: FunnelRules = { ...STEPS, exclusions: [{ fromStep: 0, toStep: 1 }] }
/** Matches the first exclusion. */
const X = 8

describe('a follower of steps', () => {
  it.each<[string, Partial<FunnelRules>, readonly (readonly [number, number])[], readonly number[]]>([
    ['finds steps with other events between them', {}, [[0, A], [1, 0], [2, B], [3, A], [4, C]], [0, 2, 4]], // prettier-ignore
    ['begins as late as it can', {}, [[0, A], [1, A], [2, B], [3, C]], [1, 2, 3]], // prettier-ignore
    ['keeps the steps of an earlier start that came further', {}, [[0, A], [1, B], [2, A], [3, C]], [0, 1, 3]], // prettier-ignore
    [
      'does not count steps in another order',
      {},
      [
        [0, C],
        [1, B],
        [2, A],
      ],
      [2],
    ],
    ['includes the end of the window', {}, [[0, A], [50, B], [100, C]], [0, 1, 2]], // prettier-ignore
    ['ends with the window', {}, [[0, A], [50, B], [101, C]], [0, 1]], // prettier-ignore
    ['uses an event for one step only', {}, [[0, A | B], [1, A | B | C]], [0, 1]], // prettier-ignore
    ['is strict about events between', { order: 'strict' }, [[0, A], [1, 0], [2, B], [3, A], [4, B]], [3, 4]], // prettier-ignore
    ['takes steps in any order', { order: 'unordered' }, [[0, C], [1, C], [2, A], [3, B]], [1, 2, 3]], // prettier-ignore
    ['counts an event as the step that no other event is', { order: 'unordered' }, [[0, A | B], [1, A]], [0, 1]], // prettier-ignore
    ['finds the best steps of several events', { order: 'unordered' }, [[0, A | B | C], [1, A | B], [2, A]], [0, 1, 2]], // prettier-ignore
    ['has nothing without a first step', {}, [[0, B], [1, C]], []], // prettier-ignore
    ['has nothing without events', {}, [], []],
  ])('%s', (_, rules, events, chain) => {
    expect(followSteps(toEvents(events), { ...STEPS, ...rules })).toEqual(chain)
  })

  it.each<[string, readonly (readonly [number, number])[], readonly number[]]>([
    ['ends a conversion between its steps', [[0, A], [1, X], [2, B], [3, C]], [0]], // prettier-ignore
    ['lets it begin again', [[0, A], [1, X], [2, A], [3, B]], [2, 3]], // prettier-ignore
    ['says nothing about later steps', [[0, A], [1, B], [2, X], [3, C]], [0, 1, 3]], // prettier-ignore
    ['is not between when it is the step itself', [[0, A | X], [1, B | X], [2, C]], [0, 1, 2]], // prettier-ignore
  ])('an exclusion %s', (_, events, chain) => {
    expect(followSteps(toEvents(events), NOT_BETWEEN_FIRST)).toEqual(chain)
  })

  it.each<[string, Partial<FunnelRules>, readonly (readonly [number, number])[], readonly number[]]>([
    ['is left out', {}, [[0, A], [1, C]], [0, SKIPPED, 1]], // prettier-ignore
    ['counts where it was done', {}, [[0, A], [1, B], [2, C]], [0, 1, 2]], // prettier-ignore
    ['counts although the funnel was complete without it', {}, [[0, A], [1, C], [2, B], [3, C]], [0, 2, 3]], // prettier-ignore
    ['is less than the steps after it', {}, [[0, A], [1, C], [2, B]], [0, SKIPPED, 1]], // prettier-ignore
    ['does not count before its turn', {}, [[0, B], [1, A], [2, C]], [1, SKIPPED, 2]], // prettier-ignore
    ['may be the last one that was done', {}, [[0, A], [1, B]], [0, 1]], // prettier-ignore
    ['counts within the window alone', {}, [[0, A], [1, C], [2, B], [101, C]], [0, SKIPPED, 1]], // prettier-ignore
    ['is left out in a strict order', { order: 'strict' }, [[0, A], [1, C]], [0, SKIPPED, 1]], // prettier-ignore
    ['is the only event between in a strict order', { order: 'strict' }, [[0, A], [1, B], [2, 0], [3, C]], [0, 1]], // prettier-ignore
  ])('an optional step %s', (_, rules, events, chain) => {
    expect(followSteps(toEvents(events), { ...STEPS, optionalSteps: [1], ...rules })).toEqual(chain)
  })

  it('may be limited to some starts', () => {
    const events = toEvents([[0, A], [1, A], [2, B], [3, A], [4, B]]) // prettier-ignore
    expect(followSteps(events, STEPS, { from: 0, before: 1 })).toEqual([0, 2])
    expect(followSteps(events, STEPS, { from: 2, before: 5 })).toEqual([3, 4])
  })

  it('finds what trying all chains finds', () => {
    const stepRange = fc
      .tuple(fc.nat({ max: 2 }), fc.nat({ max: 3 }))
      .map(([fromStep, more]) => ({ fromStep, toStep: fromStep + 1 + more }))
    const asked = fc.integer({ min: 1, max: 4 }).chain((stepCount) =>
      fc.record({
        rules: fc.record({
          stepCount: fc.constant(stepCount),
          optionalSteps: fc.oneof(
            fc.constant([]),
            fc.subarray(Array.from({ length: stepCount - 1 }, (_, step) => step + 1)),
          ),
          order: fc.constantFrom(...FUNNEL_ORDERS),
          windowMs: fc.constantFrom(0, 3, 8, 1000),
          exclusions: fc.array(
            stepRange.filter(({ toStep }) => toStep < stepCount),
            { maxLength: stepCount > 1 ? 2 : 0 },
          ),
        }),
        list: fc.array(
          fc.tuple(
            fc.nat({ max: 15 }),
            fc.oneof(
              fc.nat({ max: stepCount - 1 }).map((step) => 2 ** step),
              fc.nat({ max: 2 ** (stepCount + 2) - 1 }),
            ),
          ),
          { maxLength: 11 },
        ),
        from: fc.nat({ max: 5 }),
        length: fc.nat({ max: 11 }),
      }),
    )
    fc.assert(
      fc.property(asked, ({ rules: anyRules, list, from, length }) => {
        const rules = anyRules.order === 'unordered' ? { ...anyRules, optionalSteps: [] } : anyRules
        const maskOf = (mask: number): number => mask % 2 ** (rules.stepCount + rules.exclusions.length)
        const events = toEvents(
          list.map(([time, mask]) => [time, maskOf(mask)] as const).toSorted((a, b) => a[0] - b[0] || a[1] - b[1]),
        )
        expect(followSteps(events, rules)).toEqual(findConversion(events, rules))
        const starts = { from: Math.min(from, events.count), before: Math.min(from + length, events.count) }
        if (starts.from < starts.before)
          expect(followSteps(events, rules, starts)).toEqual(findConversion(events, rules, starts))
      }),
      { numRuns: 5000 },
    )
  }, 60_000)
})
