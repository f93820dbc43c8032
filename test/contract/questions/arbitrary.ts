import * as fc from 'fast-check'
import type { Condition, PropertySource } from '../../../src/service/insight/filter/condition.ts'
import { combine } from '../../../src/service/insight/filter/condition.ts'
import type { Actor, EventSelection, PropertyReference } from '../../../src/service/insight/question/subject.ts'
import type { Calendar } from '../../../src/service/insight/time/calendar.ts'
import { INTERVALS } from '../../../src/service/insight/time/calendar.ts'
import type { Periods } from '../../../src/service/insight/time/periods.ts'
import { createPeriods } from '../../../src/service/insight/time/periods.ts'
import type { Json, JsonObject } from '../../../src/wire/json.ts'
import { worldEvent } from './world.ts'
import type { WorldEvent } from './world.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** The days of a world. The clocks of Berlin and New York change on one of them. */
const WORLD_DAYS = 40

let worldCount = 0

/**
 * The start of the days of a new world, in milliseconds since 1970. No two worlds have a day in common, so that many of them can
 * be in one store.
 */
const nextWorldStart = (): number => {
  worldCount += 1
  return Date.UTC(1970 + worldCount, 2, 1)
}

const calendar: fc.Arbitrary<Calendar> = fc.record({
  timeZone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu'),
  weekStart: fc.constantFrom('sunday', 'monday'),
})

const EVENT_NAMES = ['a', 'b', 'c']

/** Offsets from the start of a world: many at the start of days, some close to each other. */
const offset = fc
  .tuple(
    fc.integer({ min: 0, max: WORLD_DAYS - 1 }),
    fc.constantFrom(0, 1, 2 * HOUR_MS, 12 * HOUR_MS, 22 * HOUR_MS, 23 * HOUR_MS, DAY_MS - 1),
    fc.constantFrom(0, 0, 0, 1, 1000, 60_000),
  )
  .map(([day, time, more]) => day * DAY_MS + time + more)

const VALUES: readonly Json[] = ['pro', 'free', "o'ne", '', null, 5, true]
const NUMBERS: readonly Json[] = [1, 2.5, -3, '4', ' 4', 'x', null, 1e20]

const properties: fc.Arbitrary<JsonObject> = fc.record(
  {
    plan: fc.constantFrom(...VALUES),
    amount: fc.constantFrom(...NUMBERS),
    path: fc.constantFrom('/', '/a', '/a/', '/a/?#', '?', 'a/b', ''),
    $session_id: fc.constantFrom('s1', 's2', 's3', ''),
  },
  { requiredKeys: [] },
)

/** An event of a world before it has its time and person. */
const eventFields = fc.record({
  event: fc.constantFrom(...EVENT_NAMES),
  person: fc.nat({ max: 4 }),
  offset,
  properties,
  company: fc.constantFrom(null, null, 'acme', 'beta', 'gamma'),
})

const PERSONS: readonly (JsonObject | null)[] = [
  { plan: 'pro' },
  { plan: 'free', city: 'Rome' },
  {},
  null,
  { plan: 'pro' },
]
const COMPANIES: Readonly<Record<string, JsonObject | undefined>> = { acme: { size: 'big' }, beta: { size: 'small' } }

/** A world: its events, and the start of its days. */
export interface World {
  readonly start: number
  readonly events: readonly WorldEvent[]
}

export const world: fc.Arbitrary<World> = fc.array(eventFields, { maxLength: 40 }).map((list) => {
  const start = nextWorldStart()
  const events = list.map(({ event, person, offset: after, properties: ofEvent, company }) => {
    const ofPerson = PERSONS[person]!
    return worldEvent({
      event,
      distinctId: `${start} ${person}`,
      timestamp: start + after,
      properties: ofEvent,
      person: ofPerson === null ? null : { properties: ofPerson, createdAt: start + person * 5 * DAY_MS },
      groups: company === null ? {} : { company: `${start} ${company}` },
      groupProperties: company !== null && COMPANIES[company] ? { company: COMPANIES[company] } : {},
    })
  })
  return { start, events }
})

const leaf = (source: PropertySource, name: string, operator: string, value: Json, isNegated = false): Condition => ({
  kind: 'property',
  path: 'query',
  source,
  name,
  operator,
  value,
  isNegated,
})

/** Conditions of every kind; the contract suite of filters tests their operators. */
export const condition: fc.Arbitrary<Condition> = fc.constantFrom<Condition>(
  combine('all', []),
  combine('all', []),
  { kind: 'event_name', name: 'a' },
  { kind: 'event_name', name: 'b' },
  leaf({ of: 'event' }, 'plan', 'exact', 'pro'),
  leaf({ of: 'event' }, 'plan', 'is_set', null),
  leaf({ of: 'person' }, 'plan', 'exact', ['pro']),
  leaf({ of: 'group', type: 'company' }, 'size', 'is_not', 'big'),
  combine('any', [{ kind: 'event_name', name: 'c' }, leaf({ of: 'event' }, 'amount', 'gt', 1)]),
  { kind: 'cohort', condition: leaf({ of: 'person' }, 'plan', 'exact', 'pro', true), depth: 1 },
)

export const actor: fc.Arbitrary<Actor> = fc.constantFrom<Actor>(
  { of: 'person' },
  { of: 'person' },
  { of: 'group', type: 'company' },
  { of: 'session' },
)

export const property: fc.Arbitrary<PropertyReference> = fc.constantFrom<PropertyReference>(
  { source: { of: 'event' }, name: 'plan' },
  { source: { of: 'event' }, name: 'amount' },
  { source: { of: 'event' }, name: 'amount', rule: { kind: 'bin', bounds: [-3, 1, 2.5, 1000] } },
  { source: { of: 'event' }, name: 'plan', rule: { kind: 'bin', bounds: [] } },
  { source: { of: 'event' }, name: 'path', rule: { kind: 'url' } },
  { source: { of: 'event_metadata' }, name: 'event' },
  { source: { of: 'person' }, name: 'plan' },
  { source: { of: 'group', type: 'company' }, name: 'size' },
)

/** Events of one world alone: with a condition, and at any time. */
export const toSelection = (each: Condition, { start }: World): EventSelection => ({
  condition: combine('all', [leaf({ of: 'event_metadata' }, 'distinct_id', 'icontains', `${start} `), each]),
  matching: { rules: {}, now: start },
  path: 'query',
})

const lengths: Readonly<Record<(typeof INTERVALS)[number], number>> = {
  minute: 60_000,
  hour: HOUR_MS,
  day: DAY_MS,
  week: 7 * DAY_MS,
  month: 30 * DAY_MS,
}

/** Periods that may begin and end inside the days of a world. */
export const periodsOf = ({ start }: World): fc.Arbitrary<Periods> =>
  fc
    .record({
      calendar,
      interval: fc.constantFrom(...INTERVALS),
      from: fc.integer({ min: 0, max: WORLD_DAYS - 1 }),
      hours: fc.constantFrom(0, 0, 0, 7),
      count: fc.integer({ min: 1, max: 40 }),
    })
    .map(({ calendar: chosen, interval, from, hours, count }) => {
      const first = start + from * DAY_MS + hours * HOUR_MS
      return createPeriods({ from: first, before: first + count * lengths[interval] }, interval, chosen, 'interval')
    })
