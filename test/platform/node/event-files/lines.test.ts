import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countLines, isEvent, takeLines } from '../../../../src/platform/node/event-files/lines.ts'

const line = fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text))

describe('lines', () => {
  it('come back as they were written, within both bounds, and without a part of one', () => {
    fc.assert(
      fc.property(
        fc.array(line, { minLength: 1 }),
        fc.integer({ min: 1, max: 20 }),
        fc.nat(60),
        fc.nat(20),
        (written, maxLines, maxLength, cut) => {
          const bytes = Buffer.from(`${written.join('\n')}\n`)
          const { lines, bytes: used, isFull } = takeLines(bytes.subarray(0, bytes.length - cut), maxLines, maxLength)
          expect(lines).toEqual(written.slice(0, lines.length))
          expect(used).toBe(Buffer.byteLength(lines.map((text) => `${text}\n`).join('')))
          expect(lines.length).toBeLessThanOrEqual(maxLines)
          if (lines.length > 1) expect(`${lines.join('\n')}\n`.length).toBeLessThanOrEqual(maxLength)
          if (isFull && lines.length < maxLines) {
            expect([...lines, written[lines.length], ''].join('\n').length).toBeGreaterThan(maxLength)
          }
          if (!isFull) expect(bytes.subarray(used, bytes.length - cut).includes(10)).toBe(false)
          expect(countLines(bytes)).toBe(written.length)
        },
      ),
    )
  })

  it.each(['', 'x', '{', '[]', '1', 'null', '{"event":"\0"}', '\0\0\0'])('are no events: %j', (text) => {
    expect(isEvent(text)).toBe(false)
  })

  it('are events', () => {
    expect(isEvent('{"event":"a"}')).toBe(true)
  })
})
