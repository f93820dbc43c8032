import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { createByteLimit, isLongerThan } from '../../src/codec/byte-limit.ts'

const text = fc.string({ unit: fc.constantFrom('a', 'é', '語', '😀', '\ud800'), maxLength: 12 })

it('knows at each step whether the strings of a queue have more bytes than they may', () => {
  const step = fc.oneof(text, fc.constant(undefined))
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 0, max: 120 }), (steps, maxBytes) => {
      const queue: string[] = []
      const limit = createByteLimit(maxBytes, () => queue)
      for (const string of steps) {
        if (string === undefined) {
          const removed = queue.shift()
          if (removed !== undefined) limit.remove(removed)
        } else {
          queue.push(string)
          limit.add(string)
        }
        expect(limit.isExceeded()).toBe(Buffer.byteLength(queue.join('')) > maxBytes)
      }
    }),
  )
})

it('reads the strings only when they could exceed the limit, and then once', () => {
  let reads = 0
  const queue: string[] = []
  const limit = createByteLimit(300, () => {
    reads++
    return queue
  })
  const add = (string: string): boolean => {
    queue.push(string)
    limit.add(string)
    return limit.isExceeded()
  }
  expect([add('a'.repeat(100)), reads]).toEqual([false, 0])
  expect([add('a'.repeat(100)), add('é'.repeat(50)), reads]).toEqual([false, false, 1])
  expect([add('a'), reads]).toEqual([true, 1])
})

it('tells whether a string has more bytes than it may', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 0, max: 40 }), (string, maxBytes) => {
      expect(isLongerThan(string, maxBytes)).toBe(Buffer.byteLength(string) > maxBytes)
    }),
  )
})
