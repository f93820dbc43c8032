import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import type { OutgoingEvent } from '../../src/capture/before-send.ts'
import { createEventJson } from '../../src/capture/event-json.ts'

const event = (properties: Record<string, unknown>): OutgoingEvent => ({
  uuid: 'u',
  event: 'a',
  distinct_id: 'd',
  timestamp: '2026-01-01T00:00:00.000Z',
  properties: { distinct_id: 'd', ...properties },
})

const properties = fc.dictionary(
  fc.oneof(fc.constantFrom('a', 'b', 'c', 'toJSON', 'constructor'), fc.string()),
  fc.oneof(fc.jsonValue(), fc.constant(undefined)),
  { noNullPrototype: true },
)

const maybe = fc.option(properties, { nil: undefined })

it('writes what the whole event would be written as, or leaves it to others when names meet', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(properties, maybe, maybe)),
      fc.array(properties, { minLength: 1 }),
      (sources, given) => {
        const eventJson = createEventJson()
        for (const shared of sources) {
          for (const own of given) {
            const all: object = Object.assign({}, ...shared)
            const json = eventJson(event(own), shared)
            if (Object.keys(event(own).properties).some((key) => key in all || key === 'toJSON'))
              expect(json).toBeUndefined()
            else expect(JSON.parse(json!)).toEqual(JSON.parse(JSON.stringify(event({ ...all, ...own }))))
          }
        }
      },
    ),
  )
})

it('notices that what is shared is another object now', () => {
  const eventJson = createEventJson()
  expect(eventJson(event({}), [{ a: 1 }])).toContain('"a":1')
  expect(eventJson(event({}), [{ a: 2 }])).toContain('"a":2')
})
