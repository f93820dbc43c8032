import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { commonProperties } from '../../../src/capture/node/common-properties.ts'
import { eventText } from '../../../src/capture/node/event-text.ts'
import type { EventHead } from '../../../src/capture/node/event-text.ts'

const head: EventHead = { uuid: 'u', event: 'a', distinct_id: 'd', timestamp: '2026-01-01T00:00:00.000Z' }

const properties = fc.dictionary(
  fc.oneof(fc.constantFrom('a', 'b', 'c', 'toJSON', 'distinct_id', 'constructor', '__proto__'), fc.string()),
  fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constant(undefined)),
  { maxKeys: 5 },
)

it('writes what the whole event would be written as, or leaves it to others when names meet', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: 'binary' }),
      properties,
      properties,
      (event, distinct_id, own, shared) => {
        const all = { ...head, event, distinct_id }
        const text = eventText(all, own, commonProperties(shared))
        const isMet = Object.keys(own).some(
          (key) => ['toJSON', 'distinct_id'].includes(key) || Object.hasOwn(shared, key),
        )
        if (text === undefined) expect(isMet).toBe(true)
        else
          expect(JSON.parse(text)).toEqual(
            JSON.parse(JSON.stringify({ ...all, properties: { ...shared, ...own, distinct_id } })),
          )
      },
    ),
  )
})
