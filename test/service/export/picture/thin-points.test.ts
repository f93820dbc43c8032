import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { thinPoints } from '../../../../src/service/export/picture/thin-points.ts'

const valueLists = fc.array(fc.option(fc.integer({ min: -50, max: 50 }), { freq: 6 }), { maxLength: 400 })
const columnCounts = fc.integer({ min: 1, max: 12 })

/** The values of each column of pixels, as the thinning divides them. */
const divide = <Value>(values: readonly Value[], columns: number): Value[][] =>
  Array.from({ length: columns }, (_, column) =>
    values.slice(
      Math.floor((column * values.length) / columns),
      column === columns - 1 ? values.length : Math.floor(((column + 1) * values.length) / columns),
    ),
  )

const present = (values: readonly (number | null)[]): number[] => values.filter((value) => value !== null)

describe('thinPoints', () => {
  it('keeps points as they are and in order', () => {
    fc.assert(
      fc.property(valueLists, columnCounts, (values, columns) => {
        const points = thinPoints(values, columns)
        for (const [index, value] of points) expect(value).toBe(values[index])
        const indexes = points.map(([index]) => index)
        expect(indexes).toEqual([...new Set(indexes)].toSorted((a, b) => a - b))
      }),
    )
  })

  it('keeps minimum, maximum, first and last value of each column, and whether it has a gap', () => {
    fc.assert(
      fc.property(valueLists, columnCounts, (values, columns) => {
        const kept: (number | null | undefined)[] = values.map(() => undefined)
        for (const [index, value] of thinPoints(values, columns)) kept[index] = value
        const keptColumns = divide(kept, columns).map((column) => column.filter((value) => value !== undefined))
        for (const [index, column] of divide(values, columns).entries()) {
          const [all, left] = [present(column), present(keptColumns[index]!)]
          expect([Math.min(...left), Math.max(...left)]).toEqual([Math.min(...all), Math.max(...all)])
          expect([left[0], left.at(-1)]).toEqual([all[0], all.at(-1)])
          expect(keptColumns[index]!.includes(null)).toBe(column.includes(null))
        }
      }),
    )
  })

  it('keeps the first and the last point', () => {
    fc.assert(
      fc.property(valueLists, columnCounts, (values, columns) => {
        fc.pre(values.length > 0)
        const points = thinPoints(values, columns)
        expect(points[0]).toEqual([0, values[0]])
        expect(points.at(-1)).toEqual([values.length - 1, values.at(-1)])
      }),
    )
  })

  it('keeps at most six points of each column', () => {
    fc.assert(
      fc.property(valueLists, columnCounts, (values, columns) => {
        expect(thinPoints(values, columns).length).toBeLessThanOrEqual(columns * 6)
      }),
    )
  })

  it('keeps one spike among a million points', () => {
    const values = Array.from({ length: 1_000_000 }, (_, index) => (index === 765_432 ? 99 : index % 7))
    const points = thinPoints(values, 1600)
    expect(points.length).toBeLessThan(10_000)
    expect(points).toContainEqual([765_432, 99])
  })
})
