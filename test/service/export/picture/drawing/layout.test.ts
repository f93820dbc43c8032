import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chooseTicks } from '../../../../../src/service/export/picture/drawing/choose-ticks.ts'
import { shareWidth } from '../../../../../src/service/export/picture/drawing/share-width.ts'
import { stackSeries } from '../../../../../src/service/export/picture/drawing/stack-series.ts'

describe('chooseTicks', () => {
  it('leaves room for each label', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2_000_000 }),
        fc.integer({ min: 10, max: 200 }),
        fc.integer({ min: 50, max: 2000 }),
        (count, labelWidth, axisWidth) => {
          const ticks = chooseTicks(count, labelWidth, axisWidth)
          expect(ticks[0]).toBe(0)
          expect(ticks.at(-1)).toBeLessThan(count)
          const step = (ticks[1] ?? count) - ticks[0]!
          if (ticks.length > 1) expect((step / count) * axisWidth).toBeGreaterThanOrEqual(labelWidth)
        },
      ),
    )
  })

  it('prefers weeks to odd numbers of days', () => {
    expect(chooseTicks(42, 50, 450)).toEqual([0, 7, 14, 21, 28, 35])
  })
})

describe('shareWidth', () => {
  it('uses no more than the room, unless the minimum needs it', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 1 }), (wanted) => {
        const widths = shareWidth(wanted, 600, 20)
        const sum = widths.reduce((total, each) => total + each, 0)
        expect(sum).toBeLessThanOrEqual(Math.max(600.001, wanted.length * 20))
      }),
    )
  })

  it('cuts only the widest columns', () => {
    expect(shareWidth([50, 500, 100, 900], 600, 20)).toEqual([50, 225, 100, 225])
  })
})

it('stacks values above and below zero for themselves', () => {
  expect(
    stackSeries([
      [1, -2, null],
      [3, -4, 5],
      [-1, 6, 7],
    ]),
  ).toEqual([
    [1, -2, 0],
    [4, -6, 5],
    [-1, 6, 12],
  ])
})
