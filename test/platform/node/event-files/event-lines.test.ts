import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countLines, isEventJson, parseLines } from '../../../../src/platform/node/event-files/event-lines.ts'

const line = fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text))

describe('parseLines', () => {
  it('returns complete lines within both limits', () => {
    fc.assert(
      fc.property(
        fc.array(line, { minLength: 1 }),
        fc.integer({ min: 1, max: 20 }),
        fc.nat(60),
        fc.nat(20),
        (written, maxLines, maxLength, cut) => {
          const bytes = Buffer.from(`${written.join('\n')}\n`)
          const source = bytes.subarray(0, bytes.length - cut)
          const { lines, bytes: used, hasReachedLimit } = parseLines(source, maxLines, maxLength)
          expect(lines).toEqual(written.slice(0, lines.length))
          expect(used).toBe(Buffer.byteLength(lines.map((text) => `${text}\n`).join('')))
          expect(lines.length).toBeLessThanOrEqual(maxLines)
          if (lines.length > 1) expect(`${lines.join('\n')}\n`.length).toBeLessThanOrEqual(maxLength)
          if (hasReachedLimit && lines.length < maxLines) {
            expect([...lines, written[lines.length], ''].join('\n').length).toBeGreaterThan(maxLength)
          }
          if (!hasReachedLimit) expect(bytes.subarray(used, bytes.length - cut).includes(10)).toBe(false)
          expect(countLines(bytes)).toBe(written.length)
        },
      ),
    )
  })
})

describe('isEventJson', () => {
  it.each(['', 'x', '{', '[]', '1', 'null', '{"event":"\0"}', '\0\0\0'])('refuses %j', (text) => {
    expect(isEventJson(text)).toBe(false)
  })

  it('accepts an object', () => {
    expect(isEventJson('{"event":"a"}')).toBe(true)
  })
})
