import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countLines, isEventJson, parseLines } from '../../../../src/platform/node/event-files/event-lines.ts'

const line = fc.string({ unit: 'binary' }).map((input) => JSON.stringify(input))

describe('parseLines', () => {
  it('returns complete lines within both limits', () => {
    fc.assert(
      fc.property(
        fc.array(line, { minLength: 1 }),
        fc.integer({ min: 1, max: 20 }),
        fc.nat(60),
        fc.nat(20),
        (writtenLines, maxLines, maxLength, cut) => {
          const bytes = Buffer.from(`${writtenLines.join('\n')}\n`)
          const source = bytes.subarray(0, bytes.length - cut)
          const { lines, bytes: usedBytes, hasReachedLimit } = parseLines(source, maxLines, maxLength)
          expect(lines).toEqual(writtenLines.slice(0, lines.length))
          expect(usedBytes).toBe(Buffer.byteLength(lines.map((parsedLine) => `${parsedLine}\n`).join('')))
          expect(lines.length).toBeLessThanOrEqual(maxLines)
          if (lines.length > 1) expect(`${lines.join('\n')}\n`.length).toBeLessThanOrEqual(maxLength)
          if (hasReachedLimit && lines.length < maxLines) {
            expect([...lines, writtenLines[lines.length], ''].join('\n').length).toBeGreaterThan(maxLength)
          }
          if (!hasReachedLimit) expect(bytes.subarray(usedBytes, bytes.length - cut).includes(10)).toBe(false)
          expect(countLines(bytes)).toBe(writtenLines.length)
        },
      ),
    )
  })
})

describe('isEventJson', () => {
  it.each(['', 'x', '{', '[]', '1', 'null', '{"event":"\0"}', '\0\0\0'])('refuses %j', (json) => {
    expect(isEventJson(json)).toBe(false)
  })

  it('accepts an object', () => {
    expect(isEventJson('{"event":"a"}')).toBe(true)
  })
})
