import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { createPersonRequests, createSiteRequests } from './site-load.mjs'

interface SentEvent {
  readonly uuid: string
  readonly event: string
  readonly distinct_id: string
  readonly properties: Readonly<Record<string, unknown>>
}

const EVENTS = 20_000
const load = { apiKey: 'wm_key', eventCount: EVENTS, startMs: Date.UTC(2026, 0, 1), eventsPerMs: 1, persons: 2000 }

const readEvents = (requests: Iterable<{ body: Uint8Array }>): SentEvent[] =>
  [...requests].flatMap(({ body }) => (JSON.parse(gunzipSync(body).toString()) as { batch: SentEvent[] }).batch)

const requests = [...createSiteRequests(load)]
const events = readEvents(requests)
const share = (isCounted: (event: SentEvent) => boolean): number => events.filter(isCounted).length / EVENTS

it('creates the same events again, each with its own uuid', () => {
  expect([...createSiteRequests(load)].every(({ body }, index) => body.equals(requests[index]!.body))).toBe(true)
  expect(new Set(events.map(({ uuid }) => uuid)).size).toBe(EVENTS)
})

it('has the described shares of kinds, and events of the described size', () => {
  expect(share(({ properties }) => '$groups' in properties)).toBeCloseTo(0.3, 1)
  expect(share(({ properties }) => '$set' in properties)).toBeCloseTo(0.055, 2)
  expect(share(({ event }) => event === '$create_alias' || event === '$identify')).toBeCloseTo(0.01, 2)
  expect(share(({ properties }) => 'coupon' in properties)).toBeCloseTo(0.002, 3)
  const bytes = events.reduce((sum, event) => sum + JSON.stringify(event).length, 0)
  expect(bytes / EVENTS).toBeGreaterThan(800)
  expect(bytes / EVENTS).toBeLessThan(1100)
})

it('sends a tenth of the events alone, and the others in requests of 20 and 1,000', () => {
  const eventsInRequestsOf = (size: number): number =>
    requests.filter(({ eventCount }) => eventCount === size).reduce((sum, { eventCount }) => sum + eventCount, 0) /
    EVENTS
  expect(eventsInRequestsOf(1)).toBeCloseTo(0.1, 1)
  expect(eventsInRequestsOf(20)).toBeCloseTo(0.6, 0)
  expect(eventsInRequestsOf(1000)).toBeGreaterThan(0.1)
})

it('makes known every person that the load starts with', () => {
  const known = new Set(readEvents(createPersonRequests(load)).map(({ distinct_id }) => distinct_id))
  expect(known.size).toBe(2000)
  // A fifth of the sessions belong to new persons.
  expect(share(({ distinct_id }) => known.has(distinct_id))).toBeGreaterThan(0.3)
})
