import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import type { EventEnvelope } from '../../../src/capture/event-finisher.ts'
import { prepareCommonProperties } from '../../../src/capture/node/common-properties.ts'
import { serialiseEvent } from '../../../src/capture/node/serialise-event.ts'

const envelope: EventEnvelope = { uuid: 'u', event: 'a', distinct_id: 'd', timestamp: '2026-01-01T00:00:00.000Z' }

const properties = fc.dictionary(
  fc.oneof(fc.constantFrom('a', 'b', 'c', 'toJSON', 'distinct_id', 'constructor', '__proto__'), fc.string()),
  fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constant(undefined)),
  { maxKeys: 5 },
)

it('returns JSON that equals the whole event; undefined only if names overlap', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: 'binary' }),
      properties,
      properties,
      (event, distinct_id, ownProperties, commonProperties) => {
        const wholeEnvelope = { ...envelope, event, distinct_id }
        const json = serialiseEvent(wholeEnvelope, ownProperties, prepareCommonProperties(commonProperties))
        // Every event has a `distinct_id` of its own, and a `toJSON` changes how JSON.stringify serialises the object.
        const hasOverlap = Object.keys(ownProperties).some(
          (key) => ['toJSON', 'distinct_id'].includes(key) || Object.hasOwn(commonProperties, key),
        )
        if (json === undefined) expect(hasOverlap).toBe(true)
        else
          expect(JSON.parse(json)).toEqual(
            JSON.parse(
              JSON.stringify({ ...wholeEnvelope, properties: { ...commonProperties, ...ownProperties, distinct_id } }),
            ),
          )
      },
    ),
  )
})
