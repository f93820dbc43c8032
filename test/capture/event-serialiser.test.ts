import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import type { EventEnvelope } from '../../src/capture/event-finisher.ts'
import { createEventSerialiser } from '../../src/capture/event-serialiser.ts'

const envelope: EventEnvelope = { uuid: 'u', event: 'a', distinct_id: 'd', timestamp: '2026-01-01T00:00:00.000Z' }

const properties = fc.dictionary(
  fc.oneof(fc.constantFrom('a', 'b', 'c', 'toJSON', 'constructor'), fc.string()),
  fc.oneof(fc.jsonValue(), fc.constant(undefined)),
  { noNullPrototype: true },
)

const optionalProperties = fc.option(properties, { nil: undefined })

it('returns the JSON of the whole event, or undefined when names collide', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(properties, optionalProperties, optionalProperties)),
      fc.array(properties, { minLength: 1 }),
      (sources, events) => {
        const serialiseEvent = createEventSerialiser()
        for (const shared of sources) {
          for (const source of events) {
            const ownProperties = { distinct_id: 'd', ...source }
            const sharedProperties: object = Object.assign(Object.create(null), ...shared)
            const json = serialiseEvent(envelope, ownProperties, shared)
            if (Object.keys(ownProperties).some((key) => key in sharedProperties || key === 'toJSON'))
              expect(json).toBeUndefined()
            else
              expect(JSON.parse(json!)).toEqual(
                JSON.parse(JSON.stringify({ ...envelope, properties: { ...sharedProperties, ...ownProperties } })),
              )
          }
        }
      },
    ),
  )
})

it('uses the new shared properties when they are another object', () => {
  const serialiseEvent = createEventSerialiser()
  expect(serialiseEvent(envelope, { b: 1 }, [{ a: 1 }])).toContain('"a":1')
  expect(serialiseEvent(envelope, { b: 1 }, [{ a: 2 }])).toContain('"a":2')
})
