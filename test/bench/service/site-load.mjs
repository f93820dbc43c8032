import { gzipSync } from 'node:zlib'
import { seededRandom } from '../statistics.mjs'
import { createUuid } from './create-uuid.mjs'

/**
 * Events as sites send them: about 22 properties and 0.9 KB each, of 50,000 persons, in sessions of about ten events.
 *
 * - Of 100,000 events, 2,000 are the first of a new person.
 * - 5 % identify a person or set properties, 1 % alias or merge, 30 % belong to a group.
 * - 0.2 % have a coupon, the rare property.
 * - Uuids are of version 7. All events have person profiles.
 */

/** Persons before the first event, unless the caller asks for another number. */
export const DEFAULT_PERSONS = 50_000
const NEW_PERSONS_PER_EVENT = 0.02
const EVENTS_PER_SESSION = 10
/** Sessions that send events at the same time. */
const OPEN_SESSIONS = 2_000
const GROUPS = 2_000

/**
 * Share of the events that arrive in requests of this many events: browsers send a few events at a time, servers and imports large
 * batches.
 *
 * @typedef {readonly { eventsPerRequest: number, share: number }[]} Arrival
 */

/** @type {Arrival} */
const MIXED_ARRIVAL = [
  { eventsPerRequest: 1, share: 0.1 },
  { eventsPerRequest: 20, share: 0.6 },
  { eventsPerRequest: 1000, share: 0.3 },
]

const BROWSERS = ['Chrome', 'Chrome', 'Chrome', 'Mobile Safari', 'Safari', 'Firefox', 'Microsoft Edge']
const SYSTEMS = ['Windows', 'Mac OS X', 'Android', 'iOS', 'Linux']
const TIME_ZONES = ['Europe/Berlin', 'America/New_York', 'Asia/Tokyo', 'Europe/London', 'America/Sao_Paulo']
const REFERRERS = ['$direct', '$direct', 'https://www.google.com/', 'https://news.ycombinator.com/', 'https://t.co/x']
const PLANS = ['free', 'free', 'free', 'pro', 'enterprise']
const EVENTS = [
  '$pageview',
  '$pageview',
  '$pageview',
  '$pageleave',
  '$autocapture',
  'product viewed',
  'cart changed',
  'checkout started',
  'bought',
]
const SCREENS = [
  [1920, 1080],
  [1536, 864],
  [390, 844],
  [412, 915],
  [2560, 1440],
]

/** The first visit of the first person. Fixed, so that all loads have the same persons. */
const FIRST_VISIT_MS = Date.UTC(2026, 0, 1)

/** Anonymous users have the id that their device got at the first visit. */
const createDistinctId = (person) => createUuid(FIRST_VISIT_MS - person * 60_000, seededRandom(person))

const planOf = (person) => PLANS[person % PLANS.length]

/**
 * @typedef {object} SiteEvent
 * @property {string} uuid
 * @property {string} event
 * @property {string} distinct_id
 * @property {string} timestamp ISO 8601 with milliseconds, in UTC.
 * @property {Record<string, unknown>} properties
 */

/**
 * Creates the events one after another, always the same for a seed.
 *
 * @param {Pick<SiteLoad, 'seed' | 'persons' | 'startMs' | 'eventsPerMs'>} load
 * @returns {() => SiteEvent}
 */
export const createSiteEvents = ({ seed = 1, persons = DEFAULT_PERSONS, startMs, eventsPerMs }) => {
  const random = seededRandom(seed)
  const below = (count) => Math.floor(random() * count)
  const pick = (values) => values[below(values.length)]
  let eventCount = 0
  let personCount = persons

  const openSession = (timestampMs) => {
    const isNewPerson = random() < NEW_PERSONS_PER_EVENT * EVENTS_PER_SESSION
    const person = isNewPerson ? personCount++ : below(personCount)
    const personUuid = createDistinctId(person)
    const [width, height] = SCREENS[person % SCREENS.length]
    return {
      person,
      distinctId: personUuid,
      properties: {
        $host: 'shop.example',
        $browser: BROWSERS[person % BROWSERS.length],
        $browser_version: 120 + (person % 30),
        $os: SYSTEMS[person % SYSTEMS.length],
        $device_type: person % 3 === 0 ? 'Mobile' : 'Desktop',
        $screen_width: width,
        $screen_height: height,
        $viewport_width: width - 20,
        $viewport_height: height - 140,
        $timezone: TIME_ZONES[person % TIME_ZONES.length],
        $referrer: pick(REFERRERS),
        $referring_domain: 'www.google.com',
        $device_id: personUuid,
        $session_id: createUuid(timestampMs, random),
        $window_id: createUuid(timestampMs, random),
        $lib: 'waymark',
        $lib_version: '0.1.0',
        plan: planOf(person),
        ...(random() < 0.3 ? { $groups: { company: `company-${person % GROUPS}` } } : {}),
      },
    }
  }

  const sessions = Array.from({ length: OPEN_SESSIONS }, () => openSession(startMs))

  return () => {
    const timestampMs = startMs + Math.floor(eventCount / eventsPerMs)
    eventCount += 1
    const index = below(OPEN_SESSIONS)
    if (random() < 1 / EVENTS_PER_SESSION) sessions[index] = openSession(timestampMs)
    const { distinctId, person, properties } = sessions[index]
    const page = below(500)
    const event = {
      uuid: createUuid(timestampMs, random),
      event: pick(EVENTS),
      distinct_id: distinctId,
      timestamp: new Date(timestampMs).toISOString(),
      properties: {
        ...properties,
        $current_url: `https://shop.example/products/${page}?utm_source=news&visit=${below(1_000_000)}`,
        $pathname: `/products/${page}`,
        $title: `Product ${page} - The Shop`,
        price: below(20_000) / 100,
        ...(random() < 0.002 ? { coupon: `spring-${below(50)}` } : {}),
      },
    }
    const kind = random()
    if (kind < 0.005) {
      event.event = '$identify'
      event.properties.$anon_distinct_id = `anonymous-${eventCount}`
      event.properties.$set = { email: `person-${person}@shop.example`, plan: properties.plan }
    } else if (kind < 0.01) {
      event.event = '$create_alias'
      event.properties.alias = `alias-${eventCount}`
    } else if (kind < 0.06) {
      event.event = random() < 0.5 ? '$set' : event.event
      event.properties.$set = { last_page: event.properties.$pathname, visits: below(100) }
      event.properties.$set_once = { first_page: event.properties.$pathname }
    }
    return event
  }
}

/**
 * @typedef {object} SiteLoad
 * @property {string} apiKey
 * @property {number} eventCount
 * @property {number} startMs The time of the first event.
 * @property {number} eventsPerMs How many events happen in a millisecond.
 * @property {number} [persons] Persons before the first event. Default: 50,000.
 * @property {Arrival} [arrival] Default: `MIXED_ARRIVAL`.
 * @property {number} [seed] Default: 1.
 */

/**
 * A request of the load.
 *
 * @typedef {object} SiteRequest
 * @property {Buffer} body Gzip.
 * @property {number} eventCount
 * @property {string} lastUuid The uuid of its last event.
 */

/**
 * Creates the requests of a load.
 *
 * @param {SiteLoad} load
 * @returns {Generator<SiteRequest>}
 */
export const createSiteRequests = function* (load) {
  const { arrival = MIXED_ARRIVAL, seed = 1 } = load
  const random = seededRandom(seed + 1)
  const nextEvent = createSiteEvents(load)
  let remaining = load.eventCount
  while (remaining > 0) {
    const count = Math.min(remaining, pickRequestSize(arrival, random()))
    remaining -= count
    yield createRequest(load.apiKey, Array.from({ length: count }, nextEvent))
  }
}

/**
 * Creates requests that make every person of a load known, in batches of 1,000.
 *
 * @param {SiteLoad} load
 * @returns {Generator<SiteRequest>}
 */
export const createPersonRequests = function* ({ apiKey, persons = DEFAULT_PERSONS, startMs }) {
  // Not the generator of the events, whose uuids would be the same.
  const random = seededRandom(0x9e37)
  for (let start = 0; start < persons; start += 1000) {
    const count = Math.min(1000, persons - start)
    const events = Array.from({ length: count }, (_, index) => ({
      uuid: createUuid(startMs, random),
      event: '$set',
      distinct_id: createDistinctId(start + index),
      timestamp: new Date(startMs).toISOString(),
      properties: { $set: { plan: planOf(start + index), country: 'DE' } },
    }))
    yield createRequest(apiKey, events)
  }
}

const createRequest = (apiKey, batch) => ({
  body: gzipSync(JSON.stringify({ api_key: apiKey, batch }), { level: 1 }),
  eventCount: batch.length,
  lastUuid: batch.at(-1).uuid,
})

/** Picks the size of a request so that the shares of the events come out as in `arrival`. */
const pickRequestSize = (arrival, number) => {
  const weights = arrival.map(({ eventsPerRequest, share }) => share / eventsPerRequest)
  let rest = number * weights.reduce((sum, weight) => sum + weight, 0)
  for (const [index, weight] of weights.entries()) {
    rest -= weight
    if (rest < 0) return arrival[index].eventsPerRequest
  }
  return arrival.at(-1).eventsPerRequest
}
