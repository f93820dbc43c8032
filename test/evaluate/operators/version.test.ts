import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareVersions, parseVersion } from '../../../src/evaluate/operators/version.ts'

const compare = (first: string, second: string, preReleases = true): number =>
  Math.sign(compareVersions(parseVersion(first)!, parseVersion(second)!, preReleases))

const version = fc
  .tuple(
    fc.tuple(fc.nat(3), fc.nat(3), fc.nat(3)),
    fc.array(fc.constantFrom('0', '1', '10', '2', 'alpha', 'beta', 'rc', 'x-1'), { maxLength: 3 }),
  )
  .map(([numbers, preRelease]) => numbers.join('.') + (preRelease.length > 0 ? `-${preRelease.join('.')}` : ''))

describe('versions', () => {
  it.each([
    ['1.2.3', [1, 2, 3], [], true],
    ['\tV10.20.30\n', [10, 20, 30], [], true],
    ['1', [1, 0, 0], [], true],
    ['1.', [1, 0, 0], [], true],
    ['1..3', [1, 0, 3], [], true],
    ['1.2.3.4.x', [1, 2, 3], [], true],
    ['1.2-rc.1+build-7', [1, 2, 0], ['rc', '1'], true],
    ['1.2.3-', [1, 2, 3], [], true],
    ['0.0.0', [0, 0, 0], [], true],
    ['1.07.3', [1, 7, 3], [], false],
  ])('parses %j', (input, numbers, preRelease, isStrict) => {
    expect(parseVersion(input)).toEqual({ numbers, preRelease, isStrict })
  })

  it.each(['', ' ', 'v', '.1.2', 'abc', '1.2.three', '1.2.3alpha', '-1', '+1', '1,2', '99999999999999999999'])(
    '%j is not a version',
    (input) => {
      expect(parseVersion(input)).toBeUndefined()
    },
  )

  it('have the order of the example on semver.org', () => {
    const ordered = [
      '1.0.0-alpha',
      '1.0.0-alpha.1',
      '1.0.0-alpha.beta',
      '1.0.0-beta',
      '1.0.0-beta.2',
      '1.0.0-beta.11',
      '1.0.0-rc.1',
      '1.0.0',
      '1.0.1',
      '1.2.0',
      '2.0.0',
    ]
    ordered.forEach((first, firstIndex) => {
      ordered.forEach((second, secondIndex) => expect(compare(first, second)).toBe(Math.sign(firstIndex - secondIndex)))
    })
  })

  it('have a total order', () => {
    fc.assert(
      fc.property(version, version, version, fc.boolean(), (first, second, third, preReleases) => {
        expect(compare(first, first, preReleases)).toBe(0)
        expect(compare(first, second, preReleases) + compare(second, first, preReleases)).toBe(0)
        const [low, middle, high] = [first, second, third].sort((a, b) => compare(a, b, preReleases))
        expect(compare(low!, middle!, preReleases)).toBeLessThanOrEqual(0)
        expect(compare(middle!, high!, preReleases)).toBeLessThanOrEqual(0)
        expect(compare(low!, high!, preReleases)).toBeLessThanOrEqual(0)
      }),
    )
  })
})
