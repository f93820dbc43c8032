import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { createWaiting } from '../../../../src/platform/node/event-files/waiting.ts'

it('behaves like a list', () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant('push' as const), items: fc.array(fc.string(), { maxLength: 3000, size: 'max' }) }),
    fc.record({ do: fc.constant('first' as const), events: fc.integer({ min: 1, max: 5000 }), length: fc.nat(20_000) }),
    fc.record({ do: fc.constant('remove' as const), count: fc.nat(5000) }),
    fc.record({ do: fc.constant('dropAfter' as const), count: fc.nat(20) }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const waiting = createWaiting()
      const model: string[] = []
      for (const step of steps) {
        if (step.do === 'push') {
          model.push(...step.items)
          for (const item of step.items) waiting.push(item)
        } else if (step.do === 'first') {
          const first = waiting.first(step.events, step.length)
          expect(first).toEqual(model.slice(0, first.length))
          const length = first.join('').length + first.length
          expect(first.length <= 1 || length <= step.length).toBe(true)
          const isAll = first.length === Math.min(step.events, model.length)
          expect(isAll || length + model[first.length]!.length + 1 > step.length).toBe(true)
        } else if (step.do === 'remove') {
          model.splice(0, step.count)
          waiting.remove(step.count)
        } else {
          expect(waiting.dropAfter(step.count)).toBe(model.splice(step.count, 1)[0])
        }
        expect(waiting.size()).toBe(model.length)
        expect(waiting.length()).toBe(model.join('').length)
      }
    }),
    { numRuns: 50 },
  )
})
