import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { sha1 } from '../../src/evaluate/sha1.ts'

const hex = (words: Int32Array): string => [...words].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('')
const reference = (text: string): string => createHash('sha1').update(text, 'utf8').digest('hex')

it('agrees with the reference for every text, in three parts or in one', () => {
  const text = fc.string({ unit: 'binary', maxLength: 200 })
  fc.assert(
    fc.property(text, text, text, (one, two, three) => {
      // Parts are encoded apart: a pair of surrogates that is split between them is no pair.
      const bytes = Buffer.concat([one, two, three].map((part) => Buffer.from(part, 'utf8')))
      expect(hex(sha1(one, two, three))).toBe(createHash('sha1').update(bytes).digest('hex'))
    }),
    { numRuns: 500 },
  )
})

it('agrees at every length around the ends of blocks', () => {
  for (let length = 0; length < 200; length++) {
    const text = 'é'.repeat(length % 3) + 'a'.repeat(length)
    expect(hex(sha1(text, '', ''))).toBe(reference(text))
  }
})

it('takes a lone surrogate for U+FFFD', () => {
  expect(hex(sha1('a\ud800b', '\udc00', ''))).toBe(reference('a\ufffdb\ufffd'))
})
