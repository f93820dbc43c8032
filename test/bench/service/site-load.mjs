import { gzipSync } from 'node:zlib'
import { seededRandom } from '../statistics.mjs'

/**
 * Events as sites send them: about 22 properties and 0.9 KB each, of 50,000 persons, in sessions of about ten events.
 *
 * - Of 100,000 events, 2,000 are the first of a new person.
 * - 5 % identify a person or set properties, 1 % alias or merge, 30 % belong to a group.
 * - Uuids are of version 7. All events have person profiles.
 */

const PERSONS = 50_000
const NEW_PERSONS_PER_EVENT = 0.02
const EVENTS_PER_SESSION = 10
/** Sessions that send events at the same time. */
const OPEN_SESSIONS = 2_000
const GROUPS = 2_000

/**
 * Share of the events that arrive in requests of this many events: browsers send a few events at a time, servers and imports large
 * batches.
 */
const ARRIVAL = [
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

/**
 * Creates the events one after another, always the same for a seed.
 *
 * @param {{ seed?: number, startMs: number, eventsPerMs: number }} options The time of the first event, and how many events happen in a
 *   millisecond.
 */
const createSiteEvents = ({ seed = 1, startMs, eventsPerMs }) => {
  const random = seededRandom(seed)
  const below = (count) => Math.floor(random() * count)
  const pick = (values) => values[below(values.length)]
  let eventCount = 0
  let personCount = PERSONS

  const openSession = (timestampMs) => {
    const isNewPerson = random() < NEW_PERSONS_PER_EVENT * EVENTS_PER_SESSION
    const person = isNewPerson ? personCount++ : below(personCount)
    // Anonymous users have the id that their device got at the first visit.
    const personUuid = createUuid(startMs - person * 60_000, seededRandom(person))
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
        plan: PLANS[person % PLANS.length],
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

/** Creates a uuid of version 7. */
const createUuid = (timestampMs, random) => {
  const hex = (digits) =>
    Math.floor(random() * 16 ** digits)
      .toString(16)
      .padStart(digits, '0')
  const time = Math.floor(timestampMs).toString(16).padStart(12, '0')
  // The generator has 32 bits, so the last group takes two numbers.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(3)}-${'89ab'[Math.floor(random() * 4)]}${hex(3)}-${hex(6)}${hex(6)}`
}

/**
 * Creates requests with the mixture of `ARRIVAL`, as gzip bodies.
 *
 * @yields {{ body: Buffer, eventCount: number }}
 */
export const createSiteRequests = function* ({ apiKey, eventCount, seed = 1, ...times }) {
  const random = seededRandom(seed + 1)
  const nextEvent = createSiteEvents({ seed, ...times })
  let remaining = eventCount
  while (remaining > 0) {
    const count = Math.min(remaining, pickRequestSize(random()))
    remaining -= count
    const batch = Array.from({ length: count }, nextEvent)
    yield { eventCount: count, body: gzipSync(JSON.stringify({ api_key: apiKey, batch }), { level: 1 }) }
  }
}

/** Share of the requests of each size, so that the shares of the events come out as in `ARRIVAL`. */
const requestWeights = ARRIVAL.map(({ eventsPerRequest, share }) => share / eventsPerRequest)
const totalWeight = requestWeights.reduce((sum, weight) => sum + weight, 0)

const pickRequestSize = (number) => {
  let rest = number * totalWeight
  for (const [index, weight] of requestWeights.entries()) {
    rest -= weight
    if (rest < 0) return ARRIVAL[index].eventsPerRequest
  }
  return ARRIVAL.at(-1).eventsPerRequest
}
