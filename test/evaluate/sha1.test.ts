import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { sha1 } from '../../src/evaluate/sha1.ts'

const hex = (words: Int32Array): string => [...words].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('')
const nodeSha1 = (input: string): string => createHash('sha1').update(input, 'utf8').digest('hex')

it('agrees with node:crypto for any three strings', () => {
  const input = fc.string({ unit: 'binary', maxLength: 200 })
  fc.assert(
    fc.property(input, input, input, (first, second, third) => {
      // Each string is encoded separately, so a surrogate pair that is split between two strings is not a pair.
      const bytes = Buffer.concat([first, second, third].map((string) => Buffer.from(string, 'utf8')))
      expect(hex(sha1(first, second, third))).toBe(createHash('sha1').update(bytes).digest('hex'))
    }),
    { numRuns: 500 },
  )
})

it('agrees with node:crypto for all lengths up to 200 bytes, across block ends', () => {
  for (let length = 0; length < 200; length++) {
    const input = 'é'.repeat(length % 3) + 'a'.repeat(length)
    expect(hex(sha1(input, '', ''))).toBe(nodeSha1(input))
  }
})

it('encodes a lone surrogate as U+FFFD', () => {
  expect(hex(sha1('a\ud800b', '\udc00', ''))).toBe(nodeSha1('a\ufffdb\ufffd'))
})
