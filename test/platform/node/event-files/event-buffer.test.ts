import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { createEventBuffer } from '../../../../src/platform/node/event-files/event-buffer.ts'

const item = fc.string({ unit: fc.constantFrom('a', 'é', '語', '😀') })

it('behaves like an array, and knows when it has more bytes than it may', () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant('push' as const), items: fc.array(item, { maxLength: 3000, size: 'max' }) }),
    fc.record({ do: fc.constant('peek' as const), events: fc.integer({ min: 1, max: 5000 }), length: fc.nat(20_000) }),
    fc.record({ do: fc.constant('removeOldest' as const), count: fc.nat(5000) }),
    fc.record({ do: fc.constant('removeAt' as const), index: fc.nat(20) }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const buffer = createEventBuffer(20_000)
      const model: string[] = []
      for (const step of steps) {
        if (step.do === 'push') {
          model.push(...step.items)
          for (const item of step.items) buffer.push(item)
        } else if (step.do === 'peek') {
          const peeked = buffer.peek(step.events, step.length)
          expect(peeked).toEqual(model.slice(0, peeked.length))
          const length = peeked.join('').length + peeked.length
          expect(peeked.length <= 1 || length <= step.length).toBe(true)
          const isComplete = peeked.length === Math.min(step.events, model.length)
          expect(isComplete || length + model[peeked.length]!.length + 1 > step.length).toBe(true)
        } else if (step.do === 'removeOldest') {
          model.splice(0, step.count)
          buffer.removeOldest(step.count)
        } else {
          expect(buffer.removeAt(step.index)).toBe(model.splice(step.index, 1)[0])
        }
        expect(buffer.size()).toBe(model.length)
        expect(buffer.length()).toBe(model.join('').length)
        if (step.do !== 'peek') expect(buffer.byteLength()).toBe(Buffer.byteLength(model.join('')))
        expect(buffer.isFull()).toBe(Buffer.byteLength(model.join('')) > 20_000)
      }
    }),
    { numRuns: 50 },
  )
})
